//! The port to a language model. Never names a provider: adapters do, elsewhere.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use serde_json::Value;

use crate::message::{Block, Message, StopReason, Usage};

/// A language model behind any provider. Whatever speaks is behind this port: a service, a program, a script of a test.
pub trait Model: Send + Sync {
    /// Its name, as people write it in a configuration.
    fn id(&self) -> &str;

    /// What fits.
    fn limits(&self) -> Limits;

    /// Begins an answer. The stream ends after [`ModelEvent::Stopped`] or after the first error. Dropping it cancels.
    fn stream(&self, request: Request) -> ModelStream;
}

/// An answer while it arrives.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// What fits a model, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The conversation and the answer together.
    pub context_window: u32,
    /// The longest answer.
    pub output_max: u32,
}

/// All that a model gets. Made by one function of this crate, so that every request keeps the providers' rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The name of the model, as the provider knows it.
    pub model: String,
    /// The system prompt. The same bytes in each request of a session, or the provider's cache and signatures are void.
    pub system: Arc<str>,
    /// The tools. The same in each request of a session.
    pub tools: Arc<[ToolSpec]>,
    /// The conversation. Begins and ends with the person, unless the provider paused the model.
    pub messages: Vec<Arc<Message>>,
    /// The longest answer, in tokens.
    pub output_max: u32,
    /// How hard the model thinks.
    pub thinking: Effort,
    /// The ends of what the provider should keep in its cache, at most four, in the order of the request.
    pub cache: Vec<Breakpoint>,
}

/// How hard a model thinks before it answers. An adapter maps it to what its provider understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Not at all, or as the provider thinks fit.
    #[default]
    Off,
    /// A little.
    Low,
    /// As for most work.
    Medium,
    /// As long as it takes.
    High,
}

/// The end of a prefix that the provider should keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakpoint {
    /// After the last tool.
    Tools,
    /// After the system prompt.
    System,
    /// After the last block of the message with this index.
    Message(usize),
}

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Value,
}

/// One thing that a model said. Blocks are told apart by their index, as they may arrive interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// The provider began to answer.
    Started {
        /// The provider's name of the answer, for reports of bugs; may be empty.
        id: String,
    },
    /// Some words of a text block.
    TextDelta {
        /// The block.
        index: usize,
        /// The words.
        text: String,
    },
    /// Some thoughts of a thinking block.
    ThinkingDelta {
        /// The block.
        index: usize,
        /// The thoughts.
        text: String,
    },
    /// A call begins. Its arguments are not known yet.
    CallStarted {
        /// The block.
        index: usize,
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
    },
    /// Some of the arguments of a call.
    CallDelta {
        /// The block.
        index: usize,
        /// A piece of JSON text, cut anywhere.
        json: String,
    },
    /// A block is whole. It replaces all deltas of its index. A block that was cut off never arrives this way.
    Block {
        /// The block.
        index: usize,
        /// What goes back to the provider, verbatim.
        block: Block,
    },
    /// The tokens of this answer so far: totals, which replace those of the event before.
    Usage(Usage),
    /// The answer is whole. Nothing follows.
    Stopped {
        /// Why.
        reason: StopReason,
        /// What the provider says about it, for the person.
        detail: Option<String>,
    },
    /// Something that we do not know and that does no harm, a ping too. Shows that the provider is alive.
    Unknown {
        /// Its name on the wire.
        kind: String,
    },
}

/// Why a model call stopped early, named by what the caller does next.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Send the same request again, after a while.
    #[error("{reason}")]
    Retry {
        /// How long the provider wants us to wait, if it said so.
        after: Option<Duration>,
        /// What happened.
        reason: RetryReason,
    },
    /// Make the conversation shorter, then send it again.
    #[error("the conversation no longer fits the model")]
    TooLong,
    /// Tell the person which key to set.
    #[error("{provider} refused the key; set a valid one in {variable}")]
    RefusedKey {
        /// The provider.
        provider: String,
        /// The environment variable or setting that holds the key. Never the key.
        variable: String,
    },
    /// Tell the person, and do not send the same again.
    #[error("the provider rejected the request: {message}")]
    Rejected {
        /// The provider's words.
        message: String,
    },
    /// Tell the person; something is wrong between us and the provider.
    #[error("the model call failed")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Nothing: we stopped it ourselves.
    #[error("the model call was stopped")]
    Aborted,
}

impl ModelError {
    /// The stream ended without [`ModelEvent::Stopped`].
    pub fn closed_early() -> Self {
        Self::Retry { after: None, reason: RetryReason::Cut("the connection was closed".to_owned()) }
    }
}

/// Why a request is worth sending again. Each kind has attempts of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetryReason {
    /// The provider was not reached, or the connection broke before the answer began.
    #[error("waiting for the network: {0}")]
    Network(String),
    /// The provider cannot answer now: overload, rate limit, internal error.
    #[error("the provider cannot answer now: {0}")]
    Provider(String),
    /// The answer broke off before its end, or nothing came for too long.
    #[error("the answer broke off: {0}")]
    Cut(String),
}
