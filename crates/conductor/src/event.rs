//! What happens in runs, for whoever watches: how a run is, and one line about each worker. Never waits for a listener, and never
//! lands in a document.

use std::sync::Arc;

use document::Revision;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::status::{Phase, Status};

/// How many events a listener may lag behind.
pub(crate) const EVENTS_MAX: usize = 1024;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEvent {
    /// The run.
    pub run: Arc<str>,
    /// What happened.
    pub happening: Happening,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// The run is so now.
    Status {
        /// How it is.
        status: Status,
        /// Why, if that needs words.
        why: Option<String>,
    },
    /// A worker is so now.
    Worker {
        /// The worker.
        name: String,
        /// How it is.
        phase: Phase,
        /// What it is doing, in one line; empty if nothing.
        line: String,
    },
    /// The canon was written.
    Merged {
        /// Its revision.
        revision: Revision,
        /// Whose sections it is made of.
        sources: Vec<String>,
    },
    /// A directive was taken.
    Taken {
        /// The line.
        line: String,
        /// What came of it.
        answer: String,
    },
    /// Events were missed: look at the run again.
    Resync,
}

/// A listener's place in the stream of events.
#[derive(Debug)]
pub struct RunEvents {
    receiver: broadcast::Receiver<RunEvent>,
    run: Option<Arc<str>>,
}

impl RunEvents {
    pub(crate) fn new(receiver: broadcast::Receiver<RunEvent>, run: Option<Arc<str>>) -> Self {
        Self { receiver, run }
    }

    /// The next event; none when no run can tell anything any more.
    pub async fn next(&mut self) -> Option<RunEvent> {
        loop {
            match self.receiver.recv().await {
                Ok(event) if self.run.as_ref().is_none_or(|run| *run == event.run) => return Some(event),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => {
                    let run = self.run.clone().unwrap_or_else(|| "".into());
                    return Some(RunEvent { run, happening: Happening::Resync });
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
