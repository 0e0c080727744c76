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

/// The tree `tree` (`None` is the empty one) with `blob` at `path`, or without anything there.
pub(super) fn with_blob(
    git: &Git,
    tree: Option<&str>,
    path: &str,
    blob: Option<&Blob>,
) -> Result<ObjectId, GitError> {
    let (first, rest) = match path.split_once('/') {
        Some((folder, rest)) => (folder, Some(rest)),
        None => (path, None),
    };
    let listed = match tree {
        Some(tree) => git.ask(&["ls-tree", "-z", tree], b"")?,
        None => Vec::new(),
    };
    let present = rows(&listed).find(|row| name(row) == first.as_bytes()).and_then(parts);
    let row = match rest {
        None => blob.map(|blob| format!("{} blob {}\t{first}", blob.mode, blob.id)),
        Some(rest) => {
            let below = present.filter(|(_, kind, _)| kind == "tree").map(|(_, _, id)| id);
            let inner = with_blob(git, below.as_deref(), rest, blob)?;
            // Git keeps no empty folders.
            let is_empty = blob.is_none() && git.ask(&["ls-tree", "-z", &inner], b"")?.is_empty();
            (!is_empty).then(|| format!("040000 tree {inner}\t{first}"))
        }
    };
    let mut input = Vec::with_capacity(listed.len() + 100);
    for kept in rows(&listed).filter(|kept| name(kept) != first.as_bytes()) {
        input.extend_from_slice(kept);
        input.push(0);
    }
    if let Some(row) = row {
        input.extend_from_slice(row.as_bytes());
        input.push(0);
    }
    git.ask_line(&["mktree", "-z", "--missing"], &input)
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

fn rows(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|row| !row.is_empty())
}

fn name(row: &[u8]) -> &[u8] {
    row.iter().position(|byte| *byte == b'\t').and_then(|at| row.get(at + 1..)).unwrap_or_default()
}

/// Mode, kind and id.
fn parts(row: &[u8]) -> Option<(String, String, ObjectId)> {
    let text = String::from_utf8_lossy(row.split(|byte| *byte == b'\t').next()?).into_owned();
    let mut words = text.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned(), words.next()?.to_owned()))
}
