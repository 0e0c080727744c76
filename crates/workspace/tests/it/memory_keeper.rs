//! A disk in memory that fails, races and stalls when told to. Never touches a real file.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use document::{Author, Revision};
use workspace::SharedText;
use workspace::keeper::{Beginning, Displaced, Done, Entry, Keeper, KeeperError};

/// What the disk does instead of writing.
pub(crate) enum Fault {
    /// It says no.
    Fail,
    /// Somebody saved this text just before.
    Race(String),
    /// It panics, as a broken driver would.
    Panic,
    /// It takes this long.
    Stall(Duration),
}

/// Where a read stops, once.
pub(crate) struct Gate {
    pub(crate) reached: mpsc::Sender<()>,
    pub(crate) is_let_go: mpsc::Receiver<()>,
}

#[derive(Default)]
pub(crate) struct Disk {
    pub(crate) file: Option<String>,
    /// What the keeper read or wrote last.
    known: Option<String>,
    pub(crate) writes: usize,
    pub(crate) versions: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// How often operations were noted.
    pub(crate) notes: usize,
    /// What an owner goes on with.
    pub(crate) first_revision: Revision,
    pub(crate) done: Vec<Done>,
    pub(crate) faults: VecDeque<Fault>,
    /// Every write fails while this is set.
    pub(crate) is_broken: bool,
    pub(crate) is_unreadable: bool,
    /// The next read stops here when it has read.
    pub(crate) gate: Option<Gate>,
}

impl Disk {
    /// Another keeper begins, which has read nothing yet.
    pub(crate) fn forget(&mut self) {
        self.known = None;
    }
}

#[derive(Clone, Default)]
pub(crate) struct MemoryKeeper(pub(crate) Arc<Mutex<Disk>>);

impl MemoryKeeper {
    pub(crate) fn holding(text: &str) -> Self {
        let keeper = Self::default();
        keeper.with(|disk| disk.file = Some(text.to_string()));
        keeper
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Disk) -> T) -> T {
        let mut disk = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(&mut disk)
    }

    pub(crate) fn file(&self) -> String {
        self.with(|disk| disk.file.clone().unwrap())
    }

    pub(crate) fn save(&self, text: &str) {
        self.with(|disk| disk.file = Some(text.to_string()));
    }

    pub(crate) fn writes(&self) -> usize {
        self.with(|disk| disk.writes)
    }
}

impl Keeper for MemoryKeeper {
    fn read(&mut self) -> Result<Option<SharedText>, KeeperError> {
        let read = self.with(|disk| {
            if disk.is_unreadable {
                return Err(KeeperError::Io(io::Error::from(io::ErrorKind::PermissionDenied)));
            }
            let Some(file) = disk.file.clone() else { return Err(KeeperError::Gone) };
            if disk.known.as_ref() == Some(&file) {
                return Ok(None);
            }
            disk.known = Some(file.clone());
            Ok(Some(file.into()))
        });
        if let Some(Gate { reached, is_let_go }) = self.with(|disk| disk.gate.take()) {
            reached.send(()).unwrap();
            is_let_go.recv().unwrap();
        }
        read
    }

    fn write(&mut self, expected: &SharedText, text: &SharedText) -> Result<Displaced, KeeperError> {
        let fault = self.with(|disk| disk.faults.pop_front());
        match fault {
            Some(Fault::Fail) => return Err(KeeperError::Io(io::Error::from(io::ErrorKind::StorageFull))),
            Some(Fault::Race(save)) => self.save(&save),
            Some(Fault::Panic) => panic!("the driver broke"),
            Some(Fault::Stall(time)) => std::thread::sleep(time),
            None => {}
        }
        self.with(|disk| {
            if disk.is_broken {
                return Err(KeeperError::Io(io::Error::from(io::ErrorKind::StorageFull)));
            }
            let Some(stood) = disk.file.replace(text.to_string()) else {
                disk.file = None;
                return Err(KeeperError::Gone);
            };
            disk.writes += 1;
            disk.known = Some(text.to_string());
            disk.versions.push(text.to_string());
            Ok(if *expected == stood { Displaced::AsExpected } else { Displaced::Save(stood) })
        })
    }

    fn begin(&mut self, person: &Author) -> Result<Beginning, KeeperError> {
        let beginning = Beginning::new(self.read()?.unwrap_or_default(), person);
        Ok(self.with(|disk| Beginning {
            revision: disk.first_revision,
            written: disk.first_revision,
            requests: disk.done.clone(),
            ..beginning
        }))
    }

    fn note(&mut self, entries: &[Entry], _: &SharedText) -> Result<(), KeeperError> {
        self.with(|disk| {
            disk.notes += 1;
            disk.entries.extend_from_slice(entries);
        });
        Ok(())
    }
}
