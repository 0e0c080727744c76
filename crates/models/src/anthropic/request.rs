//! A request as the Messages API wants it. Never reorders what was said: a signature covers all that came before it.

use agent::message::{Block, Image, Message, Part, Role, ToolCall, ToolResult, Verbatim};
use agent::model::{Breakpoint, Effort, Request};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::Protocol;

/// Models of these families think within a budget; later ones decide by themselves how long.
const BUDGETED: &[&str] = &["claude-2", "claude-3", "-4-0", "-4-1", "-4-2025", "-4-5"];

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Content<'a>; 1]>,
    messages: Vec<Sent<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct Sent<'a> {
    role: Role,
    content: Vec<Content<'a>>,
}

/// Kept by the provider for some minutes.
#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct CacheControl {}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thinking {
    Enabled { budget_tokens: u32 },
    Adaptive { display: &'static str },
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Own(Own<'a>),
    Verbatim(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Own<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Vec<Content<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'a str,
    data: &'a str,
}

/// The body of a request.
pub(crate) fn encode(request: &Request) -> String {
    let cached = |breakpoint| request.cache.contains(&breakpoint).then_some(CacheControl {});
    let system = (!request.system.is_empty()).then(|| {
        [Content::Own(Own::Text { text: &request.system, cache_control: cached(Breakpoint::System) })]
    });
    let mut tools: Vec<Tool<'_>> = request
        .tools
        .iter()
        .map(|tool| Tool {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.input_schema,
            cache_control: None,
        })
        .collect();
    if let Some(last) = tools.last_mut() {
        last.cache_control = cached(Breakpoint::Tools);
    }
    let messages = request.messages.iter().enumerate();
    let messages = messages
        .map(|(index, message)| sent(message, cached(Breakpoint::Message(index))))
        .filter(|message| !message.content.is_empty())
        .collect();
    let (thinking, output_config) = thinking(request);
    let (model, max_tokens) = (request.model.as_str(), request.output_max);
    let body = Body { model, max_tokens, system, messages, tools, thinking, output_config, stream: true };
    // Strings, numbers and checked JSON can always be written.
    serde_json::to_string(&body).unwrap_or_default()
}

fn sent(message: &Message, cache_control: Option<CacheControl>) -> Sent<'_> {
    let mut content: Vec<Content<'_>> = message.content.iter().filter_map(block).collect();
    if let Some(Content::Own(last)) = content.last_mut() {
        last.cache(cache_control);
    }
    Sent { role: message.role, content }
}

/// A block on the wire. What another provider sealed means nothing here, and an empty text is refused.
fn block(block: &Block) -> Option<Content<'_>> {
    let own = match block {
        Block::Text(text) => match own_verbatim(text.verbatim.as_ref()) {
            Some(raw) => return Some(Content::Verbatim(raw)),
            None if text.text.trim().is_empty() => return None,
            None => Own::Text { text: &text.text, cache_control: None },
        },
        Block::Image(image) => Own::Image { source: source(image), cache_control: None },
        Block::ToolUse(call) => match own_verbatim(call.verbatim.as_ref()) {
            Some(raw) => return Some(Content::Verbatim(raw)),
            None => tool_use(call),
        },
        Block::ToolResult(result) => tool_result(result),
        Block::Thinking { text, signature } => Own::Thinking { thinking: text, signature },
        Block::RedactedThinking { data } => Own::RedactedThinking { data },
        Block::Opaque(verbatim) => return own_verbatim(Some(verbatim)).map(Content::Verbatim),
    };
    Some(Content::Own(own))
}

fn own_verbatim(verbatim: Option<&Verbatim>) -> Option<Box<RawValue>> {
    let verbatim = verbatim.filter(|verbatim| verbatim.provider == Protocol::Anthropic.name())?;
    RawValue::from_string(verbatim.json.clone()).ok()
}

fn tool_use(call: &ToolCall) -> Own<'_> {
    let input = RawValue::from_string(call.input_to_send().trim().to_owned());
    let input = input.unwrap_or_else(|_| RawValue::NULL.to_owned());
    Own::ToolUse { id: &call.id, name: &call.name, input, cache_control: None }
}

fn tool_result(result: &ToolResult) -> Own<'_> {
    let content = result.content.iter().map(|part| match part {
        Part::Text(text) => Own::Text { text, cache_control: None },
        Part::Image(image) => Own::Image { source: source(image), cache_control: None },
    });
    Own::ToolResult {
        tool_use_id: &result.call,
        content: content.map(Content::Own).collect(),
        is_error: result.is_error,
        cache_control: None,
    }
}

fn source(image: &Image) -> Source<'_> {
    Source { kind: "base64", media_type: &image.media_type, data: &image.base64 }
}

impl Own<'_> {
    /// Marks the end of what the provider keeps. Thoughts cannot bear the mark.
    fn cache(&mut self, control: Option<CacheControl>) {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::ToolUse { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => *cache_control = control,
            Self::Thinking { .. } | Self::RedactedThinking { .. } => {}
        }
    }
}

fn thinking(request: &Request) -> (Option<Thinking>, Option<OutputConfig>) {
    let (effort, share) = match request.thinking {
        Effort::Off => return (None, None),
        Effort::Low => ("low", 8),
        Effort::Medium => ("medium", 4),
        Effort::High => ("high", 2),
    };
    if !BUDGETED.iter().any(|family| request.model.contains(family)) {
        return (Some(Thinking::Adaptive { display: "summarized" }), Some(OutputConfig { effort }));
    }
    // A budget below the least that the provider takes, or one that leaves no room to speak, is no budget.
    let budget_tokens = (request.output_max / share).max(1024);
    let fits = budget_tokens < request.output_max;
    (fits.then_some(Thinking::Enabled { budget_tokens }), None)
}
