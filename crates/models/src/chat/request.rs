//! A request as chat completions want it. Never sends what another provider sealed.

use agent::message::{Block, Image, Message, Part, Role};
use agent::model::{Effort, Request};
use serde_json::{Map, Value, json};

use crate::protocol::{Dialect, Protocol};

/// The body of a request.
pub(crate) fn encode(request: &Request, dialect: Dialect) -> String {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": &*request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.extend(assistant(message)),
        }
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("messages".to_owned(), Value::Array(messages));
    body.insert("stream".to_owned(), json!(true));
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    // The provider renamed the field and refuses the old name for new models; imitations know only the old one.
    let limit = match dialect {
        Dialect::Original => "max_completion_tokens",
        Dialect::Compatible => "max_tokens",
    };
    body.insert(limit.to_owned(), json!(request.output_max));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request));
    }
    if let Some(effort) = effort(request.thinking) {
        body.insert("reasoning_effort".to_owned(), json!(effort));
    }
    Value::Object(body).to_string()
}

/// The word that OpenAI uses; nothing if the provider decides.
pub(crate) fn effort(effort: Effort) -> Option<&'static str> {
    match effort {
        Effort::Off => None,
        Effort::Low => Some("low"),
        Effort::Medium => Some("medium"),
        Effort::High => Some("high"),
    }
}

/// An image as the address of its own bytes.
pub(crate) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.base64)
}

fn tools(request: &Request) -> Value {
    let tool = |tool: &agent::model::ToolSpec| {
        json!({
            "type": "function",
            "function": { "name": tool.name, "description": tool.description, "parameters": tool.input_schema }
        })
    };
    request.tools.iter().map(tool).collect()
}

/// One message for each result, then one for what the person said. Results cannot hold images here, so those come after.
fn user(message: &Message, messages: &mut Vec<Value>) {
    let mut said = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => {
                let mut text = result.text();
                let images: Vec<&Image> = result.content.iter().filter_map(image).collect();
                if text.is_empty() {
                    "(an image, which follows)".clone_into(&mut text);
                }
                messages.push(json!({ "role": "tool", "tool_call_id": result.call, "content": text }));
                said.extend(images.into_iter().map(image_part));
            }
            Block::Text(text) if !text.text.trim().is_empty() => {
                said.push(json!({ "type": "text", "text": text.text }));
            }
            Block::Image(image) => said.push(image_part(image)),
            Block::Text(_)
            | Block::ToolUse(_)
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Opaque(_) => {}
        }
    }
    match said.as_slice() {
        [] => {}
        // Small servers understand a plain text only.
        [part] if part.get("text").is_some() => {
            messages.push(json!({ "role": "user", "content": part.get("text") }));
        }
        _ => messages.push(json!({ "role": "user", "content": said })),
    }
}

fn image(part: &Part) -> Option<&Image> {
    match part {
        Part::Image(image) => Some(image),
        Part::Text(_) => None,
    }
}

fn image_part(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": data_url(image) } })
}

fn assistant(message: &Message) -> Option<Value> {
    let mut said = Map::new();
    let mut text = String::new();
    let mut calls = Vec::new();
    for block in &message.content {
        match block {
            Block::Text(words) => text.push_str(&words.text),
            Block::ToolUse(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.input_to_send() }
            })),
            // Thoughts of an earlier answer are not wanted back, and some servers refuse them; see below.
            Block::Opaque(verbatim) if verbatim.provider == Protocol::Chat.name() => {
                said.extend(serde_json::from_str::<Map<String, Value>>(&verbatim.json).unwrap_or_default());
            }
            Block::Image(_)
            | Block::ToolResult(_)
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Opaque(_) => {}
        }
    }
    if calls.is_empty() {
        if text.trim().is_empty() {
            return None;
        }
        // Only servers in the middle of a chain of calls need the thoughts that led to them.
        said.clear();
    } else {
        said.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    said.insert("role".to_owned(), json!("assistant"));
    said.insert("content".to_owned(), if text.is_empty() { Value::Null } else { Value::String(text) });
    Some(Value::Object(said))
}
