//! A document that is not there yet: whole or not at all. Never writes over one that is.

use std::io;
use std::path::Path;

use super::disk::{Disk as _, Like};
use super::name::{Names, sum};
use super::real::RealDisk;

/// How many names are tried that other calls, or processes that are gone, may have taken.
const NAMES_MAX: u64 = 1000;

/// Makes the file with this text, in a folder that is there.
///
/// # Errors
///
/// [`io::ErrorKind::AlreadyExists`] if something has the name, also if it got it a moment ago. What the system says otherwise.
pub fn create(path: &Path, text: &str) -> io::Result<()> {
    if RealDisk.look(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let (names, folder) = (Names::beside(path), path.parent().unwrap_or(Path::new(".")));
    for generation in 0..NAMES_MAX {
        let beside = folder.join(names.of(generation, [0, sum(text)]).0);
        match RealDisk.create(&beside, Like::New, text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made,
        }
        .and_then(|()| take_name(&beside, path))
        .inspect_err(|_| {
            if RealDisk.remove(&beside).is_err() {
                // It is unfinished by its name, and removed when the document is opened.
            }
        })?;
        return RealDisk.sync_folder(folder);
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn take_name(beside: &Path, path: &Path) -> io::Result<()> {
    match RealDisk.place(beside, path) {
        // A file system that cannot rename without replacing. A second name is never given over another one.
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            std::fs::hard_link(beside, path)?;
            RealDisk.remove(beside)
        }
        placed => placed,
    }
}
