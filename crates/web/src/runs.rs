//! What the page needs of runs, as a port: the binary puts whoever conducts behind it. Never runs anything itself.

use std::pin::Pin;
use std::sync::Arc;

use conductor::status::{Phase, Status};
use futures_core::Stream;

/// Starts runs, tells of them, and passes on what a person wants of them.
pub trait Runs: Send + Sync {
    /// Begins a run. Its document is there when this is answered; the same request again is the same run.
    fn start(&self, wanted: Objective) -> Asked<'_, Started>;

    /// All runs, the latest first.
    fn list(&self) -> Asked<'_, Vec<Run>>;

    /// One of them.
    fn show<'a>(&'a self, id: &'a str) -> Asked<'a, Run>;

    /// Ends a run. What was written stays.
    fn cancel<'a>(&'a self, id: &'a str) -> Asked<'a, ()>;

    /// Goes on with a run that was interrupted.
    fn resume<'a>(&'a self, id: &'a str) -> Asked<'a, ()>;

    /// Stops one worker of a run.
    fn stop<'a>(&'a self, id: &'a str, worker: &'a str) -> Asked<'a, ()>;

    /// Tells a run what the person wants. Acted on exactly once for each name of a request.
    fn direct<'a>(&'a self, id: &'a str, directive: Directive) -> Asked<'a, ()>;

    /// Takes or refuses what a worker proposes. The revision of the document afterwards.
    fn decide<'a>(&'a self, id: &'a str, decision: Decision) -> Asked<'a, u64>;

    /// What happens from now on: each time the run as it is then, so that nothing is lost if some are missed.
    fn listen(&self) -> RunEvents;
}

/// An answer on its way.
pub type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, RunRefusal>> + Send + 'a>>;

/// Runs as they change.
pub type RunEvents = Pin<Box<dyn Stream<Item = Arc<Run>> + Send>>;

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objective {
    /// In any words.
    pub text: String,
    /// Who is to work, if the person says so.
    pub workers: Vec<String>,
    /// The name of the request.
    pub request: Option<String>,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its name.
    pub id: String,
    /// Its document, relative to the root.
    pub path: String,
    /// The revision of the document.
    pub revision: u64,
    /// How it is.
    pub status: Status,
}

/// What a person tells a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Their words, as they were typed: plain, or with `@worker` or `/command` before them.
    pub text: String,
    /// The name of the request.
    pub request: Option<String>,
}

/// What a person says of proposals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Those that the person saw. One that is there no more is passed over, if there are others.
    pub proposals: Vec<String>,
    /// Whether it becomes canon.
    pub is_accepted: bool,
}

/// A run as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its name.
    pub id: String,
    /// Its document, relative to the root.
    pub path: String,
    /// What it is for.
    pub objective: String,
    /// How it is.
    pub status: Status,
    /// Whether somebody works on it now. One that is neither over nor this was interrupted.
    pub is_live: bool,
    /// Why it is so, where a person should know: what blocks it, or how it failed.
    pub note: Option<String>,
    /// Who thinks: the name of the model.
    pub model: String,
    /// When it began, in milliseconds since 1970.
    pub begun: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// Tokens that models wrote for it.
    pub tokens: u64,
    /// What all tokens of it cost, where a price is known.
    pub cost: Option<Cost>,
    /// Who works, in the order of their sections.
    pub workers: Vec<Worker>,
    /// What waits for the person's word.
    pub proposals: Vec<Proposal>,
}

/// One who works in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Worker {
    /// The name, which is the title of the section too.
    pub name: String,
    /// How it is.
    pub phase: Phase,
    /// What it is doing, in a few words. Never part of the document.
    pub doing: String,
    /// When it began what it is doing or did last, in milliseconds since 1970.
    pub since: Option<u64>,
    /// When it was done with it.
    pub until: Option<u64>,
    /// Tokens that its model read, if that is counted.
    pub input: Option<u64>,
    /// Tokens that its model wrote, if that is counted.
    pub tokens: Option<u64>,
    /// What all its tokens cost, where a price is known.
    pub cost: Option<Cost>,
    /// Its question to the person.
    pub question: Option<String>,
}

/// What something costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// How much.
    pub amount: f64,
    /// Of what; empty if the person did not say.
    pub currency: String,
}

/// A passage that a person can take or refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its name.
    pub id: String,
    /// The section it stands in.
    pub section: String,
    /// Who wrote it.
    pub author: String,
    /// Its words.
    pub text: String,
}

/// Why something about a run was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunRefusal {
    /// What the caller can do about it.
    pub kind: RunRefusalKind,
    /// What is wrong and what to do next.
    pub message: String,
}

/// What the caller can do about a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunRefusalKind {
    /// Name another run, worker or proposal.
    Absent,
    /// Say it differently.
    Invalid,
    /// Load the page again: the run has ended, or somebody else was faster.
    Conflict,
    /// Try again later.
    Unavailable,
}
