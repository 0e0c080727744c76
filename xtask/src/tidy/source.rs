//! The files of the project as the rules see them. Never reads what git ignores.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process;

/// One file.
pub(super) struct Source {
    /// Relative to the root of the workspace, with forward slashes.
    pub(super) path: String,
    /// The content; empty if it is no text.
    pub(super) text: String,
    /// The length of the file.
    pub(super) bytes: u64,
}

/// Every tracked file, and every new file that git would track, so that a rule is heard before the commit.
pub(super) fn tracked() -> Result<Vec<Source>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let listed = process::capture(git.current_dir(process::root()))?;
    let mut sources = Vec::new();
    for path in listed.split_terminator('\0') {
        let file = process::root().join(path);
        // A file that was deleted and not yet committed is still listed; a link is judged where it points.
        if !fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        let content = fs::read(&file).with_context(|| format!("cannot read {path}"))?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        sources.push(Source {
            path: path.to_owned(),
            text: String::from_utf8(content).unwrap_or_default(),
            bytes,
        });
    }
    Ok(sources)
}

/// The content of one of `sources`, or nothing.
pub(super) fn text_of<'a>(sources: &'a [Source], path: &str) -> &'a str {
    sources.iter().find(|source| source.path == path).map_or("", |source| &source.text)
}
