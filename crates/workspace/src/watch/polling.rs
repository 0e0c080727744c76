//! Looks at folders again and again, where the system does not tell of changes. Never begins before it is needed.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{Config, PollWatcher, RecursiveMode, Watcher as _};

use super::RawSender;

/// What is looked at. Clones are the same.
#[derive(Clone)]
pub(super) struct Polling {
    raw: RawSender,
    interval: Duration,
    watcher: Arc<Mutex<Option<PollWatcher>>>,
}

impl Polling {
    pub(super) fn new(raw: RawSender, interval: Duration) -> Polling {
        Polling { raw, interval, watcher: Arc::default() }
    }

    pub(super) fn is_on(&self) -> bool {
        self.lock().is_some()
    }

    /// Looks at the folder from now on. Blocks until it has seen all that is there.
    pub(super) fn watch(&self, folder: &Path, mode: RecursiveMode) -> io::Result<()> {
        let mut watcher = self.lock();
        let watcher = match &mut *watcher {
            Some(watcher) => watcher,
            none => {
                let sender = self.raw.clone();
                let config = Config::default().with_poll_interval(self.interval).with_compare_contents(true);
                let made = PollWatcher::new(move |event| sender.take(event), config);
                none.insert(made.map_err(io::Error::other)?)
            }
        };
        watcher.watch(folder, mode).map_err(io::Error::other)
    }

    fn lock(&self) -> MutexGuard<'_, Option<PollWatcher>> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
