//! Hears when an open document was saved by another program. Never watches a document that nobody opened: a folder may hold
//! more than the system can watch.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use workspace::hub::Hub;
use workspace::watch::{Options, Watched, Watcher};

use crate::wire::WireWatched;

/// The store waits until a save is whole, so a moment of quiet is enough.
const QUIET: Duration = Duration::from_millis(40);
/// How many documents that cannot be watched are remembered.
const UNWATCHED_MAX: usize = 1024;

/// The watcher of all open documents.
pub(crate) struct Watching {
    root: PathBuf,
    ears: Mutex<Ears>,
    _tasks: JoinSet<()>,
}

struct Ears {
    watcher: Option<Watcher>,
    /// Documents whose folder can be watched in no way.
    unwatched: BTreeSet<String>,
}

impl Watching {
    pub(crate) fn start(hub: &Hub) -> Watching {
        Watching::with(hub, Options { quiet: QUIET, ..Options::default() })
    }

    fn with(hub: &Hub, options: Options) -> Watching {
        let mut tasks = JoinSet::new();
        let watcher = match Watcher::start(options, Arc::new(|_| false)) {
            Ok((watcher, heard)) => {
                tasks.spawn(pass_on(hub.clone(), heard));
                Some(watcher)
            }
            // Without ears the owner still reads the file with each turn.
            Err(_) => None,
        };
        let ears = Mutex::new(Ears { watcher, unwatched: BTreeSet::new() });
        Watching { root: hub.root().to_owned(), ears, _tasks: tasks }
    }

    /// Begins to watch a document, unless that is done already.
    pub(crate) fn document(&self, path: &str) {
        let mut ears = self.lock();
        let file = self.root.join(path);
        let is_watched =
            ears.watcher.as_mut().is_some_and(|watcher| watcher.watch_document(&file, None).is_ok());
        if is_watched {
            ears.unwatched.remove(path);
        } else if ears.unwatched.len() < UNWATCHED_MAX {
            // It is read with each turn all the same, and its pages say so.
            ears.unwatched.insert(path.to_owned());
        }
    }

    /// How it is heard that a document was saved.
    pub(crate) fn how(&self, path: &str) -> WireWatched {
        let ears = self.lock();
        match &ears.watcher {
            Some(_) if ears.unwatched.contains(path) => WireWatched::Unwatched,
            Some(watcher) if watcher.is_polling() => WireWatched::Looking,
            Some(_) => WireWatched::Told,
            None => WireWatched::Unwatched,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ears> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests;
