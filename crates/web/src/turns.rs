//! What the page needs of session documents, as a port: somebody answers what the person changed. Never takes a turn itself: the
//! binary knows who answers.

use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;

/// Takes turns on session documents, one at a time on each.
pub trait Turns: Send + Sync {
    /// Begins to answer what the person changed. Returns at once; what comes of it is told.
    ///
    /// # Errors
    ///
    /// What is wrong and what to do next, if there is a turn already.
    fn begin(&self, path: &str, pace: TurnPace) -> Result<(), String>;

    /// Stops the turn on a document. What was said by then stays. Whether there was one.
    fn stop(&self, path: &str) -> bool;

    /// The turn that is under way on a document, or the last one that this program took.
    fn show(&self, path: &str) -> Option<Arc<Turn>>;

    /// What happens from now on: each time the turn as it is then, so that nothing is lost if some are missed.
    fn listen(&self) -> TurnEvents;
}

/// Turns as they change.
pub type TurnEvents = Pin<Box<dyn Stream<Item = Arc<Turn>> + Send>>;

/// When an answer is brought into the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnPace {
    /// When it is whole.
    Whole,
    /// Word by word as it comes.
    Streamed,
}

/// A turn as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The document.
    pub path: String,
    /// Who answers, as soon as that is known.
    pub agent: String,
    /// How it is.
    pub state: TurnState,
    /// What the agent is doing, in a few words. Never part of the document.
    pub doing: String,
    /// Tokens that it took, as far as it says.
    pub tokens: u64,
    /// When it began, in milliseconds since 1970.
    pub begun: u64,
}

/// How a turn is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnState {
    /// The agent answers.
    Working,
    /// The answer is in the document.
    Answered,
    /// There was nothing to answer.
    Nothing,
    /// There is no whole answer: why, and what to do next.
    Failed(String),
}
