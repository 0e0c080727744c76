//! One document's file: opened once, then read and written through here only. Never used from two tasks at once, and never opened
//! twice by one process.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::{Disk, Kind, Like, Look};
use super::held::Held;
use super::leftover;
use super::name::Names;
use super::quiet::{self, Patience, Pauses};
use super::real::RealDisk;
use crate::SharedText;
use crate::keeper::{Displaced, Entry, Keeper, KeeperError};

/// Documents may have this many bytes unless the options say otherwise.
const LENGTH_MAX: u64 = 16 << 20;

/// How a file is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many bytes it may have.
    pub limit: u64,
    /// How long to wait for other programs.
    pub patience: Patience,
    /// The folder that it must lie in, after all links.
    pub root: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options { limit: LENGTH_MAX, patience: Patience::default(), root: None }
    }
}

/// A file that was opened.
pub struct Opened<D: Disk = RealDisk> {
    /// The file.
    pub file: StoredFile<D>,
    /// What it holds.
    pub text: SharedText,
    /// Texts that a process left beside it when it ended, and that are not in the file: perhaps somebody's save. They stay on the
    /// disk until [`StoredFile::leftovers_absorbed`] is called.
    pub leftovers: Vec<String>,
    /// A process ended while it wrote the file in place, so that what the file holds may be cut off. The text before is among the
    /// left-over ones.
    pub is_torn: bool,
}

/// Something that a person should know about how a file is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Remark {
    /// Written in place.
    #[error(
        "{0} has several names or another owner; it is written in place, and a copy is kept beside it meanwhile"
    )]
    InPlace(PathBuf),
    /// The file system cannot exchange two files.
    #[error(
        "{0} is on a file system that cannot exchange files; a save in the same millisecond may be missed"
    )]
    NoExchange(PathBuf),
    /// A displaced file is no text.
    #[error("{0} was found beside the document and is no text; look at it and remove it")]
    Unreadable(PathBuf),
}

/// The file of one document.
pub struct StoredFile<D: Disk = RealDisk> {
    pub(super) disk: D,
    pub(super) path: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) names: Names,
    pub(super) options: Options,
    pub(super) generation: u64,
    /// What the file holds, as far as the caller was told.
    pub(super) known: Option<SharedText>,
    /// The file as it was when it held the known text for certain.
    pub(super) seen: Option<Look>,
    /// The sum of our last write, and how the file was then.
    pub(super) written: Option<(Look, u64)>,
    /// The sum of a save that was handed out and is still in the file.
    pub(super) given: Option<u64>,
    pub(super) can_exchange: bool,
    pub(super) held: Vec<Held<D::File>>,
    /// Displaced files that could not even be opened yet.
    pub(super) unopened: Vec<PathBuf>,
    pub(super) late: Vec<String>,
    pub(super) leftovers: Vec<PathBuf>,
    pub(super) remarks: Vec<Remark>,
}

impl StoredFile {
    /// Opens the file that a path leads to.
    pub fn open(path: &Path, options: Options) -> Result<Opened, KeeperError> {
        StoredFile::open_on(RealDisk, path, options)
    }
}

impl<D: Disk> StoredFile<D> {
    /// Opens a file of the given disk.
    pub fn open_on(disk: D, path: &Path, options: Options) -> Result<Opened<D>, KeeperError> {
        let path = disk.resolve(path).map_err(|error| failed("find", path, &error))?;
        if let Some(root) = &options.root {
            let root = disk.resolve(root).map_err(|error| failed("find", root, &error))?;
            if !path.starts_with(&root) {
                return Err(refused("lies outside of the project; open it by itself"));
            }
        }
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut file = StoredFile {
            names: Names::beside(&path),
            disk,
            folder,
            path,
            options,
            generation: 0,
            // At first an empty file is nothing to wonder about.
            known: Some(SharedText::default()),
            seen: None,
            written: None,
            given: None,
            can_exchange: true,
            held: Vec::new(),
            unopened: Vec::new(),
            late: Vec::new(),
            leftovers: Vec::new(),
            remarks: Vec::new(),
        };
        let (look, (_, text)) = (file.wait_for_name()?, file.current()?);
        let (leftovers, is_torn) = leftover::gather(&mut file, &text)?;
        file.know(&text, look);
        Ok(Opened { file, text, leftovers, is_torn })
    }

    /// Where the file is, after all links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a person should know; each is said once.
    pub fn remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    /// Whether the file is as our last write left it, so that news of a change need not be looked into.
    pub fn is_own(&self) -> bool {
        let Some((look, sum_written)) = self.written else { return false };
        let is_same =
            |now: Look| (now.inode, now.size, now.modified) == (look.inode, look.size, look.modified);
        // Two writes may carry the same time, so the content has the last word.
        self.disk.look(&self.path).is_ok_and(is_same)
            && self.news().is_ok_and(|(_, other)| {
                let text = other.or_else(|| self.known.clone());
                text.is_some_and(|text| text.sum().value() == sum_written)
            })
    }

    /// The caller has taken in the texts that were left over; they may go.
    pub fn leftovers_absorbed(&mut self) -> Result<(), KeeperError> {
        for path in std::mem::take(&mut self.leftovers) {
            leftover::discard(&self.disk, &path)?;
        }
        Ok(())
    }

    /// Makes the file anew after it was deleted, if somebody wants that. Never replaces one that has come back meanwhile.
    pub fn restore(&mut self, text: &SharedText) -> Result<(), KeeperError> {
        let whole = self.make([0, text.sum().value()], Like::New, text)?;
        let look = self.disk.look(&whole);
        let placed = self.disk.place(&whole, &self.path);
        if let Err(error) = placed {
            self.discard_quietly(&whole);
            return Err(failed("restore", &self.path, &error));
        }
        self.disk.sync_folder(&self.folder).map_err(|error| failed("restore", &self.path, &error))?;
        self.settle_on(text, look.ok());
        Ok(())
    }

    /// The file and its text, waited for.
    pub(super) fn current(&self) -> Result<(D::File, SharedText), KeeperError> {
        let (file, news) = self.news()?;
        Ok((file, news.or_else(|| self.known.clone()).unwrap_or_default()))
    }

    /// The file, waited for, and its text, if that is not the one that is known.
    fn news(&self) -> Result<(D::File, Option<SharedText>), KeeperError> {
        self.check(&self.wait_for_name()?)?;
        let mut pauses = Pauses::within(self.options.patience.missing);
        let file = loop {
            match self.disk.open(&self.path) {
                Ok(file) => break file,
                Err(error) if error.kind() == io::ErrorKind::NotFound && pauses.pause() => {}
                Err(error) => return Err(failed("read", &self.path, &error)),
            }
        };
        let text = self.other_than(self.known.as_deref(), &file)?;
        Ok((file, text.map(SharedText::from)))
    }

    /// The text of an open file, waited for.
    pub(super) fn text_of(&self, file: &D::File) -> Result<String, KeeperError> {
        Ok(self.other_than(Some(""), file)?.unwrap_or_default())
    }

    /// The text of an open file, waited for, if it is another one than before.
    pub(super) fn other_than(
        &self,
        before: Option<&str>,
        file: &D::File,
    ) -> Result<Option<String>, KeeperError> {
        let read = quiet::read(&self.disk, file, before, &self.options.patience, self.options.limit);
        read.map_err(|error| match error {
            KeeperError::Io(error) => failed("read", &self.path, &error),
            other => other,
        })
    }

    /// What stands at the path. An editor that has moved the old file aside is given time to write the new one.
    pub(super) fn wait_for_name(&self) -> Result<Look, KeeperError> {
        let mut pauses = Pauses::within(self.options.patience.missing);
        loop {
            match self.disk.look(&self.path) {
                Ok(look) => return Ok(look),
                Err(error) if error.kind() == io::ErrorKind::NotFound && pauses.pause() => {}
                Err(error) => return Err(failed("find", &self.path, &error)),
            }
        }
    }

    pub(super) fn check(&self, look: &Look) -> Result<(), KeeperError> {
        let why = match look.kind {
            Kind::File if !look.is_writable => "is read-only; make it writable and try again",
            Kind::File => return self.check_folder(look),
            Kind::Folder => "is a folder now; move it away and try again",
            Kind::Link => "is a link now; open the file that it leads to",
            Kind::Other => "is no regular file; move it away and try again",
        };
        Err(refused(why))
    }

    fn check_folder(&self, look: &Look) -> Result<(), KeeperError> {
        let real = self.disk.resolve(&self.folder).map_err(|error| failed("find", &self.folder, &error))?;
        if real != self.folder {
            return Err(refused(
                "lies in a folder that a link leads to now; put the folder back, or open it there",
            ));
        }
        let folder = self.disk.look(&self.folder).map_err(|error| failed("find", &self.folder, &error))?;
        if folder.device == look.device {
            return Ok(());
        }
        Err(refused("is mounted by itself; open it in the folder where it lies"))
    }

    /// What the file holds is to be found out anew.
    pub(super) fn forget(&mut self) {
        (self.known, self.seen) = (None, None);
    }

    /// The file held this text, and looked so before that was read.
    fn know(&mut self, text: &SharedText, look: Look) {
        (self.known, self.seen) = (Some(text.clone()), Some(look));
    }

    /// From now on the file holds this text, and the caller knows. It looked so before anybody else could write in it.
    pub(super) fn settle_on(&mut self, text: &SharedText, look: Option<Look>) {
        (self.known, self.seen) = (Some(text.clone()), look);
        self.given = None;
        self.written = look.map(|look| (look, text.sum().value()));
    }
}

impl<D: Disk> Keeper for StoredFile<D> {
    fn read(&mut self) -> Result<Option<SharedText>, KeeperError> {
        self.read_held();
        if let Some(save) = self.late.pop() {
            // It is not what the file holds: the next read says that again.
            self.known = None;
            return Ok(Some(save.into()));
        }
        let look = self.wait_for_name()?;
        let Some(text) = self.news()?.1 else {
            self.seen = Some(look);
            return Ok(None);
        };
        self.given = Some(text.sum().value());
        self.know(&text, look);
        Ok(Some(text))
    }

    fn glance(&mut self) -> Result<Option<SharedText>, KeeperError> {
        self.read_held();
        let is_still = |look: Look| self.seen == Some(look);
        if self.late.is_empty() && self.known.is_some() && self.disk.look(&self.path).is_ok_and(is_still) {
            return Ok(None);
        }
        self.read()
    }

    fn is_as_we_left_it(&self) -> bool {
        let is_still = |look: Look| self.written.is_some_and(|(written, _)| look == written);
        self.disk.look(&self.path).is_ok_and(is_still)
    }

    fn write(&mut self, expected: &SharedText, text: &SharedText) -> Result<Displaced, KeeperError> {
        self.replace(expected, text)
    }

    /// A file alone remembers nothing; a project puts a journal beside it.
    fn note(&mut self, _: &[Entry], _: &SharedText) -> Result<(), KeeperError> {
        Ok(())
    }

    fn rest(&mut self) {
        self.shed(0);
    }

    fn tend(&mut self) -> Option<Duration> {
        self.read_held();
        self.next_look()
    }
}

/// Named by what it is and not by its place, which callers know and agents need not.
pub(super) fn refused(why: &str) -> KeeperError {
    KeeperError::Refused { reason: format!("the file {why}") }
}

/// The error with the file and what to do, of the same kind as before.
pub(super) fn failed(what: &str, path: &Path, error: &io::Error) -> KeeperError {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => return KeeperError::Gone,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on the disk; it is tried again"
        }
        io::ErrorKind::PermissionDenied => "allow writing in the file and in its folder",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only; mount it for writing",
        io::ErrorKind::AlreadyExists => "another program made a file of this name; nothing was replaced",
        _ => "it is tried again; if it stays, look at the disk",
    };
    let message = format!("cannot {what} {}: {error}; {remedy}", path.display());
    KeeperError::Io(io::Error::new(error.kind(), message))
}
