//! The operations on one document, each on the disk before it is acknowledged, and every text between them. Never changes
//! what is written, except that old operations are folded into a checkpoint; never throws damaged bytes away.
//!
//! The file is a checkpoint with the whole text, and then one record for each operation. A record that a crash cut off, or
//! that the disk changed, is found by its sum: all before it is used, the rest is kept beside the journal and reported.

mod error;
mod frame;
mod history;
mod pieces;
mod prune;
mod record;
mod replay;
mod scan;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use document::{Author, Document, Revision};

pub use error::JournalError;
pub use history::{Checkpoint, History, edits_between};
pub(crate) use pieces::Pieces;
pub use prune::Keep;

use crate::keeper::Entry;
use crate::private;
use error::{failed, misfit, too_long};
use history::Misfit;
use scan::{Scanned, scan};

/// How often a journal that is being replaced is looked for again.
const OPENINGS_MAX: usize = 100;

/// The journal of one document, open for writing. There is one at a time, in all processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Locked as long as the journal is open.
    file: File,
    /// Where the next record goes.
    length: u64,
    history: History,
    /// A write failed, so nobody knows what the file holds behind `length`.
    is_doubtful: bool,
}

/// What was found when a journal was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Operations that are there.
    pub entries: usize,
    /// Bytes that could not be used.
    pub torn_bytes: u64,
    /// Records in them, as far as they can be told apart.
    pub bad_frames: usize,
    /// Where those bytes are kept now.
    pub kept: Option<PathBuf>,
}

impl Journal {
    /// Begins a journal where there is none.
    pub fn begin(path: &Path, checkpoint: Checkpoint) -> Result<Journal, JournalError> {
        let history = History::begin(checkpoint).map_err(|_| misfit(path))?;
        let bytes = encoded(path, &history)?;
        let mut file = private::create(path).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => JournalError::Busy { path: path.to_owned() },
            _ => failed(path, source),
        })?;
        lock(path, &file)?;
        let written = file
            .write_all(&bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| private::sync_folder_of(path));
        written.map_err(|source| failed(path, source))?;
        let length = bytes.len() as u64;
        Ok(Journal { path: path.to_owned(), file, length, history, is_doubtful: false })
    }

    /// Opens a journal to go on with it. What cannot be used of it is kept beside it, and cut off.
    pub fn open(path: &Path) -> Result<(Journal, Recovered), JournalError> {
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| failed(path, source))?;
        if bytes.is_empty() {
            // One that began a journal died before it wrote anything.
            private::remove(path).map_err(|source| failed(path, source))?;
            return Err(JournalError::Absent { path: path.to_owned() });
        }
        let Scanned { history, trusted, damaged, bad_frames, lost_revision, is_unknown } = scan(bytes);
        if is_unknown {
            return Err(JournalError::Newer { path: path.to_owned() });
        }
        let keep = || private::keep_aside(path, &damaged).map_err(|source| failed(path, source));
        let Some(mut history) = history else {
            let kept = keep()?;
            private::remove(path).map_err(|source| failed(path, source))?;
            return Err(JournalError::Unreadable { path: path.to_owned(), kept, floor: lost_revision });
        };
        if let Some(revision) = settled_mark(path) {
            history.settle(revision);
        }
        let mut recovered = Recovered { entries: history.entries().len(), ..Recovered::default() };
        let is_lost = lost_revision > history.last_revision();
        history.raise_floor(lost_revision);
        let mut journal =
            Journal { path: path.to_owned(), file, length: trusted as u64, history, is_doubtful: false };
        if !damaged.is_empty() {
            recovered.kept = Some(keep()?);
            recovered.torn_bytes = damaged.len() as u64;
            recovered.bad_frames = bad_frames;
            if is_lost { journal.rewrite()? } else { journal.cut().map_err(|source| failed(path, source))? }
        }
        Ok((journal, recovered))
    }

    /// Notes, beside the journal, that the file holds the text of this revision. It is not put on the disk at once: a mark that a
    /// crash takes away only makes us more careful.
    pub fn settle(&mut self, revision: Revision) -> io::Result<()> {
        // Always as many digits, so that the file need not be cut: a file system may bring one that was cut to the disk at once.
        private::open(&settled_path(&self.path))?.write_all(format!("{revision:020}\n").as_bytes())?;
        self.history.settle(revision);
        Ok(())
    }

    /// Opens the journal, or begins one with the text that the document has now.
    pub fn open_or_begin(
        path: &Path,
        text: &str,
        author: &Author,
        time: u64,
    ) -> Result<(Journal, Recovered), JournalError> {
        match Journal::open(path) {
            Err(JournalError::Absent { .. }) => {
                let journal = Journal::begin(path, Checkpoint::new(0, text, author, time))?;
                Ok((journal, Recovered::default()))
            }
            Err(JournalError::Unreadable { kept, floor, .. }) => {
                let torn_bytes = fs::metadata(&kept).map_or(0, |kept| kept.len());
                let journal = Journal::begin(path, Checkpoint::new(floor + 1, text, author, time))?;
                Ok((journal, Recovered { entries: 0, torn_bytes, bad_frames: 1, kept: Some(kept) }))
            }
            other => other,
        }
    }

    /// What the journal holds, read without opening it: nothing is locked, cut or kept aside. Bytes at the end that cannot be
    /// used may be a record that is just being written.
    pub fn read(path: &Path) -> Result<(History, Recovered), JournalError> {
        let bytes = match fs::read(path) {
            Ok(bytes) if !bytes.is_empty() => bytes,
            Ok(_) => return Err(JournalError::Absent { path: path.to_owned() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(JournalError::Absent { path: path.to_owned() });
            }
            Err(source) => return Err(failed(path, source)),
        };
        let Scanned { history, damaged, bad_frames, is_unknown, .. } = scan(bytes);
        if is_unknown {
            return Err(JournalError::Newer { path: path.to_owned() });
        }
        let history = history.ok_or_else(|| {
            failed(path, io::Error::new(ErrorKind::InvalidData, "it is damaged from its beginning"))
        })?;
        let torn_bytes = damaged.len() as u64;
        let recovered = Recovered { entries: history.entries().len(), torn_bytes, bad_frames, kept: None };
        Ok((history, recovered))
    }

    /// The document as its last owner knew it, as [`History`] tells; it and the journal hold one copy of the text.
    pub fn document(&mut self, since: u64) -> Result<Document, JournalError> {
        if let Some(document) = self.history.document(since) {
            return Ok(document);
        }
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        read.map_err(|source| failed(&self.path, source))?;
        let (settled, floor) = (self.history.settled(), self.history.last_revision());
        self.history = scan(bytes).history.ok_or_else(|| misfit(&self.path))?;
        self.history.raise_floor(floor);
        settled.into_iter().for_each(|revision| self.history.settle(revision));
        Ok(self.history.plain_document())
    }

    /// What was done, and every text between.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Notes an operation. When this returns it is on the disk.
    pub fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        self.append_all(vec![entry])
    }

    /// Notes several operations with one wait for the disk: all of them, or, if this fails, none.
    pub fn append_all(&mut self, entries: Vec<Entry>) -> Result<(), JournalError> {
        self.add(entries, None)
    }

    /// The same for operations that led to `text`, which is held here without a copy where that can be.
    pub fn append_all_to(&mut self, entries: Vec<Entry>, text: &Arc<String>) -> Result<(), JournalError> {
        self.add(entries, Some(text))
    }

    fn add(&mut self, entries: Vec<Entry>, text: Option<&Arc<String>>) -> Result<(), JournalError> {
        let count = self.history.entries().len();
        let written = self.take_all(entries, text).and_then(|bytes| self.write(&bytes));
        if written.is_err() {
            self.history.truncate(count);
        }
        written
    }

    /// Folds operations that need not be kept into the checkpoint, and says how many they were.
    pub fn prune(&mut self, now: u64, keep: &Keep) -> Result<usize, JournalError> {
        let count = keep.expendable(&self.history, now, self.length);
        if count > 0 {
            let before = self.history.clone();
            self.history.fold(count);
            if let Err(error) = self.rewrite() {
                self.history = before;
                return Err(error);
            }
        }
        Ok(count)
    }

    /// Takes the operations into the history, and gives the records for the file.
    fn take_all(&mut self, entries: Vec<Entry>, text: Option<&Arc<String>>) -> Result<Vec<u8>, JournalError> {
        let mut bytes = Vec::new();
        let mut last = self.history.last_revision();
        for entry in &entries {
            let revision = entry.revision;
            if revision <= last {
                return Err(JournalError::OutOfOrder { revision, last });
            }
            last = revision;
            let content = record::write_entry(entry).map_err(|error| failed(&self.path, error.into()))?;
            if !frame::put(&mut bytes, &content) {
                return Err(too_long(&self.path));
            }
        }
        let entries = match text {
            Some(text) => match self.history.push_all_to(entries, text) {
                Ok(()) => return Ok(bytes),
                Err(entries) => entries,
            },
            None => entries,
        };
        let taken = self.history.push_all(entries);
        taken.map_err(|(revision, misfit)| match misfit {
            Misfit::Order => JournalError::OutOfOrder { revision, last },
            Misfit::Edits => JournalError::DoesNotFit { revision },
        })?;
        Ok(bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_doubtful {
            // After a failed write the system may have dropped pages it took for clean. Only a new file is sure.
            return self.rewrite();
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            self.is_doubtful = true;
            if self.cut().is_err() {
                // The journal is written anew before it is used again; until then a reader stops at the torn record.
            }
            return Err(failed(&self.path, source));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes the whole history to a new file that takes the place of the old one.
    fn rewrite(&mut self) -> Result<(), JournalError> {
        self.is_doubtful = true;
        let bytes = encoded(&self.path, &self.history)?;
        let prepare = |file: &File| file.try_lock().map_err(io::Error::from);
        let file = private::replace_with(&self.path, &[&bytes], prepare);
        self.file = file.map_err(|source| failed(&self.path, source))?;
        self.length = bytes.len() as u64;
        self.is_doubtful = false;
        Ok(())
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.sync_data()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread is just starting has the file open, too, for a moment.
        if self.file.unlock().is_err() {
            // It is free when that process has begun its own program.
        }
    }
}

/// Opens the file under the name and locks it. Another process may put a new file there between the two.
fn open_locked(path: &Path) -> Result<File, JournalError> {
    for _ in 0..OPENINGS_MAX {
        let file = match private::open_present(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(JournalError::Absent { path: path.to_owned() });
            }
            Err(source) => return Err(failed(path, source)),
        };
        lock(path, &file)?;
        if private::is_under(path, &file).map_err(|source| failed(path, source))? {
            return Ok(file);
        }
    }
    Err(JournalError::Busy { path: path.to_owned() })
}

fn lock(path: &Path, file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed(path, source)),
    }
}

fn encoded(path: &Path, history: &History) -> Result<Vec<u8>, JournalError> {
    let broken = |error: serde_json::Error| failed(path, error.into());
    let mut bytes = Vec::new();
    let mut fits = frame::put(&mut bytes, &record::write_checkpoint(&history.checkpoint()).map_err(broken)?);
    for entry in history.entries() {
        fits &= frame::put(&mut bytes, &record::write_entry(entry).map_err(broken)?);
    }
    if fits { Ok(bytes) } else { Err(too_long(path)) }
}

fn settled_path(journal: &Path) -> PathBuf {
    let mut name = journal.file_name().unwrap_or_default().to_owned();
    name.push(".settled");
    journal.with_file_name(name)
}

/// The revision of which it was noted that the file holds it. Half a number has no line end, and is none.
fn settled_mark(journal: &Path) -> Option<Revision> {
    fs::read_to_string(settled_path(journal)).ok()?.strip_suffix('\n')?.parse().ok()
}
