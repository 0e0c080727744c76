//! A session's own commits made one. Never changes what is checked out, the index, another commit's words, or anything that
//! others may have.

use std::path::Path;

use super::command::{Git, odd};
use super::commit::prefix;
use super::tree::{self, Blob};
use super::{GitError, ObjectId, Repository};

/// How far back session commits are looked for.
const COMMITS_MAX: usize = 10_000;

/// What became of a session's commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cleaned {
    /// There were fewer than two.
    Nothing,
    /// They are fewer now.
    Squashed {
        /// How many there were.
        from: usize,
        /// How many are left: one, and one more for each commit of somebody else's in between that changes the document.
        into: usize,
        /// The commit that was checked out before. `git update-ref HEAD` with it brings all back.
        before: ObjectId,
        /// The commit that is now.
        now: ObjectId,
    },
    /// They were left alone.
    Not(Unsquashable),
}

/// Why commits were left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsquashable {
    /// Others have them.
    #[error("commit {0} is on a remote already; commits that others may have are not rewritten")]
    Pushed(ObjectId),
    /// A merge stands on them.
    #[error("commit {0} is a merge; a history with merges is not rewritten")]
    Merged(ObjectId),
    /// A signature would be lost.
    #[error("commit {0} is signed; rewriting it would lose the signature")]
    Signed(ObjectId),
    /// Something is going on.
    #[error("somebody else commits at this moment; try again")]
    Busy,
}

/// A commit as it is kept.
struct Commit {
    id: ObjectId,
    parents: Vec<ObjectId>,
    /// All of it, headers and message.
    raw: Vec<u8>,
    is_signed: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One of the session's own.
    Own,
    /// Another one that changes the document.
    Touches,
    /// Another one that does not.
    Other,
}

impl Repository {
    /// Makes the session's own commits of this document one, with the message of the last.
    ///
    /// # Errors
    ///
    /// [`GitError`] if git could not do it; then everything is as before.
    pub fn clean(&self) -> Result<Cleaned, GitError> {
        let Some(head) = self.head()? else {
            return Ok(Cleaned::Nothing);
        };
        let commits = match self.since_the_first_own(&head)? {
            Ok(commits) => commits,
            Err(why) => return Ok(Cleaned::Not(why)),
        };
        let from = commits.iter().filter(|commit| commit.kind == Kind::Own).count();
        let Some(oldest) = commits.first().filter(|_| from > 1) else {
            return Ok(Cleaned::Nothing);
        };
        if !self
            .git
            .ask(&["for-each-ref", "--count=1", "--contains", &oldest.id, "refs/remotes"], b"")?
            .is_empty()
        {
            return Ok(Cleaned::Not(Unsquashable::Pushed(oldest.id.clone())));
        }
        if let Some(signed) = commits.iter().find(|commit| commit.is_signed) {
            return Ok(Cleaned::Not(Unsquashable::Signed(signed.id.clone())));
        }
        let (now, into) = self.rewritten(&commits)?;
        if tree::tree_of(&self.git, &now)? != tree::tree_of(&self.git, &head)? {
            return Err(odd("commit-tree", "the rewritten history ends in another text"));
        }
        if from == into {
            return Ok(Cleaned::Nothing);
        }
        if self.move_head(&self.git, &now, Some(&head), "clean")? {
            Ok(Cleaned::Squashed { from, into, before: head, now })
        } else {
            Ok(Cleaned::Not(Unsquashable::Busy))
        }
    }

    /// The commits from the session's first one to `head`, oldest first.
    fn since_the_first_own(&self, head: &str) -> Result<Result<Vec<Commit>, Unsquashable>, GitError> {
        let limit = format!("--max-count={COMMITS_MAX}");
        let begins = prefix(Path::new(&self.path));
        let listed = self.git.ask(
            &["rev-list", "--first-parent", "--format=%H%x09%s", "--no-commit-header", &limit, head],
            b"",
        )?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let lines: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once('\t')).collect();
        let mut candidates = 0;
        for (at, (id, subject)) in lines.iter().enumerate() {
            if subject.starts_with(&begins) && tree::touched(&self.git, id)? == [self.path.as_str()] {
                candidates = at + 1;
            }
        }
        let mut commits = Vec::new();
        for (id, subject) in lines.get(..candidates).unwrap_or_default() {
            let commit = self.read(id, subject.starts_with(&begins))?;
            if commit.parents.len() > 1 {
                return Ok(Err(Unsquashable::Merged(commit.id)));
            }
            commits.push(commit);
        }
        commits.reverse();
        Ok(Ok(commits))
    }

    fn read(&self, id: &str, is_named_so: bool) -> Result<Commit, GitError> {
        let raw = self.git.ask(&["cat-file", "commit", id], b"")?;
        let headers = headers(&raw);
        let parents =
            headers.iter().filter_map(|line| line.strip_prefix("parent ").map(str::to_owned)).collect();
        let is_signed = headers.iter().any(|line| line.starts_with("gpgsig"));
        let touched = tree::touched(&self.git, id)?;
        let kind = if is_named_so && touched == [self.path.as_str()] {
            Kind::Own
        } else if touched.contains(&self.path) {
            Kind::Touches
        } else {
            Kind::Other
        };
        Ok(Commit { id: id.to_owned(), parents, raw, is_signed, kind })
    }

    /// The commits again, each run of the session's own as one in the place of its last. Gives the tip, and how many of the
    /// session's own there are.
    fn rewritten(&self, commits: &[Commit]) -> Result<(ObjectId, usize), GitError> {
        let mut tip = commits.first().and_then(|commit| commit.parents.first().cloned());
        let mut text = match &tip {
            Some(tip) => tree::blob_at(&self.git, tip, &self.path)?,
            None => None,
        };
        let (mut waiting, mut into): (Option<&Commit>, usize) = (None, 0);
        let last_own = commits.iter().rposition(|commit| commit.kind == Kind::Own).unwrap_or_default();
        for (at, commit) in commits.iter().enumerate() {
            let is_own = commit.kind == Kind::Own;
            let is_due = at == last_own || (commit.kind == Kind::Touches && waiting.is_some());
            if let Some(own) = if is_own { Some(commit) } else { waiting }.filter(|_| is_due) {
                text = tree::blob_at(&self.git, &own.id, &self.path)?;
                // The text of the session on top of what others have done up to here.
                let below = tip.as_deref().map(|tip| tree::tree_of(&self.git, tip)).transpose()?;
                let whole = tree::with_blob(&self.git, below.as_deref(), &self.path, text.as_ref())?;
                tip = Some(again(&self.git, own, &whole, tip.as_deref())?);
                (waiting, into) = (None, into + 1);
            } else if is_own {
                waiting = Some(commit);
            }
            if !is_own {
                if commit.kind == Kind::Touches {
                    text = tree::blob_at(&self.git, &commit.id, &self.path)?;
                }
                let whole = self.with_text(commit, text.as_ref())?;
                tip = Some(again(&self.git, commit, &whole, tip.as_deref())?);
            }
        }
        Ok((tip.unwrap_or_default(), into))
    }

    fn with_text(&self, commit: &Commit, text: Option<&Blob>) -> Result<ObjectId, GitError> {
        let whole = tree::tree_of(&self.git, &commit.id)?;
        tree::with_blob(&self.git, Some(&whole), &self.path, text)
    }
}

/// The same commit with another tree and parent: its author, dates and message are kept to the byte.
fn again(git: &Git, commit: &Commit, tree: &str, parent: Option<&str>) -> Result<ObjectId, GitError> {
    let mut raw = format!("tree {tree}\n").into_bytes();
    if let Some(parent) = parent {
        raw.extend_from_slice(format!("parent {parent}\n").as_bytes());
    }
    let mut rest = commit.raw.as_slice();
    while rest.starts_with(b"tree ") || rest.starts_with(b"parent ") {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        rest = rest.get(end..).unwrap_or_default();
    }
    raw.extend_from_slice(rest);
    git.ask_line(&["hash-object", "-t", "commit", "-w", "--stdin"], &raw)
}

fn headers(raw: &[u8]) -> Vec<String> {
    let end = raw.windows(2).position(|pair| pair == b"\n\n").unwrap_or(raw.len());
    let text = String::from_utf8_lossy(raw.get(..end).unwrap_or_default()).into_owned();
    text.lines().map(str::to_owned).collect()
}
