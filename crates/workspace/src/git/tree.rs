//! Trees with one file exchanged, without an index. Never reads a file that is not asked for, so that huge and partial
//! repositories cost no more than the depth of the path.

use super::command::{Git, odd};
use super::{GitError, ObjectId};

/// A file in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) mode: String,
    pub(super) id: ObjectId,
}

/// What stands at `path` in the tree of a commit, if it is a file.
pub(super) fn blob_at(git: &Git, commit: &str, path: &str) -> Result<Option<Blob>, GitError> {
    let listed = git.ask(&["ls-tree", "-z", "--full-tree", commit, "--", path], b"")?;
    let entry = rows(&listed).find(|row| name(row) == path.as_bytes());
    let Some((mode, kind, id)) = entry.and_then(parts) else {
        return Ok(None);
    };
    Ok((kind == "blob").then_some(Blob { mode, id }))
}

/// The tree of `root` (`None` is the empty one) with `blob` at `path`, or without anything there.
pub(super) fn with_blob(
    git: &Git,
    root: Option<&str>,
    path: &str,
    blob: Option<&Blob>,
) -> Result<ObjectId, GitError> {
    Way::to(git, root, path)?.with_blob(git, blob)
}

/// The folders on the way to one file of a tree, from its root.
pub(super) struct Way<'p> {
    folders: Vec<Folder<'p>>,
}

/// A folder as git lists it, and what is looked for there.
struct Folder<'p> {
    listed: Vec<u8>,
    name: &'p str,
}

impl<'p> Way<'p> {
    /// The way to `path` in a tree or in that of a commit; `None` is the empty one.
    pub(super) fn to(git: &Git, root: Option<&str>, path: &'p str) -> Result<Way<'p>, GitError> {
        let (mut folders, mut next) = (Vec::new(), root.map(str::to_owned));
        for name in path.split('/') {
            let listed = match &next {
                Some(tree) => git.list(tree)?,
                None => Vec::new(),
            };
            let folder = Folder { listed, name };
            next = folder.present().filter(|(_, kind, _)| kind == "tree").map(|(_, _, id)| id);
            folders.push(folder);
        }
        Ok(Way { folders })
    }

    /// What stands at its end, if it is a file.
    pub(super) fn blob(&self) -> Option<Blob> {
        let (mode, kind, id) = self.folders.last()?.present()?;
        (kind == "blob").then_some(Blob { mode, id })
    }

    /// The tree with `blob` at the end of the way, or without anything there.
    pub(super) fn with_blob(&self, git: &Git, blob: Option<&Blob>) -> Result<ObjectId, GitError> {
        let mut entry = blob.map(|blob| format!("{} blob {}", blob.mode, blob.id));
        let mut made = ObjectId::new();
        for (depth, folder) in self.folders.iter().enumerate().rev() {
            let listing = folder.with(entry.take());
            // Git keeps no empty folders.
            if depth == 0 || !listing.is_empty() {
                made = git.make_tree(&listing)?;
                entry = Some(format!("040000 tree {made}"));
            }
        }
        Ok(made)
    }
}

impl Folder<'_> {
    /// Mode, kind and id of what is looked for.
    fn present(&self) -> Option<(String, String, ObjectId)> {
        rows(&self.listed).find(|row| name(row) == self.name.as_bytes()).and_then(parts)
    }

    /// The listing with another entry in its place, or with none.
    fn with(&self, entry: Option<String>) -> Vec<u8> {
        let entry = entry.map(|entry| format!("{entry}\t{}", self.name));
        let kept = rows(&self.listed).filter(|row| name(row) != self.name.as_bytes());
        let mut listing = Vec::with_capacity(self.listed.len() + 100);
        for row in kept.chain(entry.as_deref().map(str::as_bytes)) {
            listing.extend_from_slice(row);
            listing.push(0);
        }
        listing
    }
}

/// The tree of a commit.
pub(super) fn tree_of(git: &Git, commit: &str) -> Result<ObjectId, GitError> {
    git.ask_line(&["rev-parse", "--verify", "--end-of-options", &format!("{commit}^{{tree}}")], b"")
}

/// The paths that differ between a commit and its parent.
pub(super) fn touched(git: &Git, commit: &str) -> Result<Vec<String>, GitError> {
    let asked = [
        "diff-tree",
        "--root",
        "--no-commit-id",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "-r",
        "-z",
        commit,
    ];
    let listed = git.ask(&asked, b"")?;
    rows(&listed)
        .map(|row| String::from_utf8(row.to_vec()).map_err(|_| odd("diff-tree", "a path that is not UTF-8")))
        .collect()
}

pub(super) fn rows(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|row| !row.is_empty())
}

pub(super) fn name(row: &[u8]) -> &[u8] {
    row.iter().position(|byte| *byte == b'\t').and_then(|at| row.get(at + 1..)).unwrap_or_default()
}

/// Mode, kind and id.
pub(super) fn parts(row: &[u8]) -> Option<(String, String, ObjectId)> {
    let text = String::from_utf8_lossy(row.split(|byte| *byte == b'\t').next()?).into_owned();
    let mut words = text.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned(), words.next()?.to_owned()))
}
