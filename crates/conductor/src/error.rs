//! Why something about a run was not done. Never carries a path of the machine.

use workspace::command::Refusal;
use workspace::documents::ReviseError;
use workspace::reach::ReachError;

/// Why something about a run was not done.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such run.
    #[error("there is no run {0:?}; 'agent-doc runs' lists them")]
    Absent(String),
    /// Several runs begin so.
    #[error("several runs begin with {0:?}; give more of the name")]
    Ambiguous(String),
    /// The name could not be one of a run.
    #[error("{0:?} is no name of a run: letters, digits, \"-\" and \"_\", at most 64")]
    Name(String),
    /// There is nothing to do.
    #[error("the objective is empty; say what the run is for")]
    NoObjective,
    /// Nobody of this name can work.
    #[error("there is no worker {0:?}; there are {1}")]
    NoWorker(String, String),
    /// It has nothing to do, so it cannot be stopped.
    #[error("{0} does nothing now, so there is nothing to stop")]
    Idle(String),
    /// A worker of the run has the name.
    #[error("{0:?} is a worker of the run; come in under another name")]
    Taken(String),
    /// A guest that has added nothing is not done.
    #[error("nothing was added to the section {0:?} since it was last finished; add what you found first")]
    Unreported(String),
    /// Too many of something.
    #[error("{0}")]
    TooMany(String),
    /// Another process works on it.
    #[error("run {run} is worked on by {by} (process {process}); wait for it, or cancel it")]
    Held {
        /// The run.
        run: String,
        /// Who.
        by: String,
        /// Its process.
        process: u32,
    },
    /// It has ended, so nothing more can be done about it.
    #[error("run {run} is {status}; begin another one")]
    Over {
        /// The run.
        run: String,
        /// How it ended.
        status: &'static str,
    },
    /// There is no such proposal any more.
    #[error("there is no proposal {0:?} in the document; 'agent-doc runs show' lists them")]
    NoProposal(String),
    /// The owner of the document refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The document could not be reached.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// What is kept of the run could not be read or written.
    #[error("{what} cannot be read or written: {why}")]
    Io {
        /// The file, from the root of the project.
        what: String,
        /// What the system said.
        why: String,
    },
    /// Another version of the program wrote it.
    #[error("runs/{run}/run.json is of format {format}, newer than this program; update agent-doc")]
    Newer {
        /// The run.
        run: String,
        /// Its format.
        format: u32,
    },
    /// The program is closing.
    #[error("the run was stopped because the program ends; it can be resumed")]
    Closing,
}

impl From<ReviseError> for RunError {
    fn from(error: ReviseError) -> Self {
        match error {
            ReviseError::Reach(error) => error.into(),
            ReviseError::Refused(refusal) => refusal.into(),
        }
    }
}
