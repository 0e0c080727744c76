//! What came of a tool call, and the words that a model gets when it is stopped. Never leaves a call without a word.

use serde::{Deserialize, Serialize};

/// The person stopped the model while it spoke.
pub const INTERRUPT_USER: &str = "[Request interrupted by user]";

/// The person stopped the model while its tools ran or waited.
pub const INTERRUPT_TOOL: &str = "[Request interrupted by user for tool use]";

/// Says to the model that a call was rejected and that it must wait.
pub const INTERRUPT_EXPLANATION: &str = "The user doesn't want to proceed with this tool use. \
     The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). \
     STOP what you are doing and wait for the user to tell you how to proceed.";

/// Stands for an output without a letter; providers refuse empty content.
pub const NO_OUTPUT: &str = "(no output)";

/// The result of a call behind one that was rejected.
pub const NOT_EXECUTED: &str = "Not executed: an earlier tool call in this step was rejected by the user.";

/// What came of a call. The next request holds one for each call of the message before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub call: String,
    /// What the tool says. Never empty if made by the functions here.
    pub content: Vec<Part>,
    /// Whether the call failed, was refused or was stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// The tool did its work.
    pub fn success(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self::of_parts(call, vec![Part::Text(content.into())], false)
    }

    /// The tool failed, or did not run.
    pub fn error(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self::of_parts(call, vec![Part::Text(content.into())], true)
    }

    /// The person rejected the call and wants to say something first.
    pub fn interrupt(call: impl Into<String>) -> Self {
        Self::error(call, format!("{INTERRUPT_TOOL}\n\n{INTERRUPT_EXPLANATION}"))
    }

    /// Texts and images. What is empty is left out, and if nothing is left, the result says so.
    pub fn of_parts(call: impl Into<String>, mut content: Vec<Part>, is_error: bool) -> Self {
        content.retain(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()));
        if content.is_empty() {
            content.push(Part::Text(NO_OUTPUT.to_owned()));
        }
        Self { call: call.into(), content, is_error }
    }

    /// All texts of the result, one under the other.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Part::as_text).collect();
        texts.join("\n")
    }
}

/// A piece of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Image(Image),
}

impl Part {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) => None,
        }
    }
}

/// A picture, ready for the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// The bytes in standard base64.
    pub base64: String,
}
