//! The file system of this machine. Never holds state: what it knows, it asks for.

use std::fs::{File, Metadata};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::disk::{Disk, Glimpse, Kind, Like, Look};
#[cfg(not(target_os = "linux"))]
use super::elsewhere as system;
#[cfg(target_os = "linux")]
use super::linux as system;

/// How much of a file is shown at a time: little enough to stay in the processor's own memory.
#[cfg(target_os = "linux")]
const PIECE: usize = 64 << 10;

/// The real disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    type File = File;

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        let metadata = std::fs::symlink_metadata(path)?;
        Ok(Look { is_writable: system::is_writable(path, &metadata), ..look(&metadata) })
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        let file = system::open(path)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    fn glimpse(&self, file: &File, limit: u64) -> io::Result<Glimpse> {
        system::glimpse(file, limit)
    }

    fn show(&self, file: &File, wants: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
        system::show(file, wants)
    }

    fn create(&self, path: &Path, like: Like<'_>, bytes: &[u8]) -> io::Result<()> {
        let mut file = system::create(path, like)?;
        file.write_all(bytes)?;
        if let Like::File(like) = like {
            system::copy_metadata(like, &file)?;
        }
        file.sync_all()
    }

    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::options().write(true).truncate(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        system::exchange(one, other)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        system::place(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Windows opens no folders, and keeps names without being asked.
        if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn is_running(&self, process: u32) -> bool {
        process != std::process::id() && system::is_running(process)
    }
}

/// What the file holds, taken for whole; proving that is the caller's.
pub(super) fn contents(file: &File, limit: u64) -> io::Result<Glimpse> {
    let length = file.metadata()?.len();
    if length > limit {
        return Ok(Glimpse::TooLong(length));
    }
    // Room for one byte more than there is, so that one that grows is seen.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + 1);
    let mut reader = file;
    reader.seek(SeekFrom::Start(0))?;
    system::fill(reader, &mut bytes)?;
    Ok(if bytes.len() as u64 > length { Glimpse::Busy } else { Glimpse::Quiet(bytes) })
}

/// Shows the file in pieces; whether it was wanted to its end. A long text takes no room of its own this way.
#[cfg(target_os = "linux")]
pub(super) fn pieces(file: &File, wants: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
    let mut reader = file;
    reader.seek(SeekFrom::Start(0))?;
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        system::fill(reader, &mut piece)?;
        if piece.is_empty() {
            return Ok(true);
        }
        if !wants(&piece) {
            return Ok(false);
        }
    }
}

/// What the file holds where nobody can say whether it is being written.
pub(super) fn unsure(file: &File, limit: u64) -> io::Result<Glimpse> {
    let before = look(&file.metadata()?);
    Ok(match contents(file, limit)? {
        Glimpse::Quiet(bytes) if look(&file.metadata()?) == before => Glimpse::Unsure(bytes, before),
        Glimpse::Quiet(_) => Glimpse::Busy,
        other => other,
    })
}

fn look(metadata: &Metadata) -> Look {
    let kind = match metadata.file_type() {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    };
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let (device, inode, links) = system::identity(metadata);
    Look {
        kind,
        device,
        inode,
        size: metadata.len(),
        modified: modified.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or_default()),
        links,
        is_writable: true,
        keeps_owner: system::keeps_owner(metadata),
    }
}
