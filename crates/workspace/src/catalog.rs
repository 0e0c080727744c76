//! The markdown files of a folder, for a list that a person chooses from. Never reads more of a file than its head, and never
//! follows a link.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use document::section::find_sections;

use crate::session::turn::is_session;

/// How many documents are listed.
const DOCUMENTS_MAX: usize = 2000;
/// How many names are looked at on the way.
const NAMES_MAX: usize = 100_000;
/// How deep folders are searched.
const DEPTH_MAX: usize = 16;
/// How much of a file is read to find its title.
const HEAD_BYTES: u64 = 8 * 1024;
/// Folders that hold what others made.
const SKIPPED: [&str; 4] = ["node_modules", "target", "dist", "vendor"];

/// One document of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Relative to the root.
    pub path: String,
    /// Its first heading, or its name.
    pub title: String,
    /// Whether agents answer in it.
    pub is_session: bool,
    /// Bytes.
    pub length: u64,
    /// Milliseconds since 1970 when it was last saved.
    pub modified: u64,
}

/// The documents beneath `root`, the latest first. Blocks.
#[must_use]
pub fn list(root: &Path) -> Vec<Listed> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut waiting = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        // A folder that cannot be read has nothing that could be opened.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > NAMES_MAX || found.len() >= DOCUMENTS_MAX {
                return in_order(found);
            }
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            let Some(name) = name.to_str() else { continue };
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < DEPTH_MAX && !SKIPPED.contains(&name) {
                waiting.push((entry.path(), depth + 1));
            } else if kind.is_file() && name.ends_with(".md") {
                found.extend(listed(root, &entry.path()));
            }
        }
    }
    in_order(found)
}

fn in_order(mut found: Vec<Listed>) -> Vec<Listed> {
    found.sort_by(|one, two| two.modified.cmp(&one.modified).then_with(|| one.path.cmp(&two.path)));
    found
}

fn listed(root: &Path, file: &Path) -> Option<Listed> {
    let path = file.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
    let metadata = file.metadata().ok()?;
    let mut head = Vec::new();
    fs::File::open(file).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let name = file.file_stem()?.to_str()?.to_owned();
    let title = find_sections(&head).into_iter().map(|section| section.title).find(|title| !title.is_empty());
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Listed {
        path,
        title: title.unwrap_or(name),
        is_session: is_session(&head),
        length: metadata.len(),
        modified: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
    })
}
