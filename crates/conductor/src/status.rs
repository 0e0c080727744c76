//! How a run is, and how a worker is. Never read from the text of a document: a document says what was found, and not how far
//! anybody is.

use serde::{Deserialize, Serialize};

/// How a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is made, and nobody has begun.
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

impl Status {
    /// Whether nothing more happens by itself.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Partial | Self::Failed | Self::Cancelled => true,
            Self::Queued | Self::Running | Self::WaitingForWorker | Self::WaitingForUser | Self::Blocked => {
                false
            }
        }
    }

    /// What a person reads.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::WaitingForWorker => "waiting for worker",
            Self::WaitingForUser => "waiting for user",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// How a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It has nothing to do yet.
    #[default]
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

impl Phase {
    /// What a person reads.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Done => "done",
            Self::Merged => "merged",
            Self::Asking => "asking",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}
