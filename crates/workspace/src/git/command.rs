//! Git's commands, as functions: what they are told, and what they answer. Never lets a repository's own settings start a
//! program, and never waits for a person.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::loose::{self, Loose};
use super::{GitError, ObjectId};

/// Settings that would start a program, or work that nobody asked for, each put out of force.
const HARMLESS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    // Only a warning, but one that can be made an error.
    "core.safecrlf=false",
];

/// What a pipe takes without waiting for its reader, on every system.
const PIPE_BYTES: usize = 4096;

/// Git, working in one folder.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
    /// Settings for this repository alone, on top of the harmless ones.
    settings: Vec<String>,
    /// What can be done without starting it.
    loose: Option<Loose>,
}

impl Git {
    pub(super) fn in_folder(folder: &Path) -> Git {
        Git { folder: folder.to_owned(), settings: Vec::new(), loose: None }
    }

    /// The same where objects may be reached without it.
    pub(super) fn with_loose(self, loose: Option<Loose>) -> Git {
        Git { loose, ..self }
    }

    /// Where it works.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same with one more setting.
    pub(super) fn with(&self, settings: impl IntoIterator<Item = String>) -> Git {
        let settings = self.settings.iter().cloned().chain(settings).collect();
        Git { settings, ..self.clone() }
    }

    /// The listing of a tree, or of that of a commit, with a zero behind each row.
    pub(super) fn list(&self, tree: &str) -> Result<Vec<u8>, GitError> {
        match self.loose.as_ref().and_then(|loose| listed(loose, tree)) {
            Some(listed) => Ok(listed),
            None => self.ask(&["ls-tree", "-z", "--full-tree", tree], b""),
        }
    }

    /// Keeps a tree of this listing.
    pub(super) fn make_tree(&self, listing: &[u8]) -> Result<ObjectId, GitError> {
        let tree = self.loose.as_ref().and_then(|loose| Some((loose, loose::content(listing)?)));
        match tree.map(|(loose, tree)| loose.write("tree", &tree)) {
            Some(Ok(id)) => Ok(id),
            // Git says better what is wrong.
            Some(Err(_)) | None => self.ask_line(&["mktree", "-z", "--missing"], listing),
        }
    }

    /// Keeps a text byte for byte.
    pub(super) fn make_blob(&self, text: &[u8]) -> Result<ObjectId, GitError> {
        match self.loose.as_ref().map(|loose| loose.write("blob", text)) {
            Some(Ok(id)) => Ok(id),
            Some(Err(_)) | None => self.ask_line(&["hash-object", "-w", "--stdin", "--no-filters"], text),
        }
    }

    /// The commit that a name stands for.
    pub(super) fn commit_of(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let asked = format!("{name}^{{commit}}");
        let output = self.run(&["rev-parse", "--quiet", "--verify", "--end-of-options", &asked], b"")?;
        Ok(output.status.success().then(|| trimmed(&output.stdout)))
    }

    /// What a command answers, which must end well.
    pub(super) fn ask(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let output = self.run(arguments, input)?;
        if output.status.success() { Ok(output.stdout) } else { Err(failed(name_of(arguments), &output)) }
    }

    /// The same, as one line.
    pub(super) fn ask_line(&self, arguments: &[&str], input: &[u8]) -> Result<String, GitError> {
        Ok(trimmed(&self.ask(arguments, input)?))
    }

    pub(super) fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Output, GitError> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(["--no-pager", "--literal-pathspecs"]);
        for setting in HARMLESS.iter().copied().chain(self.settings.iter().map(String::as_str)) {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        // What an outer git told its hooks is not meant for this repository; who the person is, is.
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            let is_identity = name_text.starts_with("GIT_AUTHOR_") || name_text.starts_with("GIT_COMMITTER_");
            let is_config =
                ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"].contains(&&*name_text);
            if name_text.starts_with("GIT_") && !is_identity && !is_config {
                command.env_remove(&name);
            }
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => GitError::Absent,
            _ => GitError::Io(error),
        })?;
        let stdin = child.stdin.take();
        let tell = move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input));
        let (told, output) = if input.len() <= PIPE_BYTES {
            (tell(), child.wait_with_output()?)
        } else {
            // Git may answer before it has read everything, and then both would wait.
            std::thread::scope(|scope| {
                let told = scope.spawn(tell);
                let output = child.wait_with_output();
                output.map(|output| (told.join().unwrap_or(Ok(())), output))
            })?
        };
        match told {
            // A command that fails does not read to the end; what it says of it is in its answer.
            Err(error) if output.status.success() => Err(GitError::Io(error)),
            Ok(()) | Err(_) => Ok(output),
        }
    }
}

fn listed(loose: &Loose, tree: &str) -> Option<Vec<u8>> {
    let mut object = loose.read(tree)?;
    if object.kind == "commit" {
        let first = object.content.split(|byte| *byte == b'\n').next()?;
        let id = std::str::from_utf8(first).ok()?.strip_prefix("tree ")?;
        object = loose.read(id)?;
    }
    if object.kind == "tree" { loose::listing(&object.content) } else { None }
}

pub(super) fn odd(what: &'static str, told: &str) -> GitError {
    GitError::Odd { what, told: told.chars().take(200).collect() }
}

pub(super) fn failed(what: &'static str, output: &Output) -> GitError {
    let told = first_line(&output.stderr);
    let whole = String::from_utf8_lossy(&output.stderr);
    let is_nameless = [
        "empty ident",
        "tell me who you are",
        "no email was given",
        "no name was given",
        "auto-detect email",
    ]
    .iter()
    .any(|phrase| whole.contains(phrase));
    if is_nameless { GitError::Nameless } else { GitError::Failed { what, told } }
}

/// The commands that are used here, by their own names.
fn name_of(arguments: &[&str]) -> &'static str {
    const NAMES: [&str; 12] = [
        "cat-file",
        "check-attr",
        "commit-tree",
        "diff-tree",
        "for-each-ref",
        "hash-object",
        "ls-tree",
        "mktree",
        "rev-list",
        "symbolic-ref",
        "update-index",
        "update-ref",
    ];
    let asked = arguments.first().copied().unwrap_or_default();
    NAMES.into_iter().find(|name| *name == asked).unwrap_or("command")
}

pub(super) fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or("it said nothing").to_owned()
}

fn trimmed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned()
}
