//! What a person, a model and the tools said, as it goes back to the model. Never changes a byte of what a provider sent:
//! a provider may refuse a conversation whose past was edited.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

mod result;
mod stop;
mod usage;

pub use result::{
    INTERRUPT_EXPLANATION, INTERRUPT_TOOL, INTERRUPT_USER, Image, NO_OUTPUT, NOT_EXECUTED, Part, ToolResult,
};
pub use stop::StopReason;
pub use usage::{Usage, UsageUpdate};

/// Who speaks. The system prompt is no message; it stands in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, and the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation, and one line of its transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
}

impl Message {
    /// A message of the person or of the tools.
    pub fn user(content: Vec<Block>) -> Self {
        Self { role: Role::User, content }
    }

    /// A message of the model.
    pub fn assistant(content: Vec<Block>) -> Self {
        Self { role: Role::Assistant, content }
    }

    /// The calls in it, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// The results in it, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Words.
    Text(Text),
    /// A picture that the person gave.
    Image(Image),
    /// The model wants a tool to run.
    ToolUse(ToolCall),
    /// What came of a call.
    ToolResult(ToolResult),
    /// What the model thought, signed by its provider. Goes back as it came, also if the text is empty.
    Thinking {
        /// The thoughts, as far as the provider shows them.
        text: String,
        /// The provider's seal. A block that ended has one; a block that was cut off has none and is never kept.
        signature: String,
    },
    /// What the model thought, readable only by its provider.
    RedactedThinking {
        /// The sealed thoughts.
        data: String,
    },
    /// Anything else that a provider sent and wants back: search results of its own, reasoning items, blocks of next year.
    Opaque(Verbatim),
}

impl Block {
    /// Plain words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into(), verbatim: None })
    }

    /// A call with nothing but our own fields.
    pub fn call(id: impl Into<String>, name: impl Into<String>, input: impl Into<String>) -> Self {
        Self::ToolUse(ToolCall { id: id.into(), name: name.into(), input: input.into(), verbatim: None })
    }
}

/// Words, and the block that they came in if it holds more than words, such as citations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The words.
    pub text: String,
    /// The whole block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<Verbatim>,
}

/// A block or item as JSON text, exactly as the provider sent it. Goes back to that provider in place of our own fields;
/// another provider gets the fields, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verbatim {
    /// Whose it is, as the adapter calls itself: `anthropic`, `openai-responses`.
    pub provider: String,
    /// One JSON value.
    pub json: String,
}

/// The model wants a tool to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's name of this call. The result bears it too.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, exactly as they arrived. May be empty and may be no JSON at all: models do both.
    pub input: String,
    /// The whole block, if it holds more than these fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<Verbatim>,
}

impl ToolCall {
    /// The arguments as a JSON object. An empty input means no arguments.
    pub fn arguments(&self) -> Result<serde_json::Map<String, serde_json::Value>, BadInput> {
        if self.input.trim().is_empty() {
            return Ok(serde_json::Map::new());
        }
        serde_json::from_str(&self.input)
            .map_err(|error| BadInput { message: error.to_string(), received: self.input.clone() })
    }

    /// The arguments as they go back to the provider: the bytes that came, or `{}` if those are no object.
    pub fn input_to_send(&self) -> Cow<'_, str> {
        match self.arguments() {
            Ok(_) if !self.input.trim().is_empty() => Cow::Borrowed(&self.input),
            Ok(_) | Err(_) => Cow::Borrowed("{}"),
        }
    }
}

/// The arguments of a call are no JSON object. The text goes to the model, which then mends its call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("InputValidationError: tool input is not a valid JSON object: {message}\nReceived: {received}")]
pub struct BadInput {
    /// What the parser said.
    pub message: String,
    /// What it read.
    pub received: String,
}
