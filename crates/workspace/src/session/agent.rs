//! The port to whoever answers a session document: our own loop, an outside program, an agent behind a protocol. Never lets an
//! agent write the document; what it says is told, and the session delivers it.

use std::path::PathBuf;
use std::pin::Pin;

use agent::StreamController;

/// Somebody who can answer.
pub trait Agent: Send + Sync {
    /// The name that a document gives it, and under which its words are kept.
    fn name(&self) -> &str;

    /// Answers. What it says is told in order, as it comes; when the stop is given, it ends all that it started and says that it
    /// was stopped. What was told before an error is kept.
    ///
    /// # Errors
    ///
    /// [`AgentError`] if there is no whole answer.
    fn answer<'a>(&'a self, ask: Ask, stop: StreamController, tell: &'a mut Tell) -> Answering<'a>;
}

/// An answer on its way.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<(), AgentError>> + Send + 'a>>;

/// Hears what an agent says. Must not block.
pub type Tell = dyn FnMut(Said) + Send;

/// What an agent is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The change and the document.
    pub prompt: String,
    /// Which conversation it belongs to.
    pub talk: Talk,
    /// The model that the document or the person wants; else what the agent uses by itself.
    pub model: Option<String>,
    /// Where the agent works: the folder of the project.
    pub folder: PathBuf,
}

/// Which conversation an answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Talk {
    /// A new one.
    Fresh,
    /// A new one that begins with all that was said in the latest, if there is one.
    ForkLatest,
    /// The one of this name.
    Resume(String),
}

/// One thing that an agent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The conversation has this name; the document keeps it for the next time.
    Talk(String),
    /// Words of the answer, as they come.
    Text(String),
    /// What follows is a message of its own: a blank line stands between it and what was said before.
    Break,
    /// What was said since the last break is void, and comes again.
    Void,
    /// Words of its thinking.
    Thinking(String),
    /// What it is doing, for a status line. Never part of the document.
    Doing(String),
    /// Tokens that the answer took so far.
    Tokens(u64),
}

/// Why there is no whole answer.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its program is not there.
    #[error(
        "{program} is not installed, or not in PATH; install it, or name another agent with 'agent:' or --agent"
    )]
    Absent {
        /// The program.
        program: String,
    },
    /// It ended with an error.
    #[error("{agent} failed: {told}")]
    Failed {
        /// The agent.
        agent: String,
        /// What it said, in its last words.
        told: String,
    },
    /// What it printed is not what it should be.
    #[error("{agent} said what cannot be understood: {told}; look whether its version fits")]
    Garbled {
        /// The agent.
        agent: String,
        /// The beginning of it.
        told: String,
    },
    /// It said nothing for longer than anybody waits.
    #[error(
        "{agent} was silent for {seconds} s and was ended; set a longer 'patience' for it if it needs one"
    )]
    Silent {
        /// The agent.
        agent: String,
        /// How long.
        seconds: u64,
    },
    /// It ended well and said nothing.
    #[error("{agent} answered nothing; ask again, perhaps in other words")]
    Nothing {
        /// The agent.
        agent: String,
    },
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
}
