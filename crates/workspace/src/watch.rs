//! Hears when files change outside of us, and says so once they are quiet. Never reads a document, and never watches a file
//! itself: editors save by renaming, so the inode that was watched may be gone.

mod polling;
mod quiet;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

use polling::Polling;
use quiet::Quiet;

/// How many raw events may wait; beyond that everything is looked at again.
const RAW_MAX: usize = 4096;
/// How many files may be waiting to become quiet.
const PENDING_MAX: usize = 4096;
/// How many wishes may wait for the task.
const INTERESTS_MAX: usize = 4096;
/// How many signals may wait for the listener.
const SIGNALS_MAX: usize = 256;

/// What the watcher says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// This file is not what it was, or is new, or gone.
    FileChanged(PathBuf),
    /// Something was missed; look at all files.
    Rescan,
}

/// How changes are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From the system; by polling where that fails.
    System,
    /// By polling.
    Polling,
}

/// Whether a file holds what we wrote ourselves, by its fingerprint.
pub type IsOurs = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// How to watch.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a file must be quiet.
    pub quiet: Duration,
    /// How often is looked where the system does not tell.
    pub poll: Duration,
    /// How changes are heard.
    pub source: Source,
}

impl Default for Options {
    fn default() -> Self {
        Self { quiet: Duration::from_millis(500), poll: Duration::from_secs(1), source: Source::System }
    }
}

/// A watcher and its task. Dropped, it stops.
pub struct Watcher {
    native: Option<RecommendedWatcher>,
    polling: Polling,
    options: Options,
    watched: HashMap<PathBuf, RecursiveMode>,
    interests: mpsc::Sender<Interest>,
    _tasks: JoinSet<()>,
}

/// What somebody wants to hear of.
#[derive(Debug)]
enum Interest {
    /// One file, quiet for its own time.
    Document(PathBuf, Duration),
    /// All markdown files beneath a folder.
    Root(PathBuf),
}

/// The end of the system's thread: never blocks it.
#[derive(Clone)]
struct RawSender {
    events: mpsc::Sender<PathBuf>,
    has_missed: Arc<AtomicBool>,
    /// The system could not watch a folder that came later.
    is_exhausted: Arc<AtomicBool>,
    missed: Arc<Notify>,
}

impl RawSender {
    fn take(&self, event: notify::Result<notify::Event>) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                if matches!(error.kind, ErrorKind::MaxFilesWatch) {
                    self.is_exhausted.store(true, Ordering::Release);
                }
                return self.miss();
            }
        };
        if event.need_rescan() {
            return self.miss();
        }
        // Being read is no change.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in event.paths {
            if self.events.try_send(path).is_err() {
                return self.miss();
            }
        }
    }

    fn miss(&self) {
        self.has_missed.store(true, Ordering::Release);
        self.missed.notify_one();
    }
}

impl Watcher {
    /// Begins to watch; nothing is heard until something is asked for. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if neither the system nor polling can be used.
    pub fn start(options: Options, is_ours: IsOurs) -> io::Result<(Self, mpsc::Receiver<Watched>)> {
        let (events, raw_events) = mpsc::channel(RAW_MAX);
        let (interests, interest_inbox) = mpsc::channel(INTERESTS_MAX);
        let (signals, heard) = mpsc::channel(SIGNALS_MAX);
        let raw = RawSender {
            events,
            has_missed: Arc::default(),
            is_exhausted: Arc::default(),
            missed: Arc::default(),
        };
        let native = match options.source {
            Source::System => {
                let sender = raw.clone();
                notify::recommended_watcher(move |event| sender.take(event)).ok()
            }
            Source::Polling => None,
        };
        let mut tasks = JoinSet::new();
        let quiet = Quiet::new(options.quiet, PENDING_MAX);
        let polling = Polling::new(raw.clone(), options.poll);
        let listening = Listening { raw, is_ours, quiet, signals, polling: polling.clone() };
        tasks.spawn(listening.run(raw_events, interest_inbox));
        let watcher = Self { native, polling, options, watched: HashMap::new(), interests, _tasks: tasks };
        Ok((watcher, heard))
    }

    /// Watches one document by its folder, with a time of quiet of its own if one is given.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the folder cannot be watched in any way.
    pub fn watch_document(&mut self, path: &Path, quiet: Option<Duration>) -> io::Result<()> {
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        // First the interest, so that no event comes before it.
        self.want(Interest::Document(path.to_owned(), quiet.unwrap_or(self.options.quiet)))?;
        self.watch(&folder, RecursiveMode::NonRecursive)
    }

    /// Watches all markdown files beneath a folder, also those that come later.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the folder cannot be watched in any way.
    pub fn watch_root(&mut self, root: &Path) -> io::Result<()> {
        self.want(Interest::Root(root.to_owned()))?;
        self.watch(root, RecursiveMode::Recursive)
    }

    /// Whether changes are found by looking, because the system does not tell.
    #[must_use]
    pub fn is_polling(&self) -> bool {
        self.polling.is_on()
    }

    fn want(&self, interest: Interest) -> io::Result<()> {
        self.interests.try_send(interest).map_err(|_| io::ErrorKind::WouldBlock.into())
    }

    fn watch(&mut self, folder: &Path, mode: RecursiveMode) -> io::Result<()> {
        use notify::Watcher as _;
        let known = self.watched.get(folder);
        if known == Some(&mode) || known == Some(&RecursiveMode::Recursive) {
            return Ok(());
        }
        let native = self.native.as_mut().is_some_and(|native| native.watch(folder, mode).is_ok());
        if !native {
            // The system's list of watches may be full, or the folder on a file system that does not tell.
            self.polling.watch(folder, mode)?;
        }
        self.watched.insert(folder.to_owned(), mode);
        Ok(())
    }
}

/// The task behind a watcher.
struct Listening {
    raw: RawSender,
    is_ours: IsOurs,
    quiet: Quiet,
    signals: mpsc::Sender<Watched>,
    polling: Polling,
}

impl Listening {
    async fn run(mut self, mut raw: mpsc::Receiver<PathBuf>, mut interests: mpsc::Receiver<Interest>) {
        loop {
            let due = self.quiet.next();
            tokio::select! {
                biased;
                interest = interests.recv() => match interest {
                    Some(Interest::Document(path, quiet)) => self.quiet.know(path, quiet),
                    Some(Interest::Root(root)) => self.quiet.know_root(root),
                    None => return,
                },
                () = self.raw.missed.notified() => self.quiet.miss(),
                Some(path) = raw.recv() => self.quiet.hear(path, tokio::time::Instant::now()),
                () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => {}
            }
            if self.raw.has_missed.swap(false, Ordering::AcqRel) {
                self.quiet.miss();
            }
            if self.raw.is_exhausted.swap(false, Ordering::AcqRel) {
                self.poll_roots().await;
            }
            for watched in self.quiet.take(tokio::time::Instant::now()) {
                if !self.is_echo(&watched).await && self.signals.send(watched).await.is_err() {
                    return;
                }
            }
        }
    }

    /// A folder beneath a root has no watch, and nobody will tell which files change there. From now on they are looked at.
    async fn poll_roots(&self) {
        for root in self.quiet.roots().to_vec() {
            let polling = self.polling.clone();
            let watching =
                tokio::task::spawn_blocking(move || polling.watch(&root, RecursiveMode::Recursive));
            // A root that is gone has nothing to look at.
            drop(watching.await);
        }
    }

    /// Whether the file holds what we wrote. Asked when the file is quiet, not when the event came.
    async fn is_echo(&self, watched: &Watched) -> bool {
        let Watched::FileChanged(path) = watched else {
            return false;
        };
        let (is_ours, path) = (Arc::clone(&self.is_ours), path.clone());
        tokio::task::spawn_blocking(move || is_ours(&path)).await.unwrap_or(false)
    }
}
