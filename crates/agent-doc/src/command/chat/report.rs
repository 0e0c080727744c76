//! What a headless turn says, as text or as JSON. Never mixes the two: results go to standard output, the rest beside it.

use std::path::Path;
use std::time::Duration;

use agent::history::Record;
use agent::message::{Block, Message, Role};
use agent::request::Frame;
use agent::turn::{EndReason, Ended, Note};
use anyhow::Result;
use serde_json::{Value, json};
use tools::output::plain;
use workspace::conversation::TurnEvent;

use crate::arguments::OutputFormat;
use crate::output;

/// Tells what happens.
pub(super) struct Reporter {
    format: OutputFormat,
    session: String,
    model: String,
    tools: Vec<String>,
    folder: String,
    /// What the model said last.
    answer: String,
    /// What stands between it and what the model says next.
    seam: Seam,
    turns: u32,
}

/// How one message of the model follows the one before.
#[derive(Clone, Copy)]
enum Seam {
    /// It is a new answer: tools ran in between.
    Anew,
    /// It goes on in the middle of a sentence: the output limit cut off the one before, and we asked for the rest.
    MidSentence,
    /// It goes on after a pause that the provider made.
    Pause,
}

impl Reporter {
    pub(super) fn new(
        format: OutputFormat,
        session: &str,
        model: &str,
        frame: &Frame,
        folder: &Path,
    ) -> Reporter {
        Reporter {
            format,
            session: session.to_owned(),
            model: model.to_owned(),
            tools: frame.tools.iter().map(|tool| tool.name.clone()).collect(),
            folder: folder.to_string_lossy().into_owned(),
            answer: String::new(),
            seam: Seam::Anew,
            turns: 0,
        }
    }

    pub(super) fn begin(&self) -> Result<()> {
        self.line(&json!({
            "type": "system", "subtype": "init", "session_id": self.session, "model": self.model,
            "tools": self.tools, "cwd": self.folder,
        }))
    }

    pub(super) fn told(&mut self, event: TurnEvent) {
        match event {
            TurnEvent::Committed(Record::Message(message)) => self.said(&message),
            TurnEvent::Committed(Record::Withdrawn | Record::Compacted(_)) => {}
            TurnEvent::Note(Note::Retrying { attempt, attempts_max, after, reason }) => output::notice(
                &format!("{reason}; attempt {attempt} of {attempts_max} in {:.1} s", after.as_secs_f64()),
            ),
            TurnEvent::Note(Note::Warning(words)) => output::notice(&format!("warning: {words}")),
            TurnEvent::Note(Note::Denied { tool, words }) => {
                output::notice(&format!("{tool} did not run: {words}"));
            }
            TurnEvent::Note(_)
            | TurnEvent::Model(_)
            | TurnEvent::Superseded
            | TurnEvent::Asked { .. }
            | TurnEvent::Settled(_)
            | TurnEvent::ToolStarted { .. }
            | TurnEvent::ToolReported { .. }
            | TurnEvent::ToolFinished { .. }
            | TurnEvent::RuleMade { .. }
            | TurnEvent::Restored(_)
            | TurnEvent::Ended(_) => {}
        }
    }

    fn said(&mut self, message: &Message) {
        let kind = match message.role {
            Role::Assistant => {
                self.turns += 1;
                self.answer_with(&words(message));
                "assistant"
            }
            Role::User => {
                let after_tools = message.results().next().is_some();
                self.seam = if after_tools { Seam::Anew } else { Seam::MidSentence };
                "user"
            }
        };
        let line = json!({ "type": kind, "message": message, "session_id": self.session });
        if self.line(&line).is_err() {
            // The reader has gone away or the disk is full. The end says so, once.
        }
    }

    /// No word of an answer in several pieces is lost.
    fn answer_with(&mut self, words: &str) {
        match std::mem::replace(&mut self.seam, Seam::Pause) {
            Seam::Anew => self.answer.clear(),
            Seam::Pause if !self.answer.is_empty() && !words.is_empty() => self.answer.push_str("\n\n"),
            Seam::Pause | Seam::MidSentence => {}
        }
        self.answer.push_str(words);
    }

    pub(super) fn end(&self, ended: &Ended, took: Duration) -> Result<()> {
        match self.format {
            OutputFormat::Text => {
                if ended.reason != EndReason::Completed {
                    output::notice(&end_words(&ended.reason));
                }
                if self.answer.is_empty() {
                    return Ok(());
                }
                // For a person, wherever it goes: no answer needs to move a cursor.
                output::print(format!("{}\n", plain(self.answer.trim_end().as_bytes())).as_bytes())
            }
            OutputFormat::Json => output::print_json(&self.result(ended, took)),
            OutputFormat::StreamJson => self.line(&self.result(ended, took)),
        }
    }

    fn result(&self, ended: &Ended, took: Duration) -> Value {
        let is_error = ended.reason != EndReason::Completed;
        let subtype = match &ended.reason {
            EndReason::Completed => "success",
            EndReason::Interrupted | EndReason::Waiting => "interrupted",
            EndReason::IterationsReached(_) => "error_max_turns",
            EndReason::Refused(_) => "error_refused",
            EndReason::CutOff
            | EndReason::ContextFull
            | EndReason::Stuck
            | EndReason::Unclear(_)
            | EndReason::Failed(_) => "error_during_execution",
        };
        json!({
            "type": "result", "subtype": subtype, "is_error": is_error,
            "result": if is_error { end_words(&ended.reason) } else { self.answer.clone() },
            "session_id": self.session, "model": self.model, "num_turns": self.turns,
            "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "usage": ended.usage, "permission_denials": ended.denials,
        })
    }

    /// One line of JSON, if that is what is wanted.
    fn line(&self, value: &Value) -> Result<()> {
        if self.format == OutputFormat::StreamJson {
            output::print(format!("{value}\n").as_bytes())
        } else {
            Ok(())
        }
    }
}

/// How a turn ended, with the remedy that there is without a screen.
fn end_words(reason: &EndReason) -> String {
    match reason {
        EndReason::IterationsReached(count) => {
            format!("stopped after {count} model calls; go on with --continue, or raise --max-turns")
        }
        other => other.words(),
    }
}

/// The words of a message, without what the model thought.
fn words(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
