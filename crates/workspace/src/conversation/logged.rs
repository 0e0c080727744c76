//! What happens in a turn, for the log. Never writes what a person, a model or a tool said: names, counts and outcomes only.

use agent::history::Record;
use agent::turn::{EndReason, Note};
use tracing::{debug, info, warn};

use super::TurnEvent;

/// Writes an event down.
pub(super) fn log(event: &TurnEvent) {
    match event {
        TurnEvent::Committed(Record::Message(message)) => {
            debug!(role = ?message.role, blocks = message.content.len(), "message committed");
        }
        TurnEvent::Committed(Record::Withdrawn) => debug!("message withdrawn"),
        TurnEvent::Committed(Record::Compacted(_)) => info!("context compacted"),
        TurnEvent::Superseded => debug!("answer tried again"),
        TurnEvent::Asked { question, .. } => info!(tool = question.call.name, "question asked"),
        TurnEvent::ToolStarted { key, call } => info!(?key, tool = call.name, "tool started"),
        TurnEvent::ToolFinished { key, output } => {
            info!(?key, is_error = output.is_error, "tool finished");
        }
        TurnEvent::RuleMade { rule, not_kept } => {
            info!(scope = ?rule.scope, kept = not_kept.is_none(), "rule made");
        }
        TurnEvent::Note(note) => log_note(note),
        TurnEvent::Ended(ended) => {
            let how = outcome(&ended.reason);
            info!(how, model_calls = ended.iterations, denials = ended.denials.len(), "turn ended");
        }
        TurnEvent::Model(_)
        | TurnEvent::Settled(_)
        | TurnEvent::ToolReported { .. }
        | TurnEvent::Restored(_) => {}
    }
}

fn log_note(note: &Note) {
    match note {
        Note::Retrying { attempt, attempts_max, after, reason } => {
            warn!(attempt, attempts_max, after_ms = after.as_millis(), %reason, "model asked again");
        }
        Note::Denied { tool, .. } => info!(tool, "call refused"),
        _ => debug!("note"),
    }
}

/// One word for the end. A refusal or a failure may quote the conversation, and a log must not.
fn outcome(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::Completed => "completed",
        EndReason::Interrupted => "interrupted",
        EndReason::Waiting => "waiting",
        EndReason::IterationsReached(_) => "iterations reached",
        EndReason::Refused(_) => "refused",
        EndReason::CutOff => "cut off",
        EndReason::ContextFull => "context full",
        EndReason::Stuck => "stuck",
        EndReason::Unclear(_) => "unclear",
        EndReason::Failed(_) => "failed",
    }
}
