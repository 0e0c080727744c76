//! Files and folders that only their owner may read, written whole. Never leaves half a file under its own name, and never
//! widens a mode that somebody made narrower.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names tried for a file beside another one.
const NAMES_MAX: usize = 10_000;

/// How the name of a file ends that is not whole yet.
pub(crate) const UNFINISHED: &str = "new";

/// Tells two writers of one process apart.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Makes the folder, for its owner alone, unless it is there. A link in its place is refused: it could lead anywhere.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    // Most often it is there, and to look is quicker than to try.
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only here is there a mode to set"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => {
            narrow(path, 0o700)?;
            sync_folder_of(path)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(path)?.is_dir() {
                return Ok(());
            }
            Err(io::Error::new(ErrorKind::NotADirectory, "something that is no folder has its name"))
        }
        Err(error) => Err(error),
    }
}

/// Opens the file to read and write, for its owner alone; makes it if it is not there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = options().read(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.len() == 0 {
        narrow_file(&file)?;
    }
    Ok(file)
}

/// Opens a file that is there, to read and write. A link is refused: it could lead anywhere.
pub(crate) fn open_present(path: &Path) -> io::Result<File> {
    options().read(true).open(path)
}

/// Makes a file that is not there yet, for its owner alone.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let file = options().read(true).create_new(true).open(path)?;
    narrow_file(&file)?;
    Ok(file)
}

/// As [`replace_named`], and the name is on the disk, too. Gives back the file that stands there now.
pub(crate) fn replace_with(
    path: &Path,
    parts: &[&[u8]],
    prepare: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<File> {
    let file = replace_named(path, parts, prepare)?;
    sync_folder_of(path)?;
    Ok(file)
}

/// Writes the parts, one after another, beside `path`, puts them on the disk, and then under the name, which itself comes to the
/// disk with whatever is next put into the folder. `prepare` sees the whole file before anyone else can.
pub(crate) fn replace_named(
    path: &Path,
    parts: &[&[u8]],
    prepare: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<File> {
    let (beside, mut file) = create_beside(path)?;
    let written = parts
        .iter()
        .try_for_each(|part| file.write_all(part))
        .and_then(|()| prepare(&file))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    match written {
        Ok(()) => Ok(file),
        Err(error) => {
            if fs::remove_file(&beside).is_err() {
                // The error that brought us here is being told; a file left over does no harm.
            }
            Err(error)
        }
    }
}

/// Replaces a small file whole; a crash leaves the old one or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, &[bytes], |_| Ok(())).map(drop)
}

/// Removes a file; one that is not there is as good.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    remove_all(&[path])
}

/// Removes files of one folder; one that is not there is as good.
pub(crate) fn remove_all(paths: &[&Path]) -> io::Result<()> {
    match paths.first() {
        Some(path) if forget_all(paths)? => sync_folder_of(path),
        Some(_) | None => Ok(()),
    }
}

/// The same for files that do no harm if a crash brings them back. Whether there were any.
pub(crate) fn forget_all(paths: &[&Path]) -> io::Result<bool> {
    let mut were_any = false;
    for path in paths {
        match fs::remove_file(path) {
            Ok(()) => were_any = true,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(were_any)
}

/// Copies `bytes`, which cannot be used, to a free name beside `path`.
pub(crate) fn keep_aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 1..=NAMES_MAX {
        let aside = named(path, &format!("damaged-{number}"));
        match create(&aside) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.sync_all()?;
                sync_folder_of(&aside)?;
                return Ok(aside);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many damaged files beside it; look at them and remove them"))
}

/// A name is on the disk only when its folder is.
#[cfg(unix)]
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
pub(crate) fn sync_folder_of(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether the name leads to this file, which nobody can have replaced by another of the same number as long as it is open.
#[cfg(unix)]
pub(crate) fn is_under(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok(found.dev() == own.dev() && found.ino() == own.ino()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
pub(crate) fn is_under(_path: &Path, _file: &File) -> io::Result<bool> {
    Ok(true)
}

/// Makes a file beside `path`. A name may be taken by what a killed process of the same number left behind, or by a process of
/// the same number in another container; it is left alone, for the latter may still be writing.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    for _ in 0..NAMES_MAX {
        let count = WRITES.fetch_add(1, Ordering::Relaxed);
        let beside = named(path, &format!("{}-{count}.{UNFINISHED}", std::process::id()));
        match create(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many unfinished files beside it; remove those that end in '.new'"))
}

fn named(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options
}

#[cfg(unix)]
fn narrow(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn narrow(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// The mode is asked for when the file is made, but a strict umask may have taken the owner's own bits.
#[cfg(unix)]
fn narrow_file(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn narrow_file(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn what_a_killed_process_of_the_same_number_left_behind_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for count in 0..200 {
            fs::write(folder.path().join(format!("a.{}-{count}.new", std::process::id())), "half").unwrap();
        }
        super::replace(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 201);
    }
}
