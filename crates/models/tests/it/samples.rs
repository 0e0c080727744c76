//! Streams as providers send them, written by hand after their documentation.

use std::sync::Arc;

use agent::message::{Block, Message};
use agent::model::{Effort, Request, ToolSpec};
use models::Protocol;

/// An event of the Messages API for each object.
pub(crate) fn anthropic(objects: &[&str]) -> String {
    objects.iter().map(|object| format!("event: {}\ndata: {object}\n\n", kind(object))).collect()
}

/// Chunks of chat completions.
pub(crate) fn chat(objects: &[&str]) -> String {
    objects.iter().map(|object| format!("data: {object}\n\n")).collect()
}

fn kind(object: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(object).unwrap();
    value["type"].as_str().unwrap().to_owned()
}

pub(crate) const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","role":"assistant","usage":{"input_tokens":10,"output_tokens":1}}}"#;
pub(crate) const TEXT: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
pub(crate) const STOP: &str = r#"{"type":"message_stop"}"#;
pub(crate) const END_TURN: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}}"#;

pub(crate) fn text_delta(text: &str) -> String {
    format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text:?}}}}}"#)
}

/// A small whole answer for each protocol, with letters of two, three and four bytes.
pub(crate) fn hello(protocol: Protocol) -> String {
    match protocol {
        Protocol::Anthropic => anthropic(&[
            START,
            TEXT,
            &text_delta("известни "),
            &text_delta("🦀 日本"),
            r#"{"type":"content_block_stop","index":0}"#,
            END_TURN,
            STOP,
        ]),
        Protocol::Chat => chat(&[
            r#"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"известни "}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":"🦀 日本"},"finish_reason":"stop"}]}"#,
            r#"{"id":"c1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}"#,
            "[DONE]",
        ]),
        Protocol::Responses => anthropic(&[
            r#"{"type":"response.created","response":{"id":"resp_1"}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}}"#,
            r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"известни "}"#,
            r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"🦀 日本"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"известни 🦀 日本","annotations":[]}]}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":10,"output_tokens":5}}}"#,
        ]),
    }
}

/// A request with one tool.
pub(crate) fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "a-model".to_owned(),
        system: Arc::from("Be brief."),
        tools: Arc::from([ToolSpec {
            name: "Read".to_owned(),
            description: "Reads a file.".to_owned(),
            input_schema: serde_json::json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        }]),
        messages: messages.into_iter().map(Arc::new).collect(),
        output_max: 4096,
        thinking: Effort::Off,
        cache: Vec::new(),
    }
}

pub(crate) fn question() -> Request {
    request(vec![Message::user(vec![Block::text("Hello?")])])
}
