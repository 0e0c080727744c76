//! What is watched and how each document is, for `watch --status` in another process. Never holds a word of a document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::lock::{LockError, OwnerLock};
use crate::private;
use crate::sidecar::{FOLDER, Sidecar};

const NAME: &str = "watch.json";

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Status {
    /// The process that watches.
    pub process: u32,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The documents by their paths from the root.
    pub documents: BTreeMap<String, DocumentStatus>,
}

/// How a document is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentStatus {
    /// What is going on.
    pub state: State,
    /// How often in a row it was answered for changes that came meanwhile.
    pub cycles: u32,
    /// How often it was answered.
    pub answered: u64,
}

/// What is going on with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing.
    Idle,
    /// A sentence is unfinished, or another process has the turn.
    Waiting,
    /// It is being answered.
    Running,
    /// It is left alone until a person saves it, for this reason.
    Skipped(String),
    /// The last answer failed, for this reason.
    Failed(String),
}

/// The status of a project, if it is watched. What a process that died left behind counts as none.
#[must_use]
pub fn read(root: &Path) -> Option<Status> {
    let status: Status = serde_json::from_slice(&std::fs::read(root.join(FOLDER).join(NAME)).ok()?).ok()?;
    // A process of the same number may be anybody's. The one that watches holds the lock of the daemon.
    match OwnerLock::take(&Sidecar::find(root).ok()??.daemon_lock(), "agent-doc watch --status") {
        Err(LockError::Held(held)) if held.pid == status.process => Some(status),
        Ok(_) | Err(_) => None,
    }
}

/// Asks the process that watches to end.
///
/// # Errors
///
/// What the system says.
pub fn end(status: &Status) -> std::io::Result<()> {
    let process = i32::try_from(status.process).ok().and_then(rustix::process::Pid::from_raw);
    let process = process.ok_or(std::io::ErrorKind::NotFound)?;
    Ok(rustix::process::kill_process(process, rustix::process::Signal::TERM)?)
}

pub(super) fn clear(root: &Path) {
    // One that stays is known by its process to be of no use.
    drop(private::remove(&root.join(FOLDER).join(NAME)));
}

/// The status as it is kept up.
#[derive(Clone)]
pub(super) struct Board {
    path: Arc<PathBuf>,
    status: Arc<Mutex<Status>>,
}

impl Board {
    pub(super) fn new(root: &Path, since: u64) -> Board {
        let status = Status { process: std::process::id(), since, documents: BTreeMap::new() };
        Board { path: Arc::new(root.join(FOLDER).join(NAME)), status: Arc::new(Mutex::new(status)) }
    }

    /// Notes a document, without telling yet.
    pub(super) fn put(&self, path: &str, state: State) {
        let status = DocumentStatus { state, cycles: 0, answered: 0 };
        self.lock().documents.insert(path.to_owned(), status);
    }

    pub(super) fn set(&self, path: &str, state: State, cycles: u32, answered: u64) {
        let new = DocumentStatus { state, cycles, answered };
        let old = self.lock().documents.insert(path.to_owned(), new.clone());
        if old != Some(new) {
            self.show();
        }
    }

    /// Tells others. A status that cannot be written is only an older one.
    pub(super) fn show(&self) {
        let status = self.lock();
        if let Ok(bytes) = serde_json::to_vec(&*status) {
            drop(private::replace(&self.path, &bytes));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
