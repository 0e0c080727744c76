//! What happens to a turn, and what it wants done. Never does anything: a driver does, and tells how it went.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::history::Record;
use crate::message::{Block, ToolCall, Usage};
use crate::model::{ModelError, ModelEvent, Request};
use crate::permission::{Answer, Claim, Permit, Policy, Question, Rule};
use crate::request::Ending;
use crate::tool::Output;

/// One answer of a model. Events of a stream that is no longer heard are late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct StreamId(pub(super) u64);

/// One timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct TimerId(pub(super) u64);

/// One question to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct QuestionId(pub(super) u64);

/// One call of a turn. The ids of providers are not always unique; this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CallKey {
    /// Which batch of calls, from the beginning of the turn.
    pub step: u64,
    /// Which call of the batch.
    pub index: usize,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// The person said what they want. Starts the turn.
    Prompted(Vec<Block>),
    /// Go on where the conversation stands. Starts the turn.
    Continued,
    /// Make the conversation shorter, minding these words. Starts the turn.
    CompactAsked(String),
    /// The model said something.
    Heard {
        /// The stream.
        stream: StreamId,
        /// What it said.
        event: ModelEvent,
    },
    /// The stream failed, or ended without an end: see [`ModelError::closed_early`].
    Failed {
        /// The stream.
        stream: StreamId,
        /// Why.
        error: ModelError,
        /// A random number from 0 to 1, so that many clients do not come back at the same moment.
        jitter: f64,
    },
    /// A tool said what a call would touch, or what is wrong with it.
    Inspected {
        /// The call.
        call: CallKey,
        /// What it would touch.
        claim: Result<Claim, String>,
    },
    /// A person answered a question.
    Answered {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: Answer,
    },
    /// A tool finished, or gave back what it had when it was stopped.
    ToolFinished {
        /// The call.
        call: CallKey,
        /// What came of it.
        output: Output,
    },
    /// The task of a tool died without a word.
    ToolLost {
        /// The call.
        call: CallKey,
    },
    /// The person said more while the turn runs.
    Said {
        /// What they said.
        content: Vec<Block>,
        /// When the model gets it.
        delivery: Delivery,
    },
    /// A timer ran out.
    TimerRang(TimerId),
    /// Rules or the mode changed.
    PolicyChanged(Policy),
    /// The person stopped the turn.
    Aborted,
}

impl Event {
    /// Its name, for notes.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Prompted(_) => "prompted",
            Self::Continued => "continued",
            Self::CompactAsked(_) => "compact_asked",
            Self::Heard { .. } => "heard",
            Self::Failed { .. } => "failed",
            Self::Inspected { .. } => "inspected",
            Self::Answered { .. } => "answered",
            Self::ToolFinished { .. } => "tool_finished",
            Self::ToolLost { .. } => "tool_lost",
            Self::Said { .. } => "said",
            Self::TimerRang(_) => "timer_rang",
            Self::PolicyChanged(_) => "policy_changed",
            Self::Aborted => "aborted",
        }
    }
}

/// When the model gets what a person says meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// With the next request.
    NextStep,
    /// As a turn of its own, when this one is complete.
    AfterTurn,
}

/// What must be done, in order.
#[derive(Debug)]
pub enum Effect {
    /// Write the record and sync it, before any effect behind it.
    Commit(Record),
    /// Send the request and report what comes, under this id.
    Ask {
        /// The stream.
        stream: StreamId,
        /// What the answer is for.
        purpose: Purpose,
        /// The request.
        request: Box<Request>,
        /// How its conversation ends; for the validator.
        ending: Ending,
    },
    /// Drop the stream.
    StopStream(StreamId),
    /// Show what the model says, as it comes.
    Show(ModelEvent),
    /// Mark what was shown of the answer as void; a new attempt follows.
    Supersede,
    /// Let the tool look at the call.
    Inspect {
        /// The call.
        key: CallKey,
        /// Its bytes.
        call: ToolCall,
    },
    /// Ask a person.
    Pose {
        /// The question.
        id: QuestionId,
        /// What it is about.
        question: Box<Question>,
    },
    /// The question is settled, whoever settled it. Take it from the screen.
    Close(QuestionId),
    /// Run the tool. Each key comes once.
    Run {
        /// The call.
        key: CallKey,
        /// The proof that it may run.
        permit: Box<Permit>,
    },
    /// Stop all tools that run. Each still reports what it has.
    StopTools,
    /// Report when the time is over.
    SetTimer {
        /// The timer.
        timer: TimerId,
        /// The time.
        after: Duration,
    },
    /// Keep the rule where its scope says.
    SaveRule(Rule),
    /// Give the words back to the person: the model never got them.
    Restore(Vec<Block>),
    /// Tell whoever watches.
    Note(Note),
    /// The turn is over. Nothing follows.
    End(Ended),
}

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It goes to the person and on with the turn.
    Answer,
    /// It takes the place of the conversation so far.
    Summary,
}

/// Something that whoever watches may want to know. It never goes to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// An event came when nobody waited for it.
    Ignored {
        /// What the turn was doing.
        phase: &'static str,
        /// The event.
        event: &'static str,
    },
    /// The request is sent again after a while.
    Retrying {
        /// Which attempt comes next.
        attempt: u32,
        /// The last attempt.
        attempts_max: u32,
        /// When.
        after: Duration,
        /// Why.
        reason: String,
    },
    /// How full the model's context is.
    Context {
        /// Of what may be used before it is compacted to make room.
        percent: u32,
    },
    /// The conversation is being made shorter.
    Compacting,
    /// The conversation was made shorter.
    Compacted {
        /// Messages before.
        messages: usize,
    },
    /// A call did not run.
    Denied {
        /// The tool.
        tool: String,
        /// What the model was told.
        words: String,
    },
    /// The answer is not whole.
    Incomplete,
    /// Something is odd, and the turn goes on.
    Warning(String),
}

/// How a turn went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// Why it is over.
    pub reason: EndReason,
    /// Requests to the model.
    pub iterations: u32,
    /// The tokens of all of them.
    pub usage: Usage,
    /// The calls that were refused, as `tool: words`.
    pub denials: Vec<String>,
    /// What the person said meanwhile and the model did not get. After a completed turn it is the next prompt.
    pub queued: Vec<Vec<Block>>,
}

/// Why a turn is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The model has said all.
    Completed,
    /// The person stopped it.
    Interrupted,
    /// The person rejected a call and wants to say something first.
    Waiting,
    /// The limit of requests is reached. It can be continued.
    IterationsReached(u32),
    /// The model or its provider will not answer.
    Refused(Option<String>),
    /// The output limit cut off too many answers in a row.
    CutOff,
    /// The conversation does not fit the model and cannot be made to.
    ContextFull,
    /// The model does the same again and again.
    Stuck,
    /// The model stopped for a reason that we do not know how to act on.
    Unclear(String),
    /// The model call failed.
    Failed(String),
}

impl EndReason {
    /// What a person reads.
    pub fn words(&self) -> String {
        match self {
            Self::Completed => "Done.".to_owned(),
            Self::Interrupted => "Interrupted.".to_owned(),
            Self::Waiting => "[Tool execution interrupted - waiting for user feedback]".to_owned(),
            Self::IterationsReached(count) => format!("Stopped after {count} model calls. Type /continue to go on."),
            Self::Refused(Some(detail)) => format!("The model refused to answer: {detail}"),
            Self::Refused(None) => "The model refused to answer.".to_owned(),
            Self::CutOff => "The answers are longer than the model can write. Ask for smaller steps.".to_owned(),
            Self::ContextFull => {
                "The conversation no longer fits the model. Start a new one, or take a model with a larger context.".to_owned()
            }
            Self::Stuck => "The model repeats itself. Tell it what to do differently.".to_owned(),
            Self::Unclear(reason) => format!("The model stopped for an unknown reason: {reason}"),
            Self::Failed(words) => words.clone(),
        }
    }
}
