//! A turn without the machine that drives turns: ask, do as if the tools had run, ask again.

use std::sync::Arc;

use agent::message::{Block, Image, Message, Part, StopReason, ToolResult};
use agent::model::{Breakpoint, Effort, Limits, Model as _, ModelError, ModelEvent, Request, ToolSpec};
use futures_util::StreamExt as _;
use models::{Endpoint, Http, Key, Protocol, Remote, Timeouts};

/// What came of one request.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) blocks: Vec<Block>,
    pub(crate) text: String,
    pub(crate) reason: Result<StopReason, ModelError>,
    pub(crate) output_tokens: u64,
}

pub(crate) fn model(protocol: Protocol, url: &str) -> Remote {
    let endpoint = Endpoint::new(protocol, url, Some(Key::new("sk-none", "NO_KEY")), "NO_KEY");
    let limits = Limits { context_window: 2048, output_max: 64 };
    Remote::new("m", endpoint, limits, Http::new(Timeouts::patient()).expect("a client"))
}

pub(crate) fn request(messages: Vec<Message>, tools: Vec<ToolSpec>) -> Request {
    let last = messages.len().saturating_sub(1);
    Request {
        model: "m".to_owned(),
        system: Arc::from("You are brief."),
        tools: tools.into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        output_max: 48,
        thinking: Effort::Off,
        cache: vec![Breakpoint::Tools, Breakpoint::System, Breakpoint::Message(last)],
    }
}

pub(crate) async fn ask(model: &Remote, request: Request) -> Said {
    let mut said =
        Said { blocks: Vec::new(), text: String::new(), reason: Err(ModelError::Aborted), output_tokens: 0 };
    let mut events = model.stream(request);
    while let Some(item) = events.next().await {
        match item {
            Ok(ModelEvent::TextDelta { text, .. }) => said.text.push_str(&text),
            Ok(ModelEvent::Block { block, .. }) => said.blocks.push(block),
            Ok(ModelEvent::Usage(usage)) => said.output_tokens = usage.output,
            Ok(ModelEvent::Stopped { reason, .. }) => said.reason = Ok(reason),
            Ok(_) => {}
            Err(error) => said.reason = Err(error),
        }
    }
    said
}

/// Asks until there are no more calls; gives the last answer and the arguments of each call.
pub(crate) async fn turn(model: &Remote, effort: Effort) -> (Said, Vec<String>) {
    let schema = serde_json::json!({
        "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"]
    });
    let tool =
        ToolSpec { name: "Read".to_owned(), description: "Reads a file.".to_owned(), input_schema: schema };
    let image = Image { media_type: "image/png".to_owned(), base64: "iVBORw0KGgo=".to_owned() };
    let asked = Message::user(vec![Block::text("Read both."), Block::Image(image.clone())]);
    let (mut messages, mut inputs) = (vec![asked], Vec::new());
    for round in 0..5 {
        let mut ask_for = request(messages.clone(), vec![tool.clone()]);
        ask_for.thinking = effort;
        ask_for.output_max = 8000;
        let said = ask(model, ask_for).await;
        let message = Message::assistant(said.blocks.clone());
        let results: Vec<Block> = message
            .calls()
            .map(|call| {
                inputs.push(call.input.clone());
                Block::ToolResult(match round {
                    0 => ToolResult::success(&call.id, "text of a file"),
                    _ => ToolResult::of_parts(
                        &call.id,
                        vec![Part::Text("a picture".to_owned()), Part::Image(image.clone())],
                        true,
                    ),
                })
            })
            .collect();
        if results.is_empty() {
            return (said, inputs);
        }
        messages.push(message);
        messages.push(Message::user(results));
    }
    panic!("the turn does not end");
}
