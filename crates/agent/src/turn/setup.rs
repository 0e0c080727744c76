//! What a turn is started with, and its limits. Never reads a configuration: the caller did.

use std::time::Duration;

use crate::model::Limits;
use crate::permission::Policy;
use crate::request::Frame;

/// What a turn is started with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What stays the same in each request.
    pub frame: Frame,
    /// What fits the model.
    pub limits: Limits,
    /// What may run.
    pub policy: Policy,
    /// How far a turn may go.
    pub caps: Caps,
}

/// How far a turn may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Requests to the model in one turn, without those for summaries.
    pub iterations_max: u32,
    /// The length of an answer at first, in tokens. It is raised to what the model can do when an answer is cut off.
    pub output_max: u32,
    /// How long a question waits until it counts as refused.
    pub question_timeout: Option<Duration>,
    /// How long a stopped turn waits for what its tools have so far.
    pub stop_grace: Duration,
}

impl Caps {
    /// For headless runs and workers: nobody watches, so the way is short.
    pub fn headless() -> Self {
        // Nobody waits for the screen, so a command has time to say what it had. One that does not listen is killed by then.
        Self { iterations_max: 25, stop_grace: Duration::from_secs(1), ..Self::conversation() }
    }

    /// For a conversation with a person.
    pub fn conversation() -> Self {
        Self {
            iterations_max: 200,
            output_max: 8192,
            question_timeout: None,
            stop_grace: Duration::from_millis(40),
        }
    }
}

/// Tools that run side by side.
pub(super) const PARALLEL_MAX: usize = 8;

/// Messages of the person that wait for their time.
pub(super) const QUEUE_MAX: usize = 64;

/// Answers in a row that the limit of output cut off.
pub(super) const CUTS_MAX: u32 = 3;

/// The longest answer that we keep, in bytes. No model writes so much; a broken provider may.
pub(super) const REPLY_MAX: usize = 32 << 20;

/// The most blocks of an answer.
pub(super) const BLOCKS_MAX: usize = 4096;
