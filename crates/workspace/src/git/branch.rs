//! The branch of a document's session. Never checks anything out: a branch is begun where the person is.

use std::path::Path;

use super::{GitError, Repository};

/// Where the session's commits go from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Branched {
    /// It was checked out already.
    Already,
    /// It was begun here.
    Begun,
    /// It was there, at this very commit, and is checked out now.
    Joined,
    /// It is there, at another commit or checked out elsewhere; the person has to change over to it.
    Elsewhere,
}

/// The name of the branch for a document.
pub fn branch_name(document: &Path) -> String {
    let stem = document.file_stem().unwrap_or_default().to_string_lossy();
    let plain: String =
        stem.chars().map(|c| if c.is_alphanumeric() || "_-".contains(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches('-');
    format!("agent-doc/{}", if plain.is_empty() { "document" } else { plain })
}

impl Repository {
    /// Goes on with the branch `name`, which is begun here if there is none.
    ///
    /// # Errors
    ///
    /// [`GitError`] if git could not do it; then the branch that was checked out still is.
    pub fn take_branch(&self, name: &str) -> Result<Branched, GitError> {
        let whole = format!("refs/heads/{name}");
        let current = self.git.ask_line(&["symbolic-ref", "--quiet", "HEAD"], b"").ok();
        if current.as_deref() == Some(whole.as_str()) {
            return Ok(Branched::Already);
        }
        let (head, tip) = (self.head()?, self.git.commit_of(&whole)?);
        let joined = match (&head, tip) {
            (None, None) => Branched::Begun,
            (Some(head), None) => {
                let none = "0".repeat(head.len());
                self.git.ask(&["update-ref", "-m", "agent-doc: begin", &whole, head, &none], b"")?;
                Branched::Begun
            }
            (Some(head), Some(tip)) if *head == tip && !self.is_checked_out(&whole)? => Branched::Joined,
            (_, Some(_)) => return Ok(Branched::Elsewhere),
        };
        self.git.ask(&["symbolic-ref", "-m", "agent-doc: change over", "HEAD", &whole], b"")?;
        Ok(joined)
    }

    /// Whether another worktree has the branch.
    fn is_checked_out(&self, whole: &str) -> Result<bool, GitError> {
        let listed = self.git.ask(&["worktree", "list", "--porcelain", "-z"], b"")?;
        let wanted = format!("branch {whole}");
        Ok(listed.split(|byte| *byte == 0).any(|row| row == wanted.as_bytes()))
    }
}
