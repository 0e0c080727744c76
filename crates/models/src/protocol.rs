//! The wire formats that we speak. Never knows where a server is or which key it wants.

use std::fmt;
use std::str::FromStr;

use agent::model::Request;
use serde_json::Value;

use crate::answer::Decode;
use crate::{anthropic, chat, responses};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// The Messages API of Anthropic, which llama.cpp speaks too.
    Anthropic,
    /// The chat completions of OpenAI: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter and many others.
    Chat,
    /// The Responses API of OpenAI.
    Responses,
}

/// Where servers of one protocol differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The provider that defined the protocol.
    Original,
    /// Another server that speaks it. It gets older and simpler spellings.
    Compatible,
}

impl Dialect {
    /// The dialect of the server at `url`.
    pub fn of(url: &str) -> Self {
        let host = url.split("://").nth(1).unwrap_or(url).split(['/', ':']).next().unwrap_or_default();
        match host {
            "api.openai.com" | "api.anthropic.com" => Self::Original,
            _ => Self::Compatible,
        }
    }
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::Chat, Self::Responses];

    /// Its name in options, recordings and kept messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
        }
    }

    /// Where requests go, below the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "/v1/messages",
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
        }
    }

    /// The body of a request, as JSON. The same request gives the same bytes.
    pub fn encode(self, request: &Request, dialect: Dialect) -> String {
        match self {
            Self::Anthropic => anthropic::encode(request),
            Self::Chat => chat::encode(request, dialect),
            Self::Responses => responses::encode(request),
        }
    }

    pub(crate) fn decoder(self, place: usize) -> Box<dyn Decode> {
        match self {
            Self::Anthropic => Box::new(anthropic::Decoder::default()),
            Self::Chat => Box::new(chat::Decoder::new(place)),
            Self::Responses => Box::new(responses::Decoder::default()),
        }
    }

    /// Which protocol a stream speaks, told by one piece of its data.
    pub fn guess(data: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(data).ok()?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        if value.get("choices").is_some() {
            return Some(Self::Chat);
        }
        if kind.starts_with("response.") {
            return Some(Self::Responses);
        }
        let anthropic = ["message_start", "content_block_start", "content_block_delta", "message_delta"];
        anthropic.contains(&kind).then_some(Self::Anthropic)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// There is no such protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no provider `{0}`; there are anthropic, openai-chat and openai-responses")]
pub struct UnknownProtocol(String);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| UnknownProtocol(name.to_owned()))
    }
}
