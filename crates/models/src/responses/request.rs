//! A request as the Responses API wants it. Never asks the provider to keep the conversation: we have it.

use agent::message::{Block, Image, Message, Part, Role, ToolCall, ToolResult, Verbatim};
use agent::model::{Effort, Request, ToolSpec};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::chat::{data_url, effort};
use crate::protocol::Protocol;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    /// Sealed thoughts come with the answer, so that they can go back without being kept elsewhere.
    include: [&'static str; 1],
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item {
    Own(Value),
    Verbatim(Box<RawValue>),
}

/// The body of a request.
pub(crate) fn encode(request: &Request) -> String {
    let mut input = Vec::new();
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut input),
            Role::Assistant => input.extend(message.content.iter().filter_map(said)),
        }
    }
    let body = Body {
        model: &request.model,
        instructions: &request.system,
        input,
        tools: request.tools.iter().map(tool).collect(),
        max_output_tokens: request.output_max,
        reasoning: reasoning(request.thinking),
        include: ["reasoning.encrypted_content"],
        store: false,
        stream: true,
    };
    // Strings, numbers and checked JSON can always be written.
    serde_json::to_string(&body).unwrap_or_default()
}

fn reasoning(thinking: Effort) -> Option<Value> {
    effort(thinking).map(|effort| json!({ "effort": effort, "summary": "auto" }))
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        // Strict schemas forbid optional arguments, which our tools have.
        "strict": false
    })
}

fn user(message: &Message, input: &mut Vec<Item>) {
    let mut content = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => input.push(Item::Own(output(result))),
            Block::Text(text) if !text.text.trim().is_empty() => {
                content.push(json!({ "type": "input_text", "text": text.text }));
            }
            Block::Image(image) => content.push(input_image(image)),
            Block::Text(_)
            | Block::ToolUse(_)
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Opaque(_) => {}
        }
    }
    if !content.is_empty() {
        input.push(Item::Own(json!({ "type": "message", "role": "user", "content": content })));
    }
}

fn output(result: &ToolResult) -> Value {
    let has_image = result.content.iter().any(|part| matches!(part, Part::Image(_)));
    let output = if has_image {
        let part = |part: &Part| match part {
            Part::Text(text) => json!({ "type": "input_text", "text": text }),
            Part::Image(image) => input_image(image),
        };
        result.content.iter().map(part).collect()
    } else {
        Value::String(result.text())
    };
    json!({ "type": "function_call_output", "call_id": result.call, "output": output })
}

fn input_image(image: &Image) -> Value {
    json!({ "type": "input_image", "image_url": data_url(image), "detail": "auto" })
}

/// What the model said: the item as it came, or one of our own if it came from elsewhere.
fn said(block: &Block) -> Option<Item> {
    let own = match block {
        Block::Text(text) => match own_verbatim(text.verbatim.as_ref()) {
            Some(raw) => return Some(Item::Verbatim(raw)),
            None if text.text.trim().is_empty() => return None,
            None => json!({ "type": "message", "role": "assistant", "content": text.text }),
        },
        Block::ToolUse(call) => match own_verbatim(call.verbatim.as_ref()) {
            Some(raw) => return Some(Item::Verbatim(raw)),
            None => function_call(call),
        },
        Block::Opaque(verbatim) => {
            let raw = own_verbatim(Some(verbatim))?;
            // Thoughts that are not sealed into the item are known to a provider that kept them, and we asked it not to.
            return can_go_back(raw.get()).then_some(Item::Verbatim(raw));
        }
        Block::Image(_) | Block::ToolResult(_) | Block::Thinking { .. } | Block::RedactedThinking { .. } => {
            return None;
        }
    };
    Some(Item::Own(own))
}

fn own_verbatim(verbatim: Option<&Verbatim>) -> Option<Box<RawValue>> {
    let verbatim = verbatim.filter(|verbatim| verbatim.provider == Protocol::Responses.name())?;
    RawValue::from_string(verbatim.json.clone()).ok()
}

fn can_go_back(item: &str) -> bool {
    let Ok(item) = serde_json::from_str::<Value>(item) else { return false };
    let is_reasoning = item.get("type").and_then(Value::as_str) == Some("reasoning");
    !is_reasoning || item.get("encrypted_content").is_some_and(Value::is_string)
}

fn function_call(call: &ToolCall) -> Value {
    json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.input_to_send() })
}
