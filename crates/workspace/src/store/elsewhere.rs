//! The nearest that other systems offer without unchecked code: no exchange and no leases, so the store compares before it renames
//! and waits until a file stands still. Never claims more than that.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use super::disk::{Glimpse, Like};

pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(super) fn create(path: &Path, _like: Like<'_>) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Nobody can say here whether somebody is writing.
pub(super) fn show(_: &File, _: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
    Ok(false)
}

pub(super) fn glimpse(file: &File, limit: u64) -> io::Result<Glimpse> {
    super::real::unsure(file, limit)
}

/// Reads on until the file ends or there is no more room.
pub(super) fn fill(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let room = bytes.capacity().saturating_sub(bytes.len()) as u64;
    file.take(room).read_to_end(bytes).map(drop)
}

pub(super) fn is_writable(_: &Path, metadata: &Metadata) -> bool {
    !metadata.permissions().readonly()
}

pub(super) fn keeps_owner(_: &Metadata) -> bool {
    true
}

pub(super) fn copy_metadata(from: &Path, to: &File) -> io::Result<()> {
    to.set_permissions(std::fs::metadata(from)?.permissions())
}

pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A second name is refused where the first is taken, so this is a rename that replaces nothing.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(from, to)?;
    std::fs::remove_file(from)
}

pub(super) fn identity(_: &Metadata) -> (u64, u64, u64) {
    (0, 0, 1)
}

/// Without a way to ask, every left-over file is taken for one of a process that has ended.
pub(super) fn is_running(_: u32) -> bool {
    false
}
