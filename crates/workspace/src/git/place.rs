//! Where a folder stands in its repository. Git is asked, unless the repository is of the plainest kind, which can be seen without
//! starting a program. Never guesses: whatever is out of the ordinary is for git to say.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::command::{Git, failed, first_line, odd};
use super::loose::{Loose, is_name};
use super::{GitError, ObjectId};

/// How `rev-parse` ends that was to be quiet about a commit that is not there. Any trouble ends it with another code.
const NO_SUCH_COMMIT: i32 = 1;

/// What makes a repository's settings say something about where things are, or about what kind of repository it is.
const OUT_OF_THE_ORDINARY: [&str; 5] =
    ["worktree", "include", "extensions", "repositoryformatversion = 1", "bare = true"];

/// Where a folder stands in its repository.
pub(super) struct Place {
    /// The root of the working files.
    pub(super) top: PathBuf,
    /// The repository's own folder.
    pub(super) folder: PathBuf,
    /// The way from the root to the folder: empty, or with `/` at its end.
    pub(super) prefix: String,
    /// The commit that is checked out, if there is one yet.
    pub(super) head: Option<ObjectId>,
    /// Its objects, if the repository is so plain that they can be reached without git.
    pub(super) loose: Option<Loose>,
}

impl Place {
    /// Where this folder, whose path has no links, stands, unless it is in no repository with working files.
    pub(super) fn of(folder: &Path) -> Result<Option<Place>, GitError> {
        match Place::plain(folder) {
            Some(place) => Ok(Some(place)),
            None => Place::told(&Git::in_folder(folder)),
        }
    }

    /// The place as it can be seen: a folder `.git` with ordinary settings, and a commit whose name lies there in a file.
    fn plain(folder: &Path) -> Option<Place> {
        if folder.components().any(|part| part == Component::Normal(".git".as_ref())) {
            return None;
        }
        // A folder may itself be a repository without working files.
        let is_bare = |folder: &Path| folder.join("HEAD").exists();
        let top = folder.ancestors().find(|top| top.join(".git").exists() || is_bare(top))?;
        let own = top.join(".git");
        if is_bare(top) || !fs::symlink_metadata(&own).ok()?.is_dir() || !is_on_one_disk(top, folder) {
            return None;
        }
        let settings = fs::read_to_string(own.join("config")).ok()?.to_lowercase().replace('=', " = ");
        let settings = settings.split_whitespace().collect::<Vec<_>>().join(" ");
        if OUT_OF_THE_ORDINARY.iter().any(|word| settings.contains(word)) {
            return None;
        }
        let mut head = fs::read_to_string(own.join("HEAD")).ok()?;
        if let Some(name) = head.strip_prefix("ref: refs/heads/") {
            head = fs::read_to_string(own.join("refs/heads").join(name.trim_end())).ok()?;
        }
        let head = head.trim_end();
        let parts: Option<Vec<&str>> =
            folder.strip_prefix(top).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
        let prefix = parts?.iter().flat_map(|part| [part, "/"]).collect();
        is_name(head).then(|| {
            let loose = Loose::of(&own, &settings);
            Place { top: top.to_owned(), folder: own, prefix, head: Some(head.to_owned()), loose }
        })
    }

    /// The place as git tells it.
    fn told(git: &Git) -> Result<Option<Place>, GitError> {
        let asked = [
            "rev-parse",
            "--is-inside-work-tree",
            "--show-toplevel",
            "--absolute-git-dir",
            "--show-prefix",
            "--quiet",
            "--verify",
            "HEAD^{commit}",
        ];
        let output = git.run(&asked, b"")?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = told.split('\n');
        let has_head = output.status.success();
        if !has_head && output.status.code() != Some(NO_SUCH_COMMIT) {
            let said = first_line(&output.stderr);
            // Git refuses a repository of another owner, and that must not pass for "none".
            return if said.contains("dubious ownership") {
                Err(failed("rev-parse", &output))
            } else {
                Ok(None)
            };
        }
        if lines.next() != Some("true") {
            return Ok(None);
        }
        let (Some(top), Some(folder)) = (lines.next(), lines.next()) else {
            return Err(odd("rev-parse", &told));
        };
        let prefix = lines.next().unwrap_or_default().to_owned();
        let head = lines.next().filter(|_| has_head).map(str::to_owned);
        Ok(Some(Place { top: PathBuf::from(top), folder: PathBuf::from(folder), prefix, head, loose: None }))
    }
}

/// Git does not look for a repository beyond the file system that it begins on.
#[cfg(unix)]
fn is_on_one_disk(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    device(one).is_some() && device(one) == device(other)
}

#[cfg(not(unix))]
fn is_on_one_disk(_: &Path, _: &Path) -> bool {
    false
}
