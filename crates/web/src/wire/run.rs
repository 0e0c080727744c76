//! The JSON of runs and of secrets. Never knows how a run works.

use conductor::status::{Phase, Status};
use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};

use super::question::WireWaiting;
use crate::runs::{Cost, Proposal, Run, Started, Worker};

/// What a page hears that shows all runs.
#[derive(Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WireRunEvent {
    /// How all of them are.
    All {
        /// The latest first.
        runs: Vec<WireRun>,
    },
    /// How one of them is now.
    One {
        /// The whole of it.
        run: Box<WireRun>,
    },
    /// Where agents wait for an answer.
    Waiting {
        /// The documents.
        documents: Vec<WireWaiting>,
    },
}

/// A run.
#[derive(Debug, Serialize, TS)]
pub struct WireRun {
    /// Its name.
    pub id: String,
    /// Its document.
    pub path: String,
    /// What it is for.
    pub objective: String,
    /// How it is.
    pub status: WireStatus,
    /// Whether nothing more happens by itself.
    pub over: bool,
    /// Whether somebody works on it now.
    pub live: bool,
    /// Why it is so.
    pub note: Option<String>,
    /// The name of the model.
    pub model: String,
    /// Milliseconds since 1970.
    #[ts(type = "number")]
    pub begun: u64,
    /// The same.
    #[ts(type = "number | null")]
    pub ended: Option<u64>,
    /// Tokens that models wrote for it.
    #[ts(type = "number")]
    pub tokens: u64,
    /// What all tokens of it cost, where a price is known.
    pub cost: Option<WireCost>,
    /// Who works.
    pub workers: Vec<WireWorker>,
    /// What waits for the person's word.
    pub proposals: Vec<WireProposal>,
}

/// One who works.
#[derive(Debug, Serialize, TS)]
pub struct WireWorker {
    /// The name.
    pub name: String,
    /// How it is.
    pub phase: WirePhase,
    /// What it is doing.
    pub doing: String,
    /// Milliseconds since 1970.
    #[ts(type = "number | null")]
    pub since: Option<u64>,
    /// When it was done with it, the same.
    #[ts(type = "number | null")]
    pub until: Option<u64>,
    /// Tokens that its model read, if that is counted.
    #[ts(type = "number | null")]
    pub input: Option<u64>,
    /// Tokens that its model wrote, if that is counted.
    #[ts(type = "number | null")]
    pub tokens: Option<u64>,
    /// What all its tokens cost, where a price is known.
    pub cost: Option<WireCost>,
    /// Its question to the person.
    pub question: Option<String>,
}

/// What something costs.
#[derive(Debug, Clone, Serialize, TS)]
pub struct WireCost {
    /// How much.
    pub amount: f64,
    /// Of what; empty if the person did not say.
    pub currency: String,
}

/// A passage to take or to refuse.
#[derive(Debug, Serialize, TS)]
pub struct WireProposal {
    /// Its name.
    pub id: String,
    /// Where it stands.
    pub section: String,
    /// Who wrote it.
    pub author: String,
    /// Its words.
    pub text: String,
}

/// How a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WireStatus {
    /// Nobody has begun.
    Queued,
    /// The conductor plans or merges.
    Running,
    /// Workers work.
    WaitingForWorker,
    /// A worker needs a word of the person.
    WaitingForUser,
    /// The document must be mended first.
    Blocked,
    /// All was done.
    Completed,
    /// Some of it was done.
    Partial,
    /// Nothing was.
    Failed,
    /// The person ended it.
    Cancelled,
}

/// How a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WirePhase {
    /// It has nothing to do yet.
    Idle,
    /// It works.
    Working,
    /// What it found is in its section.
    Done,
    /// What it found is in the canon.
    Merged,
    /// It waits for a word of the person.
    Asking,
    /// It could not do its work.
    Failed,
    /// It was stopped.
    Stopped,
}

/// Begin a run. `Idempotency-Key` names the request.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunCall {
    /// What it is for.
    pub objective: String,
    /// Who is to work; nobody named means whoever usually does.
    #[serde(default)]
    pub workers: Vec<String>,
}

/// A run that has begun, with all that a page needs to open.
#[derive(Debug, Serialize, TS)]
pub struct WireStarted {
    /// Its name.
    pub id: String,
    /// Its document.
    pub path: String,
    /// The revision of the document.
    #[ts(type = "number")]
    pub revision: u64,
    /// How it is.
    pub status: WireStatus,
}

/// Stop one worker.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StopCall {
    /// Its name.
    pub worker: String,
}

/// Tell a run what is wanted. `Idempotency-Key` names the request.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DirectiveCall {
    /// In the person's words.
    pub text: String,
}

/// Take or refuse proposals: those that the person saw. `Idempotency-Key` names the request.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DecisionCall {
    /// Which.
    pub proposals: Vec<String>,
    /// Whether it becomes canon.
    pub accept: bool,
}

/// Ask for a secret for somebody else.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct KeyCall {
    /// What it shall open.
    pub role: KeyRole,
}

/// What a secret opens.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum KeyRole {
    /// Reading.
    Reader,
    /// Writing in the section of this name.
    Worker {
        /// The name.
        name: String,
    },
}

/// A secret.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeyGiven {
    /// It.
    pub token: String,
}

impl From<&Run> for WireRun {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id.clone(),
            path: run.path.clone(),
            objective: run.objective.clone(),
            status: run.status.into(),
            over: run.status.is_final(),
            live: run.is_live,
            note: run.note.clone(),
            model: run.model.clone(),
            begun: run.begun,
            ended: run.ended,
            tokens: run.tokens,
            cost: run.cost.as_ref().map(Into::into),
            workers: run.workers.iter().map(Into::into).collect(),
            proposals: run.proposals.iter().map(Into::into).collect(),
        }
    }
}

impl From<&Worker> for WireWorker {
    fn from(worker: &Worker) -> Self {
        let Worker { name, phase, doing, since, until, input, tokens, cost, question } = worker.clone();
        let cost = cost.as_ref().map(Into::into);
        Self { name, phase: phase.into(), doing, since, until, input, tokens, cost, question }
    }
}

impl From<&Cost> for WireCost {
    fn from(cost: &Cost) -> Self {
        Self { amount: cost.amount, currency: cost.currency.clone() }
    }
}

impl From<&Proposal> for WireProposal {
    fn from(proposal: &Proposal) -> Self {
        let Proposal { id, section, author, text } = proposal.clone();
        Self { id, section, author, text }
    }
}

impl From<Started> for WireStarted {
    fn from(started: Started) -> Self {
        let Started { id, path, revision, status } = started;
        Self { id, path, revision, status: status.into() }
    }
}

impl From<Status> for WireStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Queued => Self::Queued,
            Status::Running => Self::Running,
            Status::WaitingForWorker => Self::WaitingForWorker,
            Status::WaitingForUser => Self::WaitingForUser,
            Status::Blocked => Self::Blocked,
            Status::Completed => Self::Completed,
            Status::Partial => Self::Partial,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Phase> for WirePhase {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Idle => Self::Idle,
            Phase::Working => Self::Working,
            Phase::Done => Self::Done,
            Phase::Merged => Self::Merged,
            Phase::Asking => Self::Asking,
            Phase::Failed => Self::Failed,
            Phase::Stopped => Self::Stopped,
        }
    }
}

pub(super) fn declarations(config: &Config) -> [String; 15] {
    [
        WireRunEvent::decl(config),
        WireRun::decl(config),
        WireWorker::decl(config),
        WireCost::decl(config),
        WireProposal::decl(config),
        WireStatus::decl(config),
        WirePhase::decl(config),
        RunCall::decl(config),
        WireStarted::decl(config),
        StopCall::decl(config),
        DirectiveCall::decl(config),
        DecisionCall::decl(config),
        KeyCall::decl(config),
        KeyRole::decl(config),
        KeyGiven::decl(config),
    ]
}
