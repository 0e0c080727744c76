//! Files that a process left beside a document when it ended in the middle of its work. After an exchange such a file holds
//! what stood in the document, and that may be somebody's save. Never removes one whose words may be nowhere else.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use document::diff::diff_lines;

use super::disk::Disk;
use super::file::{Remark, StoredFile, failed};
use super::name::{IN_PLACE, Names, sum};
use super::real::RealDisk;
use crate::keeper::KeeperError;

/// The texts of left-over files that are not known, and whether one of them is the copy that is kept while a file is written in place.
/// What holds nobody's words is removed.
pub(super) fn gather<D: Disk>(
    file: &mut StoredFile<D>,
    text: &str,
) -> Result<(Vec<String>, bool), KeeperError> {
    let mut names = file.disk.names(&file.folder).map_err(|error| failed("list", &file.folder, &error))?;
    names.sort();
    let (mut texts, mut is_torn) = (Vec::new(), false);
    for name in names {
        let Some(meaning) = file.names.meaning(&name) else { continue };
        if file.disk.is_running(meaning.process) {
            continue;
        }
        let path = file.folder.join(name);
        if !meaning.is_whole {
            discard(&file.disk, &path)?;
            continue;
        }
        let found = file.disk.open(&path).map_err(|error| failed("read", &path, &error));
        match found.and_then(|found| file.text_of(&found)) {
            Ok(found) if found == text || meaning.known.contains(&sum(&found)) => discard(&file.disk, &path)?,
            Ok(found) => {
                is_torn |= meaning.known == IN_PLACE;
                texts.push(found);
                file.leftovers.push(path);
            }
            Err(KeeperError::Gone) => {}
            Err(KeeperError::NotText(_) | KeeperError::TooLarge { .. } | KeeperError::Busy) => {
                file.remarks.push(Remark::Unreadable(path));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((texts, is_torn))
}

/// The whole files that processes which are gone left beside a document. Looks only.
pub fn left_beside(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (names, folder) = (Names::beside(path), path.parent().unwrap_or(Path::new(".")));
    let is_left = |name: &String| {
        names.meaning(name).is_some_and(|meaning| meaning.is_whole && !RealDisk.is_running(meaning.process))
    };
    let mut left: Vec<String> = RealDisk.names(folder)?.into_iter().filter(is_left).collect();
    left.sort();
    Ok(left.into_iter().map(|name| folder.join(name)).collect())
}

/// Removes a file that may be gone already.
pub(super) fn discard<D: Disk>(disk: &D, path: &Path) -> Result<(), KeeperError> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, &error)),
        _ => Ok(()),
    }
}

/// The text with every line of `leftover` that it does not hold. Nothing is taken away: which version the left-over text was made
/// from is not known any more, so what it lacks says nothing.
pub fn united(text: &str, leftover: &str) -> String {
    let (text_ended, leftover) = (ended(text), ended(leftover));
    let hunks = diff_lines(&text_ended, &leftover);
    if hunks.iter().all(|hunk| hunk.new.is_empty()) {
        return text.to_owned();
    }
    let mut united = String::with_capacity(text_ended.len());
    let mut at = 0;
    for hunk in hunks {
        united.push_str(text_ended.get(at..hunk.old.end).unwrap_or_default());
        united.push_str(leftover.get(hunk.new).unwrap_or_default());
        at = hunk.old.end;
    }
    united.push_str(text_ended.get(at..).unwrap_or_default());
    united
}

/// A last line that is not ended is the same line once it is.
fn ended(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{text}\n"))
    }
}
