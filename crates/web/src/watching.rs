//! Hears when an open document was saved by another program. Never watches a document that nobody opened: a folder may hold
//! more than the system can watch.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use workspace::hub::Hub;
use workspace::watch::{Options, Watched, Watcher};

/// The store waits until a save is whole, so a moment of quiet is enough.
const QUIET: Duration = Duration::from_millis(40);

/// The watcher of all open documents.
pub(crate) struct Watching {
    root: PathBuf,
    watcher: Mutex<Option<Watcher>>,
    _tasks: JoinSet<()>,
}

impl Watching {
    pub(crate) fn start(hub: &Hub) -> Watching {
        let options = Options { quiet: QUIET, ..Options::default() };
        let mut tasks = JoinSet::new();
        let watcher = match Watcher::start(options, Arc::new(|_| false)) {
            Ok((watcher, heard)) => {
                tasks.spawn(pass_on(hub.clone(), heard));
                Some(watcher)
            }
            // Without ears the owner still reads the file with each turn.
            Err(_) => None,
        };
        Watching { root: hub.root().to_owned(), watcher: Mutex::new(watcher), _tasks: tasks }
    }

    /// Begins to watch a document, unless that is done already.
    pub(crate) fn document(&self, path: &str) {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watcher) = watcher.as_mut() {
            // A folder that cannot be watched is read with each turn all the same.
            drop(watcher.watch_document(&self.root.join(path), None));
        }
    }
}

async fn pass_on(hub: Hub, mut heard: mpsc::Receiver<Watched>) {
    while let Some(watched) = heard.recv().await {
        match watched {
            Watched::FileChanged(path) => hub.file_changed(&path),
            Watched::Rescan => hub.rescan(),
        }
    }
}
