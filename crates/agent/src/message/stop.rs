//! Why a model stopped. Never fails on a reason that is new: providers add some every year.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a model stopped. It decides what comes next, together with the blocks that arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum StopReason {
    /// A filter of the provider held the answer back.
    ContentFiltered,
    /// The model has said all.
    EndTurn,
    /// A guardrail of the provider stepped in.
    GuardrailIntervened,
    /// The limit of output was reached; the last block may be cut.
    MaxTokens,
    /// A text that ends the answer came up.
    StopSequence,
    /// The model waits for its tools.
    ToolUse,
    /// The provider wants the same conversation again, to go on by itself.
    PauseTurn,
    /// The model will not answer. Its calls must not run.
    Refusal,
    /// The conversation and the answer no longer fit the model.
    ModelContextWindowExceeded,
    /// A reason that we do not know.
    Other(String),
}

impl StopReason {
    /// The word of the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ContentFiltered => "content_filtered",
            Self::EndTurn => "end_turn",
            Self::GuardrailIntervened => "guardrail_intervened",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::ToolUse => "tool_use",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::ModelContextWindowExceeded => "model_context_window_exceeded",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for StopReason {
    fn from(word: String) -> Self {
        match word.as_str() {
            "content_filtered" => Self::ContentFiltered,
            "end_turn" => Self::EndTurn,
            "guardrail_intervened" => Self::GuardrailIntervened,
            "max_tokens" => Self::MaxTokens,
            "stop_sequence" => Self::StopSequence,
            "tool_use" => Self::ToolUse,
            "pause_turn" => Self::PauseTurn,
            "refusal" => Self::Refusal,
            "model_context_window_exceeded" => Self::ModelContextWindowExceeded,
            _ => Self::Other(word),
        }
    }
}

impl From<StopReason> for String {
    fn from(reason: StopReason) -> Self {
        reason.as_str().to_owned()
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
