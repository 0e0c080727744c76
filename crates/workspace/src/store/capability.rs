//! What the file system of a folder can do, found out by doing it with files of our own. Never touches a document.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Glimpse, Like};
use super::real::RealDisk;

/// What the store can rely on in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Two files can change names in one step, so that no save is overwritten unseen.
    pub exchange: bool,
    /// A file can be renamed so that it never replaces another.
    pub no_replace: bool,
    /// It can be told whether somebody is writing a file.
    pub lease: bool,
    /// Names can be brought to the disk for good.
    pub sync_folder: bool,
}

/// Tries it out in `folder`.
///
/// # Errors
///
/// Any error of making two small files there.
pub fn capabilities(folder: &Path) -> io::Result<Capabilities> {
    let disk = RealDisk;
    let name = |which| folder.join(format!(".agent-doc-probe-{}-{which}", std::process::id()));
    let probes: [PathBuf; 3] = [name("a"), name("b"), name("c")];
    let [one, other, third] = &probes;
    let made =
        disk.create(one, Like::Private, b"one").and_then(|()| disk.create(other, Like::Private, b"other"));
    let found = made.map(|()| Capabilities {
        exchange: disk.exchange(one, other).is_ok(),
        no_replace: disk.place(one, third).is_ok(),
        lease: disk
            .open(other)
            .and_then(|file| disk.glimpse(&file, 16))
            .is_ok_and(|glimpse| matches!(glimpse, Glimpse::Quiet(_))),
        sync_folder: disk.sync_folder(folder).is_ok(),
    });
    for probe in &probes {
        match disk.remove(probe) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    found
}
