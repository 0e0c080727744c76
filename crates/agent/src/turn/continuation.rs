//! What follows an answer, by its structure. Never by its words: "let me check the next file" may be all that the model has to say.

use super::reply::Finished;
use crate::message::StopReason;

/// What follows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The tools run.
    Tools,
    /// The turn is complete.
    Complete,
    /// The answer was cut off; the model is told so and goes on.
    Cut,
    /// The same conversation goes out again; the provider goes on by itself.
    Pause,
    /// The model will not answer, and nothing of the answer is acted on.
    Refused,
    /// The conversation is made shorter, then the model goes on.
    WindowFull,
    /// Nobody knows. The turn ends, and nothing runs.
    Unclear,
}

/// Decides what follows. A call that is whole is run whatever the reason says, unless the answer is refused or the reason is unknown.
pub(super) fn needs_continuation(reply: &Finished, reason: &StopReason) -> Next {
    let calls = reply.calls().next().is_some();
    match reason {
        StopReason::Refusal | StopReason::ContentFiltered | StopReason::GuardrailIntervened => Next::Refused,
        StopReason::Other(_) => Next::Unclear,
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::ToolUse
        | StopReason::MaxTokens
        | StopReason::PauseTurn
        | StopReason::ModelContextWindowExceeded
            if calls =>
        {
            Next::Tools
        }
        StopReason::EndTurn | StopReason::StopSequence => Next::Complete,
        StopReason::ToolUse => Next::Unclear,
        StopReason::MaxTokens => Next::Cut,
        StopReason::PauseTurn => Next::Pause,
        StopReason::ModelContextWindowExceeded => Next::WindowFull,
    }
}

/// What the model is told when its answer was cut off.
pub(super) fn cut_notice(cut_call: Option<&str>) -> String {
    match cut_call {
        Some(tool) => format!(
            "{CUT_NOTICE} while writing a tool call ({tool}). Nothing of that call was executed. Continue in smaller steps."
        ),
        None => format!("{CUT_NOTICE}. Continue exactly where you stopped, and repeat nothing."),
    }
}

/// How each such notice begins.
pub(super) const CUT_NOTICE: &str = "Your last reply was cut off by the output limit";
