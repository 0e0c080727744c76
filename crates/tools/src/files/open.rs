//! Opening what was weighed. Never follows a link, and never waits for a pipe.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};

/// What stands at a path.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A plain file, and its length.
    File(File, u64),
    /// A folder.
    Folder,
    /// A pipe, a socket or a device.
    Other,
    /// Nothing.
    Missing,
}

/// Opens a path without links in it.
pub(crate) fn opened(path: &Path) -> io::Result<Opened> {
    // Looked at before it is opened: opening a device can do something.
    let kind = match path.symlink_metadata() {
        Ok(metadata) => metadata.file_type(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Opened::Missing);
        }
        Err(error) => return Err(error),
    };
    if kind.is_dir() {
        return Ok(Opened::Folder);
    }
    if !kind.is_file() && !kind.is_symlink() {
        return Ok(Opened::Other);
    }
    let file = without_links(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Opened::Other);
    }
    let length = metadata.len();
    Ok(Opened::File(file, length))
}

/// The content of a file that may not be longer than `limit`.
pub(crate) fn read_whole(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(limit + 1).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
    }
    Ok(content)
}

#[cfg(target_os = "linux")]
pub(super) fn without_links(path: &Path, flags: OFlags) -> io::Result<File> {
    use rustix::fs::{ResolveFlags, openat2};
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS) {
        Ok(file) => Ok(file.into()),
        // A kernel or a sandbox without the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => by_looking_twice(path, flags),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn without_links(path: &Path, flags: OFlags) -> io::Result<File> {
    by_looking_twice(path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC)
}

/// For systems that cannot do it in one step.
fn by_looking_twice(path: &Path, flags: OFlags) -> io::Result<File> {
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
    if path.canonicalize()? != path {
        return Err(rustix::io::Errno::LOOP.into());
    }
    Ok(file.into())
}
