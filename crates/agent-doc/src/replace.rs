//! Writes a whole file at once: beside it, then over it, so that a reader or a crash sees the old text or the new one.
//! Never changes a file in place, and never writes over what someone saved after we read it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// Links are followed this far, as the system itself does; more are a circle.
const LINKS_MAX: usize = 40;
/// Names tried for the file beside.
const NAMES_MAX: usize = 100;

/// Where a text goes, with links followed.
#[derive(Debug)]
pub(crate) struct Destination {
    path: PathBuf,
    /// What is there now, if anything is.
    present: Option<Metadata>,
}

impl Destination {
    /// Looks at what `path` names. A link that leads nowhere yet names the file it leads to.
    pub(crate) fn find(given: &Path) -> Result<Self> {
        let mut path = given.to_owned();
        for _ in 0..LINKS_MAX {
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => {
                    // A device may be a link that has no name to follow, such as `/dev/stdout`.
                    if fs::metadata(&path).is_ok_and(|target| !target.is_file() && !target.is_dir()) {
                        return Ok(Self { path, present: None });
                    }
                    let target = fs::read_link(&path).with_context(|| unwritable(&path, CHECK_PATH))?;
                    path.set_file_name(target);
                }
                Ok(found) if found.is_dir() => {
                    let what = format!("{} is a folder", path.display());
                    return Err(Refusal::new(what, "name a file in it").into());
                }
                Ok(found) if found.permissions().readonly() => {
                    let remedy = "make it writable, or write to another file";
                    return Err(Refusal::new(format!("{} is read-only", path.display()), remedy).into());
                }
                Ok(found) => {
                    let present = Some(found);
                    return Ok(Self { path, present });
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self { path, present: None }),
                Err(error) => return Err(error).with_context(|| unwritable(&path, CHECK_PATH)),
            }
        }
        let what = format!("{} is a link that leads back to itself", given.display());
        Err(Refusal::new(what, "make it a file, or write to another one").into())
    }

    /// Whether `path` names the same file.
    pub(crate) fn is(&self, path: &Path) -> bool {
        match (fs::canonicalize(&self.path), fs::canonicalize(path)) {
            (Ok(own), Ok(other)) => own == other,
            _ => false,
        }
    }

    /// Whether it can be replaced by another file; a pipe or a device can only be written to.
    fn is_replaceable(&self) -> bool {
        match &self.present {
            Some(present) => present.is_file(),
            None => fs::symlink_metadata(&self.path).is_err(),
        }
    }
}

const CHECK_PATH: &str = "check the path";

/// Writes `text`; `read` is what stood there when we read it, if we did.
pub(crate) fn replace(destination: &Destination, text: &str, read: Option<&str>) -> Result<()> {
    let path = &destination.path;
    if !destination.is_replaceable() {
        return fs::write(path, text).with_context(|| unwritable(path, CHECK_PATH));
    }
    let mut beside = Beside::create(path)?;
    beside
        .fill(text, destination.present.as_ref())
        .with_context(|| unwritable(path, "look whether the disk is full"))?;
    if let Some(read) = read {
        let now = fs::read(path).with_context(|| unwritable(path, CHECK_PATH))?;
        if now != read.as_bytes() {
            let what = format!("{} was changed meanwhile", path.display());
            return Err(Refusal::new(what, "nothing was written; try again").into());
        }
    }
    beside.take_over(path)
}

/// A file beside the one to replace, in the same folder because only there it can take over in one step. It is removed
/// unless it does.
#[derive(Debug)]
struct Beside {
    path: PathBuf,
    file: File,
    took_over: bool,
}

impl Beside {
    fn create(target: &Path) -> Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let process = std::process::id();
        for attempt in 0..NAMES_MAX {
            let path = folder_of(target).join(format!(".{name}.{process}-{attempt}.agent-doc"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let took_over = false;
                    return Ok(Self { path, file, took_over });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| unwritable(target, folder_remedy(target))),
            }
        }
        let remedy = "remove the files that end in '.agent-doc' from its folder";
        Err(unwritable(target, remedy).into())
    }

    /// Writes the text and gives the file the owner and mode of the one it replaces.
    fn fill(&mut self, text: &str, replaced: Option<&Metadata>) -> IoResult<()> {
        if let Some(replaced) = replaced {
            give_to_owner(&self.file, replaced)?;
            self.file.set_permissions(replaced.permissions())?;
        }
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()
    }

    fn take_over(mut self, target: &Path) -> Result<()> {
        fs::rename(&self.path, target).with_context(|| unwritable(target, CHECK_PATH))?;
        self.took_over = true;
        sync_folder(target).with_context(|| unwritable(target, "look whether the disk still works"))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.took_over && fs::remove_file(&self.path).is_err() {
            // The error that brought us here is being told; a file left over does no harm.
        }
    }
}

#[cfg(unix)]
fn give_to_owner(file: &File, replaced: &Metadata) -> IoResult<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let own = file.metadata()?;
    let group_kept = own.gid() == replaced.gid() || fchown(file, None, Some(replaced.gid())).is_ok();
    let owner_kept = own.uid() == replaced.uid() || fchown(file, Some(replaced.uid()), None).is_ok();
    if !(group_kept && owner_kept) {
        // Only root may give files away. The text matters more than whose name is on it.
    }
    Ok(())
}

#[cfg(not(unix))]
fn give_to_owner(_file: &File, _replaced: &Metadata) -> IoResult<()> {
    Ok(())
}

/// The new name is on the disk only when its folder is.
#[cfg(unix)]
fn sync_folder(target: &Path) -> IoResult<()> {
    File::open(folder_of(target))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_target: &Path) -> IoResult<()> {
    Ok(())
}

/// The folder of a file; a bare name is in the current one.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn folder_remedy(target: &Path) -> String {
    let folder = folder_of(target).display();
    format!("the folder {folder} must be there and writable, because the file is replaced as a whole")
}

fn unwritable(path: &Path, remedy: impl Into<String>) -> Refusal {
    Refusal::new(format!("cannot write {}", path.display()), remedy)
}
