//! What an owner tells everybody who listens. Never waits for a listener: one that is too slow is told to read anew.

use std::sync::Arc;

use document::{Author, Revision};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// How many events a listener may lag behind.
pub(crate) const EVENTS_MAX: usize = 1024;

/// The same in a process that does one thing, where hardly anybody listens: room for many events is made and cleared at once.
pub(crate) const EVENTS_FEW: usize = 16;

/// A document has a new revision, and its file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentChanged {
    /// Relative to the root.
    pub path: Arc<str>,
    /// The revision now.
    pub revision: Revision,
    /// The revision before. One who has another one has missed something.
    pub base: Revision,
    /// Who did it.
    pub author: Author,
    /// The section it happened in, if it happened in one.
    pub section: Option<String>,
    /// What was done.
    pub kind: ChangeKind,
}

/// What was done to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was made.
    Created,
    /// Somebody saved the file with another program.
    Saved,
    /// Somebody wrote the whole text.
    Written,
    /// A section was replaced.
    SectionWritten,
    /// A block was added to a section.
    Appended,
    /// A passage was replaced.
    Edited,
    /// An answer grew.
    Streamed,
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A document changed.
    Changed(DocumentChanged),
    /// Events were missed; read the documents anew.
    Resync,
}

/// A listener's place in the stream of events.
#[derive(Debug)]
pub struct Subscription {
    receiver: broadcast::Receiver<DocumentChanged>,
    path: Option<Arc<str>>,
}

impl Subscription {
    pub(crate) fn new(receiver: broadcast::Receiver<DocumentChanged>, path: Option<Arc<str>>) -> Self {
        Self { receiver, path }
    }

    /// The next event; none when everything that could change is closed.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.recv().await {
                Ok(changed) if self.path.as_ref().is_none_or(|path| *path == changed.path) => {
                    return Some(Event::Changed(changed));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return Some(Event::Resync),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
