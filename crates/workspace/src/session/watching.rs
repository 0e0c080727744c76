//! Answers session documents when their people save them. Never answers its own writes, never goes round in circles, and never has
//! two turns on one document.

mod cycle;
mod keeper;
mod status;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use document::frontmatter::Settings;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::task::JoinSet;

pub use status::{DocumentStatus, State, Status, end, read as status};

use super::agent::Agent;
use super::file::{NoSession, SessionFile};
use super::turn::{Manner, Pace, Taken, Told, TurnError, is_session};
use crate::daemon::{Daemon, DaemonError};
use crate::hub::Hub;
use crate::owner::Options as OwnerOptions;
use crate::project::{self, ProjectError};
use crate::recovery::markdown_files;
use crate::watch::{Options as WatchOptions, Watched, Watcher};
use keeper::Keeper;
use status::Board;

/// How long an unfinished sentence is waited for between two looks, if nobody says otherwise.
pub const RECHECK: Duration = Duration::from_millis(200);
/// How many turns may be under way at once.
const TURNS_MAX: usize = 4;
/// How many events may wait for whoever prints them.
const EVENTS_MAX: usize = 1024;

/// How documents are watched.
#[derive(Clone)]
pub struct Options {
    /// How long a document must be quiet before it is answered. Stream documents are answered at once.
    pub debounce: Duration,
    /// How long to wait before an unfinished sentence is looked at again.
    pub recheck: Duration,
    /// How often in a row a document is answered for changes that came while it was being answered.
    pub max_cycles: u32,
    /// Who answers a document.
    pub agent: AgentFor,
    /// How a turn is taken, by its pace.
    pub manner: Arc<dyn Fn(Pace) -> Manner + Send + Sync>,
    /// Milliseconds since 1970.
    pub clock: fn() -> u64,
}

/// Finds who answers a document. The error is for the person.
pub type AgentFor = Arc<dyn Fn(&SessionFile, &Settings) -> Result<Arc<dyn Agent>, String> + Send + Sync>;

/// What happens, for whoever watches the watcher.
#[derive(Debug)]
pub enum Event {
    /// These documents are watched.
    Watching(Vec<String>),
    /// A document that came later is watched, too.
    Found(String),
    /// A turn begins.
    Begun(String),
    /// Something happens in a turn.
    Told(String, Told),
    /// A turn is over.
    Ended(String, Result<Taken, TurnError>),
    /// A document is left alone, for this reason.
    Skipped(String, &'static str),
    /// A document cannot be answered, for this reason.
    Refused(String, String),
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Another process owns the documents.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// The project cannot be opened.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A path is none.
    #[error(transparent)]
    File(#[from] NoSession),
    /// A path is outside of the project of the others.
    #[error("{0} is in another project; watch it with an 'agent-doc watch' of its own")]
    Outside(String),
    /// The system does not let us watch.
    #[error("nothing can be watched here")]
    System(#[from] std::io::Error),
}

/// Watches documents below `root`: those of `paths`, or all of them.
///
/// # Errors
///
/// [`WatchError`] if it cannot begin. Later troubles are events.
pub async fn watch(
    root: &Path,
    paths: &[PathBuf],
    options: Options,
    stop: StreamController,
    tell: &mut (dyn FnMut(Event) + Send),
) -> Result<(), WatchError> {
    let hub = project::open(root, OwnerOptions::default())?;
    let daemon = Daemon::listen(hub.clone())?;
    let (events, mut heard) = mpsc::channel(EVENTS_MAX);
    let mut watching = match Watching::begin(hub.clone(), paths, options, stop.clone(), events) {
        Ok(watching) => watching,
        Err(error) => {
            hub.shutdown().await;
            return Err(error);
        }
    };
    tell(Event::Watching(watching.documents.keys().cloned().collect()));
    let ended = stop.clone();
    let serving = tokio::spawn(daemon.run(async move { ended.subscribe().await }));
    let mut stopped = std::pin::pin!(stop.subscribe());
    loop {
        tokio::select! {
            biased;
            () = &mut stopped => break,
            Some(event) = heard.recv() => tell(event),
            Some(signal) = watching.signals.recv() => watching.hear(signal),
        }
    }
    let Watching { tasks, .. } = watching;
    finish(tasks, &mut heard, tell).await;
    drop(serving.await);
    hub.shutdown().await;
    status::clear(root);
    Ok(())
}

/// Lets the turns that were stopped say how they ended.
async fn finish(
    mut tasks: JoinSet<()>,
    heard: &mut mpsc::Receiver<Event>,
    tell: &mut (dyn FnMut(Event) + Send),
) {
    loop {
        tokio::select! {
            biased;
            Some(event) = heard.recv() => tell(event),
            joined = tasks.join_next() => if joined.is_none() { return },
        }
    }
}

struct Watching {
    hub: Hub,
    watcher: Watcher,
    signals: mpsc::Receiver<Watched>,
    options: Options,
    stop: StreamController,
    documents: BTreeMap<String, Arc<Notify>>,
    /// Files by name that are watched, if not all are.
    only: Option<HashSet<PathBuf>>,
    folders: Vec<PathBuf>,
    tasks: JoinSet<()>,
    turns: Arc<Semaphore>,
    board: Board,
    events: mpsc::Sender<Event>,
}

impl Watching {
    fn begin(
        hub: Hub,
        paths: &[PathBuf],
        options: Options,
        stop: StreamController,
        events: mpsc::Sender<Event>,
    ) -> Result<Watching, WatchError> {
        let root = hub.root().to_owned();
        let watch = WatchOptions { quiet: options.debounce, ..WatchOptions::default() };
        let (watcher, signals) = Watcher::start(watch, Arc::new(|_| false))?;
        let board = Board::new(&root, (options.clock)());
        let mut watching = Watching {
            hub,
            watcher,
            signals,
            options,
            stop,
            documents: BTreeMap::new(),
            only: None,
            folders: Vec::new(),
            tasks: JoinSet::new(),
            turns: Arc::new(Semaphore::new(TURNS_MAX)),
            board,
            events,
        };
        if paths.is_empty() {
            watching.folders.push(root.clone());
        }
        for path in paths {
            let path = path.canonicalize()?;
            if !path.starts_with(&root) {
                return Err(WatchError::Outside(path.display().to_string()));
            }
            if path.is_dir() {
                watching.folders.push(path);
            } else {
                watching.only.get_or_insert_default().insert(path);
            }
        }
        watching.discover(&root)?;
        Ok(watching)
    }

    /// Begins to hear, and takes note of the documents that are there. They are as their people want them: only a save is a
    /// prompt.
    fn discover(&mut self, root: &Path) -> Result<(), WatchError> {
        for folder in self.folders.clone() {
            self.watcher.watch_root(&folder)?;
        }
        for path in self.only.iter().flatten() {
            self.watcher.watch_document(path, None)?;
        }
        for relative in markdown_files(root)? {
            let whole = root.join(relative);
            if self.is_wanted(&whole) {
                self.take_on(&whole, false)?;
            }
        }
        self.board.show();
        Ok(())
    }

    fn is_wanted(&self, path: &Path) -> bool {
        self.only.as_ref().is_some_and(|only| only.contains(path))
            || self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Something may have changed.
    fn hear(&mut self, signal: Watched) {
        match signal {
            Watched::FileChanged(path) => self.changed(&path),
            Watched::Rescan => {
                self.hub.rescan();
                let root = self.hub.root().to_owned();
                for relative in markdown_files(&root).unwrap_or_default() {
                    self.changed(&root.join(relative));
                }
            }
        }
    }

    fn changed(&mut self, path: &Path) {
        if !self.is_wanted(path) || !path.is_file() {
            return;
        }
        self.hub.file_changed(path);
        let relative = path.strip_prefix(self.hub.root()).unwrap_or(path).to_string_lossy().into_owned();
        match self.documents.get(&relative) {
            Some(notify) => notify.notify_one(),
            None => {
                // A name that is no text cannot be a document, and is nothing to speak of for each of its saves.
                drop(self.take_on(path, true));
            }
        }
    }

    /// Watches a file from now on, if it is a session document.
    fn take_on(&mut self, path: &Path, is_new: bool) -> Result<(), WatchError> {
        let file = SessionFile::at(path)?;
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(()) };
        if !is_session(&text) {
            return Ok(());
        }
        let notify = Arc::new(Notify::new());
        self.documents.insert(file.path.clone(), Arc::clone(&notify));
        if document::frontmatter::Frontmatter::parse(&text).settings.is_stream() {
            self.watcher.watch_document(path, Some(Duration::ZERO))?;
        }
        self.board.put(&file.path, State::Idle);
        let keeper = Keeper::new(self, file, (!is_new).then_some(text.as_str()));
        if is_new {
            self.board.show();
            keeper.tell(Event::Found(keeper.path().to_owned()));
            notify.notify_one();
        }
        self.tasks.spawn(keeper.run(notify));
        Ok(())
    }
}
