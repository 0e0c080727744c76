//! What the store needs of Linux beyond the standard library. Never follows a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{Access, AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Uid};
use rustix::io::Errno;
use rustix::process::{Pid, getegid, geteuid, getgroups};
use xattr::FileExt as _;

use super::disk::{Glimpse, Like};
use super::real::{contents, pieces};
use crate::kernel::Lease;

/// Attributes that go along with a document: the user's own, access lists, and the label of a guarded system.
const KEPT_ATTRIBUTES: [&str; 2] = ["system.posix_acl_access", "security.selinux"];
const KEPT_PREFIX: &str = "user.";
const WRITERS: u32 = 0o222;

pub(super) fn open(path: &Path) -> io::Result<File> {
    straight(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW, Mode::empty())
}

pub(super) fn create(path: &Path, like: Like<'_>) -> io::Result<File> {
    // What is to be like another file is nobody's business until it is.
    let mode = if like == Like::New { 0o666 } else { 0o600 };
    straight(path, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, Mode::from_raw_mode(mode))
}

/// Opens a path that had no link in it when the document was opened. If a folder of it has become a link since, that fails, even if
/// it happened a moment ago: a link could lead out of the project.
fn straight(path: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC;
    match rustix::fs::openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // A kernel or a sandbox without the call; the store compares the folder before each step all the same.
        Err(Errno::NOSYS | Errno::PERM) => Ok(rustix::fs::open(path, flags, mode)?.into()),
        Err(error) => Err(error.into()),
    }
}

/// The folder of a path, held, so that names in it are names in it whatever its own name leads to; and the last part of the path.
fn held(path: &Path) -> io::Result<(File, &OsStr)> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Ok((straight(folder, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?, name))
}

/// Renames between two names in one folder.
fn renamed(from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
    if from.parent() != to.parent() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let ((folder, from), to) = (held(from)?, to.file_name().unwrap_or_default());
    Ok(rustix::fs::renameat_with(&folder, from, &folder, to, flags)?)
}

pub(super) fn glimpse(file: &File, limit: u64) -> io::Result<Glimpse> {
    let lease = match Lease::take(file) {
        Ok(lease) => lease,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Glimpse::Busy),
        Err(_) => return super::real::unsure(file, limit),
    };
    let glimpse = contents(file, limit)?;
    Ok(if lease.is_kept() { glimpse } else { Glimpse::Busy })
}

pub(super) fn show(file: &File, wants: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
    // Who is writing, and what to do where leases do not work, is found out on the longer way.
    let Ok(lease) = Lease::take(file) else { return Ok(false) };
    Ok(pieces(file, wants)? && lease.is_kept())
}

/// Reads on until the file ends or there is no more room.
pub(super) fn fill(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    while bytes.len() < bytes.capacity() {
        match rustix::io::read(file, spare_capacity(bytes)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

pub(super) fn is_writable(path: &Path, metadata: &std::fs::Metadata) -> bool {
    let answer = rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
    // A file that is gone is not read-only: an editor moves it aside and writes another. The second question is for root, who may
    // write what nobody should.
    !matches!(answer, Err(Errno::ACCESS | Errno::ROFS | Errno::PERM)) && metadata.mode() & WRITERS != 0
}

pub(super) fn keeps_owner(metadata: &std::fs::Metadata) -> bool {
    let user = geteuid();
    if user.is_root() {
        return true;
    }
    let group = Gid::from_raw(metadata.gid());
    let is_member = group == getegid() || getgroups().is_ok_and(|groups| groups.contains(&group));
    Uid::from_raw(metadata.uid()) == user && is_member
}

/// Owner first, because a change of owner takes away bits of the mode; the access list last, because it refines the mode.
pub(super) fn copy_metadata(from: &Path, to: &File) -> io::Result<()> {
    let source = open(from)?;
    let metadata = source.metadata()?;
    let made = to.metadata()?;
    if (made.uid(), made.gid()) != (metadata.uid(), metadata.gid()) {
        rustix::fs::fchown(to, Some(Uid::from_raw(metadata.uid())), Some(Gid::from_raw(metadata.gid())))?;
    }
    rustix::fs::fchmod(to, Mode::from_raw_mode(metadata.mode()))?;
    let names = match source.list_xattr() {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
        Err(error) => return Err(error),
    };
    for name in names {
        let shown = name.to_string_lossy();
        let is_kept = shown.starts_with(KEPT_PREFIX) || KEPT_ATTRIBUTES.contains(&shown.as_ref());
        if let Some(value) = source.get_xattr(&name)?.filter(|_| is_kept)
            && to.get_xattr(&name)?.as_ref() != Some(&value)
        {
            to.set_xattr(&name, &value)?;
        }
    }
    Ok(())
}

pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    renamed(one, other, RenameFlags::EXCHANGE)
}

pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    renamed(from, to, RenameFlags::NOREPLACE)
}

pub(super) fn identity(metadata: &std::fs::Metadata) -> (u64, u64, u64) {
    (metadata.dev(), metadata.ino(), metadata.nlink())
}

pub(super) fn is_running(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(Errno::SRCH))
}
