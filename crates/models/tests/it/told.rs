//! Events in words, one a line, so that a test shows all of an answer.

use agent::message::{Block, Text};
use agent::model::{ModelError, ModelEvent};
use models::Protocol;
use models::answer::Answer;

/// What came of a stream: its events, and the error that ended it.
pub(crate) type Outcome = (Vec<ModelEvent>, Option<String>);

/// Decodes `pieces` as one answer.
pub(crate) fn decoded<'a>(protocol: Protocol, pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let (mut answer, mut events) = (Answer::new(protocol, 1), Vec::new());
    for piece in pieces {
        if let Err(error) = answer.feed(piece, &mut events) {
            return (events, Some(error_line(&error)));
        }
    }
    let error = answer.finish(&mut events).err();
    (events, error.as_ref().map(error_line))
}

/// One line for each event and one for the error.
pub(crate) fn told(outcome: &Outcome) -> String {
    let mut lines: Vec<String> = outcome.0.iter().map(line).collect();
    lines.extend(outcome.1.clone());
    lines.join("\n") + "\n"
}

pub(crate) fn error_line(error: &ModelError) -> String {
    format!("error {error:?}")
}

pub(crate) fn line(event: &ModelEvent) -> String {
    match event {
        ModelEvent::Started { id } => format!("started {id}"),
        ModelEvent::TextDelta { index, text } => format!("{index} + {text:?}"),
        ModelEvent::ThinkingDelta { index, text } => format!("{index} thinks {text:?}"),
        ModelEvent::CallStarted { index, id, name } => format!("{index} calls {name} as {id}"),
        ModelEvent::CallDelta { index, json } => format!("{index} > {json}"),
        ModelEvent::Block { index, block } => format!("{index} = {}", block_line(block)),
        ModelEvent::Usage(usage) => format!(
            "usage in {} out {} read {} written {}",
            usage.input, usage.output, usage.cache_read, usage.cache_write
        ),
        ModelEvent::Stopped { reason, detail } => match detail {
            Some(detail) => format!("stopped {reason}: {detail}"),
            None => format!("stopped {reason}"),
        },
        ModelEvent::Unknown { kind } => format!("unknown {kind}"),
    }
}

fn block_line(block: &Block) -> String {
    match block {
        Block::Text(Text { text, verbatim: None }) => format!("text {text:?}"),
        Block::Text(Text { text, verbatim: Some(whole) }) => format!("text {text:?} of {}", whole.json),
        Block::ToolUse(call) => match &call.verbatim {
            None => format!("call {} {} {}", call.id, call.name, call.input),
            Some(whole) => format!("call {} {} {} of {}", call.id, call.name, call.input, whole.json),
        },
        Block::Thinking { text, signature } => format!("thinking {text:?} signed {signature}"),
        Block::RedactedThinking { data } => format!("redacted {data}"),
        Block::Opaque(whole) => format!("opaque {}", whole.json),
        Block::Image(_) | Block::ToolResult(_) => "no block of a model".to_owned(),
    }
}
