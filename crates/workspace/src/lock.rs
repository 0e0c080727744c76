//! One turn on a document at a time, and one process that has it open. Never waits without end, and never outlives its process:
//! the system takes the lock back from one that died.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::private;
use crate::store::{Disk as _, RealDisk};

/// A note of a turn is no longer than this.
const NOTE_MAX: u64 = 4096;
/// How long a lock is waited for whose holder is dead.
const LEFT_MAX: Duration = Duration::from_secs(2);
/// How long to wait before a lock is tried again, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(16));

/// The right to a turn on one document, until it is dropped.
#[derive(Debug)]
pub struct TurnLock {
    file: File,
}

/// Who has the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The name that it gave itself.
    pub by: String,
    /// Its process.
    pub pid: u32,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
}

/// Why there is no turn now.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another one has it.
    #[error("{} (process {}) is working on this document; wait until it is done, or end it", .0.by, .0.pid)]
    Held(Held),
    /// The system said no.
    #[error("{} cannot be locked; look who owns it", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl TurnLock {
    /// Takes the turn, under a name that others are told. One that a dead process had is waited for, but not for long: a process that
    /// it was just starting has the lock, too, until it begins its own program.
    pub fn take(path: &Path, by: &str, since: u64) -> Result<TurnLock, LockError> {
        let (begun, (mut pause, longest)) = (Instant::now(), PAUSES);
        loop {
            match TurnLock::attempt(path, by, since) {
                Err(LockError::Held(held)) if is_dead(held.pid) && begun.elapsed() < LEFT_MAX => {
                    std::thread::sleep(pause);
                }
                taken => return taken,
            }
            pause = (pause * 2).min(longest);
        }
    }

    fn attempt(path: &Path, by: &str, since: u64) -> Result<TurnLock, LockError> {
        let failed = |source: io::Error| LockError::Io { path: path.to_owned(), source };
        let mut file = private::open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {
                let held = Held { by: by.to_owned(), pid: std::process::id(), since };
                note(&mut file, &held).map_err(failed)?;
                Ok(TurnLock { file })
            }
            Err(TryLockError::WouldBlock) => Err(LockError::Held(holder(&mut file))),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

impl TurnLock {
    /// Takes the turn as soon as it is free. Blocks, but no longer than `patience`.
    pub fn wait(path: &Path, by: &str, since: u64, patience: Duration) -> Result<TurnLock, LockError> {
        let (begun, (mut pause, longest)) = (Instant::now(), PAUSES);
        loop {
            match TurnLock::take(path, by, since) {
                Err(LockError::Held(_)) if begun.elapsed() < patience => std::thread::sleep(pause),
                taken => return taken,
            }
            pause = (pause * 2).min(longest);
        }
    }
}

impl Drop for TurnLock {
    fn drop(&mut self) {
        if self.file.set_len(0).is_err() {
            // The note is only for those who find the lock taken, and from now on it is free.
        }
        // Closing is not enough: a process that another thread is just starting has the file open, too, for a moment.
        if self.file.unlock().is_err() {
            // It is free when that process has begun its own program.
        }
    }
}

/// The right to have a document open, or to serve a project, until it is dropped.
#[derive(Debug)]
pub struct OwnerLock {
    _held: TurnLock,
}

impl OwnerLock {
    /// Takes the lock if it is free.
    pub fn take(path: &Path, by: &str) -> Result<OwnerLock, LockError> {
        TurnLock::take(path, by, now()).map(|held| OwnerLock { _held: held })
    }

    /// Takes the lock as soon as it is free. Blocks, but no longer than `patience`.
    pub fn wait(path: &Path, by: &str, patience: Duration) -> Result<OwnerLock, LockError> {
        TurnLock::wait(path, by, now(), patience).map(|held| OwnerLock { _held: held })
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn note(file: &mut File, held: &Held) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&serde_json::to_vec(held)?)
}

/// Whether there is no such process any more. One that did not say its number yet lives.
fn is_dead(process: u32) -> bool {
    process != 0 && process != std::process::id() && !RealDisk.is_running(process)
}

/// Who has the lock, as far as it has said so yet.
fn holder(file: &mut File) -> Held {
    let mut text = String::new();
    let read = file.take(NOTE_MAX).read_to_string(&mut text);
    let held = read.ok().and_then(|_| serde_json::from_str(&text).ok());
    held.unwrap_or_else(|| Held { by: "another agent-doc".to_owned(), pid: 0, since: 0 })
}
