//! The port to whoever writes files, and a plain writer. Never leaves a file half written, and never writes over one that
//! is not what was expected.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fchmod, mkdirat, openat, renameat, renameat_with, unlinkat,
};

use super::fingerprint::Fingerprint;
use super::open::{read_whole, without_links};
use crate::limits::EDIT_MAX;

/// Writes files for the tools. A workspace puts the owner of its documents behind it.
pub trait Writer: Send + Sync {
    /// Puts `content` at `path`, in one step, if what is there is still what was expected: nothing, or a content. Makes folders
    /// that are missing. After an error the file is as it was.
    fn replace(&self, path: &Path, expected: Option<&Fingerprint>, content: &[u8]) -> Result<(), WriteError>;
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something else is there by now.
    #[error("the file was changed meanwhile")]
    Changed,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes beside the file and renames. Keeps the mode; follows no link.
#[derive(Debug, Default)]
pub struct DirectWriter {
    written: AtomicU64,
}

impl Writer for DirectWriter {
    fn replace(&self, path: &Path, expected: Option<&Fingerprint>, content: &[u8]) -> Result<(), WriteError> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput).into());
        };
        let folder = folder_made(folder)?;
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let mut temporary = b".".to_vec();
        temporary.extend_from_slice(name.as_bytes().get(..name.len().min(200)).unwrap_or_default());
        temporary.extend_from_slice(format!(".agent-doc-{}-{number}.tmp", std::process::id()).as_bytes());
        let temporary = OsStr::from_bytes(&temporary);
        let outcome = put(&folder, name, temporary, expected, content);
        if outcome.is_err() {
            // It may not have come into being at all.
            unlinkat(&folder, temporary, AtFlags::empty()).ok();
        }
        outcome
    }
}

fn put(
    folder: &File,
    name: &OsStr,
    temporary: &OsStr,
    expected: Option<&Fingerprint>,
    content: &[u8],
) -> Result<(), WriteError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file =
        File::from(openat(folder, temporary, flags, Mode::from_raw_mode(0o666)).map_err(io::Error::from)?);
    file.write_all(content)?;
    if expected.is_some() {
        let (mode, fingerprint) = present(folder, name)?;
        if Some(&fingerprint) != expected {
            return Err(WriteError::Changed);
        }
        fchmod(&file, mode).map_err(io::Error::from)?;
    }
    file.sync_all()?;
    if expected.is_some() {
        renameat(folder, temporary, folder, name).map_err(io::Error::from)?;
    } else {
        made_new(folder, temporary, name)?;
    }
    folder.sync_all()?;
    Ok(())
}

/// Gives the file its name, which nothing may bear yet.
fn made_new(folder: &File, temporary: &OsStr, name: &OsStr) -> Result<(), WriteError> {
    match renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::EXIST) => Err(WriteError::Changed),
        // A file system without that: a second name can be given only if it is free.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            match rustix::fs::linkat(folder, temporary, folder, name, AtFlags::empty()) {
                Ok(()) => Ok(unlinkat(folder, temporary, AtFlags::empty()).map_err(io::Error::from)?),
                Err(rustix::io::Errno::EXIST) => Err(WriteError::Changed),
                Err(error) => Err(io::Error::from(error).into()),
            }
        }
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// Mode and content of what bears the name now.
fn present(folder: &File, name: &OsStr) -> Result<(Mode, Fingerprint), WriteError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::LOOP) => return Err(WriteError::Changed),
        Err(error) => return Err(io::Error::from(error).into()),
    };
    let status = rustix::fs::fstat(&file).map_err(io::Error::from)?;
    let content = read_whole(file, EDIT_MAX)?;
    Ok((Mode::from_raw_mode(status.st_mode), Fingerprint::of(&content)))
}

/// A folder without links on the way, made if it is missing, name by name from the nearest that exists.
fn folder_made(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut missing = Vec::new();
    let mut existing = path;
    let mut folder = loop {
        match without_links(existing, flags) {
            Ok(folder) => break folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (Some(name), Some(above)) = (existing.file_name(), existing.parent()) else {
                    return Err(error);
                };
                missing.push(name);
                existing = above;
            }
            Err(error) => return Err(error),
        }
    };
    for name in missing.into_iter().rev() {
        folder = made_in(folder.as_fd(), name)?;
    }
    Ok(folder)
}

fn made_in(folder: impl AsFd, name: &OsStr) -> io::Result<File> {
    match mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}
