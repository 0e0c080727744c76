//! The document committed by itself, so that an editor shows what comes after as new. Never takes another file along, staged
//! or not.

use std::path::Path;

use super::command::{Git, odd};
use super::tree::{Blob, Way};
use super::{GitError, ObjectId, Repository};

/// How often a commit is tried again when somebody else commits at the same moment.
const RACES_MAX: usize = 100;
/// What an editor is in the middle of when one of these lies in the repository's folder.
const UNDERWAY: [(&str, &str); 5] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
];

/// What became of a commit that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// The document as it is now is in the last commit already.
    Unchanged,
    /// A commit was made.
    Made {
        /// Its name.
        id: ObjectId,
        /// Whether the index could be told, too. If another git had it locked, the document shows as staged until next time.
        is_index_told: bool,
    },
    /// No commit was made, for a reason that the person knows of.
    Not(NotCommitted),
}

/// Why no commit was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCommitted {
    /// Something is going on that a commit would get into.
    #[error("{0} is going on; your change was not committed")]
    Underway(&'static str),
}

/// The first line of a session's commit. It is by this line that `clean` knows it again.
pub fn subject(document: &Path, time: &str) -> String {
    format!("{} {time}", prefix(document))
}

/// How such a line begins.
pub(super) fn prefix(document: &Path) -> String {
    let stem = document.file_stem().unwrap_or_default().to_string_lossy();
    let one_line: String = stem.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("agent-doc({one_line}):")
}

impl Repository {
    /// Commits `text` as the document, and nothing else, on top of what is checked out.
    ///
    /// # Errors
    ///
    /// [`GitError`] if git could not do it; then nothing was committed.
    pub fn commit(&self, text: &str, message: &str) -> Result<Committed, GitError> {
        if let Some((_, what)) = UNDERWAY.iter().find(|(name, _)| self.folder.join(name).exists()) {
            return Ok(Committed::Not(NotCommitted::Underway(what)));
        }
        let (git, id) = self.kept(text)?;
        let mut head = self.head.clone();
        for _ in 0..RACES_MAX {
            let way = Way::to(&git, head.as_deref(), &self.path)?;
            let before = way.blob();
            if before.as_ref().is_some_and(|before| before.id == id) {
                return Ok(Committed::Unchanged);
            }
            let blob = Blob { mode: self.mode(before.as_ref()), id: id.clone() };
            let whole = way.with_blob(&git, Some(&blob))?;
            if let Some(made) = self.put_on_top(&git, head.as_deref(), &whole, message)? {
                let is_index_told = self.tell_index(&git, &blob)?;
                return Ok(Committed::Made { id: made, is_index_told });
            }
            head = self.head()?;
        }
        Err(GitError::Busy)
    }

    /// A commit of the tree `whole` on top of `head`, unless somebody else committed meanwhile.
    fn put_on_top(
        &self,
        git: &Git,
        head: Option<&str>,
        whole: &str,
        message: &str,
    ) -> Result<Option<ObjectId>, GitError> {
        let mut asked = vec!["commit-tree", whole];
        if let Some(head) = head {
            asked.extend(["-p", head]);
        }
        let made = git.ask_line(&asked, message.as_bytes())?;
        Ok(self.move_head(git, &made, head, message)?.then_some(made))
    }

    /// Moves what is checked out from `old` to `new`, unless it is not at `old` any more.
    pub(super) fn move_head(
        &self,
        git: &Git,
        new: &str,
        old: Option<&str>,
        why: &str,
    ) -> Result<bool, GitError> {
        let why = format!("agent-doc: {}", why.lines().next().unwrap_or_default());
        let none = "0".repeat(new.len());
        match git.ask(&["update-ref", "-m", &why, "HEAD", new, old.unwrap_or(&none)], b"") {
            Ok(_) => Ok(true),
            // Another git has moved it, or is about to and has it locked.
            Err(GitError::Failed { told, .. }) if told.contains("lock") || self.head()?.as_deref() != old => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Tells the index of the document's commit, so that it does not look staged for undoing it.
    fn tell_index(&self, git: &Git, blob: &Blob) -> Result<bool, GitError> {
        let entry = format!("{},{},{}", blob.mode, blob.id, self.path);
        match git.ask(&["update-index", "--add", "--replace", "--cacheinfo", &entry], b"") {
            Ok(_) => Ok(true),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The mode that the document has in the repository, or would get.
    fn mode(&self, before: Option<&Blob>) -> String {
        match before {
            Some(blob) if blob.mode != "120000" => blob.mode.clone(),
            Some(_) | None => "100644".to_owned(),
        }
    }

    /// The text as an object of the repository, and git as it is to be asked from here on.
    fn kept(&self, text: &str) -> Result<(Git, ObjectId), GitError> {
        if self.is_kept_as_it_is(text) {
            return Ok((self.git.clone(), self.git.make_blob(text.as_bytes())?));
        }
        let git = self.without_filters()?;
        let id = git.ask_line(&["hash-object", "-w", "--stdin", "--path", &self.path], text.as_bytes())?;
        Ok((git, id))
    }

    /// Whether git would keep the text byte for byte, so that it need not be asked: nothing in the repository says otherwise, and
    /// there is neither a line ending nor a keyword in it that the person's own settings could be about.
    fn is_kept_as_it_is(&self, text: &str) -> bool {
        let is_plain = !text.contains('\r') && !text.contains("$Id");
        // A linked worktree has its attributes elsewhere.
        let is_linked = self.folder.join("commondir").exists();
        let mut folders =
            Path::new(&self.path).ancestors().skip(1).map(|folder| self.git.folder().join(folder));
        is_plain
            && !is_linked
            && !self.folder.join("info/attributes").exists()
            && !folders.any(|folder| folder.join(".gitattributes").exists())
    }

    /// Git, with the program that the repository wants this document to be filtered by put out of force. What git does by
    /// itself, such as line endings, it does.
    fn without_filters(&self) -> Result<Git, GitError> {
        let told = self.git.ask(&["check-attr", "-z", "filter", "--", &self.path], b"")?;
        let value = told.split(|byte| *byte == 0).nth(2).unwrap_or_default();
        match std::str::from_utf8(value) {
            Ok("unspecified" | "unset" | "set" | "") => Ok(self.git.clone()),
            Ok(name) => Ok(self.git.with([
                format!("filter.{name}.clean="),
                format!("filter.{name}.process="),
                format!("filter.{name}.required=false"),
            ])),
            Err(_) => Err(odd("check-attr", "a filter whose name is not UTF-8")),
        }
    }
}
