//! One event of an answer, as a line for a person and as JSON for a program. Never leaves out a part that goes back to the
//! provider.

use agent::message::Block;
use agent::model::ModelEvent;
use serde_json::{Value, json};

/// One line.
pub(super) fn line(event: &ModelEvent) -> String {
    match event {
        ModelEvent::Started { id } => format!("started   {id}"),
        ModelEvent::TextDelta { index, text } => format!("text      [{index}] {text}"),
        ModelEvent::ThinkingDelta { index, text } => format!("thinking  [{index}] {text}"),
        ModelEvent::CallStarted { index, id, name } => format!("call      [{index}] {name} ({id})"),
        ModelEvent::CallDelta { index, json } => format!("input     [{index}] {json}"),
        ModelEvent::Block { index, block } => format!("block     [{index}] {}", shown(block)),
        ModelEvent::Usage(usage) => format!(
            "usage     {} in, {} out, {} from the cache, {} to the cache",
            usage.input, usage.output, usage.cache_read, usage.cache_write
        ),
        ModelEvent::Stopped { reason, detail: None } => format!("stopped   {reason}"),
        ModelEvent::Stopped { reason, detail: Some(detail) } => format!("stopped   {reason}: {detail}"),
        ModelEvent::Unknown { kind } => format!("other     {kind}"),
    }
}

fn shown(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("text, {} characters", text.text.chars().count()),
        Block::ToolUse(call) => format!("call {} ({}) {}", call.name, call.id, call.input),
        Block::Thinking { text, signature } => {
            format!("thinking, {} characters, seal of {} bytes", text.chars().count(), signature.len())
        }
        Block::RedactedThinking { data } => format!("sealed thinking, {} bytes", data.len()),
        Block::Opaque(whole) => format!("kept as it came, {} bytes", whole.json.len()),
        Block::Image(_) | Block::ToolResult(_) => "of no model".to_owned(),
    }
}

/// The event as JSON. The fields are a promise: some are added, none is renamed or taken away.
pub(super) fn json(event: &ModelEvent) -> Value {
    match event {
        ModelEvent::Started { id } => json!({ "kind": "started", "id": id }),
        ModelEvent::TextDelta { index, text } => json!({ "kind": "text", "index": index, "text": text }),
        ModelEvent::ThinkingDelta { index, text } => {
            json!({ "kind": "thinking", "index": index, "text": text })
        }
        ModelEvent::CallStarted { index, id, name } => {
            json!({ "kind": "call", "index": index, "id": id, "name": name })
        }
        ModelEvent::CallDelta { index, json } => json!({ "kind": "input", "index": index, "json": json }),
        ModelEvent::Block { index, block } => json!({ "kind": "block", "index": index, "block": block }),
        ModelEvent::Usage(usage) => json!({ "kind": "usage", "usage": usage }),
        ModelEvent::Stopped { reason, detail } => {
            json!({ "kind": "stopped", "reason": reason.as_str(), "detail": detail })
        }
        ModelEvent::Unknown { kind } => json!({ "kind": "unknown", "name": kind }),
    }
}
