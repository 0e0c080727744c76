//! The Messages API of Anthropic: requests out, events of an answer in. Never drops or reorders a block, and never changes a
//! signed one.

mod block;
mod request;

use std::collections::BTreeMap;

use agent::message::{StopReason, Usage, UsageUpdate};
use agent::model::{ModelError, ModelEvent};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::{Decode, Progress};
use crate::failure::{Complaint, broken, cut};
use crate::sse::Frame;
use block::OpenBlock;

pub(crate) use request::encode;

/// The most blocks of one answer.
const BLOCKS_MAX: usize = 10_000;

/// What we make of the events of one answer.
#[derive(Default)]
pub(crate) struct Decoder {
    begun: bool,
    usage: Usage,
    blocks: BTreeMap<usize, OpenBlock>,
    blocks_seen: usize,
    reason: Option<StopReason>,
    detail: Option<String>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: std::borrow::Cow<'a, str>,
}

#[derive(Deserialize)]
struct MessageStart {
    message: StartedMessage,
}

#[derive(Deserialize)]
struct StartedMessage {
    #[serde(default)]
    id: String,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize, Default)]
struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct BlockStart<'a> {
    index: usize,
    #[serde(borrow)]
    content_block: &'a RawValue,
}

#[derive(Deserialize)]
struct BlockDelta<'a> {
    index: usize,
    #[serde(borrow)]
    delta: &'a RawValue,
}

#[derive(Deserialize)]
struct BlockStop {
    index: usize,
}

#[derive(Deserialize)]
struct MessageDelta {
    #[serde(default)]
    delta: Ending,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize, Default)]
struct Ending {
    stop_reason: Option<StopReason>,
    stop_details: Option<Value>,
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelError> {
        let data = frame.data.as_str();
        let kind = parsed::<Kind<'_>>(data)?.kind;
        let kind = if kind.is_empty() { frame.event.as_str() } else { &kind };
        match kind {
            "error" => return Err(Complaint::of_value(&parsed(data)?).in_stream()),
            "message_start" => self.start(parsed(data)?, events)?,
            _ if !self.begun && is_known(kind) => {
                return Err(broken(format!("the stream begins with {kind} instead of message_start")));
            }
            "content_block_start" => self.open(&parsed(data)?, events)?,
            "content_block_delta" => self.add(&parsed(data)?, events)?,
            "content_block_stop" => self.close(&parsed(data)?, events)?,
            "message_delta" => self.delta(parsed(data)?, events),
            "message_stop" => {
                events.push(self.stopped());
                return Ok(Progress::Over);
            }
            unknown => events.push(ModelEvent::Unknown { kind: unknown.to_owned() }),
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        Err(cut("the stream ended before message_stop"))
    }
}

impl Decoder {
    fn start(&mut self, start: MessageStart, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if std::mem::replace(&mut self.begun, true) {
            return Err(broken("the stream holds a second message_start"));
        }
        events.push(ModelEvent::Started { id: start.message.id });
        self.count(start.message.usage, events);
        Ok(())
    }

    fn open(&mut self, start: &BlockStart<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let &BlockStart { index, content_block } = start;
        self.blocks_seen += 1;
        if self.blocks_seen > BLOCKS_MAX {
            return Err(broken(format!("the answer holds more than {BLOCKS_MAX} blocks")));
        }
        let (block, event) = OpenBlock::begin(index, content_block)
            .map_err(|error| broken(format!("content_block_start is not understood: {error}")))?;
        events.extend(event);
        match self.blocks.insert(index, block) {
            None => Ok(()),
            Some(_) => Err(broken(format!("block {index} is started twice"))),
        }
    }

    fn add(&mut self, delta: &BlockDelta<'_>, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let &BlockDelta { index, delta } = delta;
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(broken(format!("there is text for block {index}, which is not open")));
        };
        let event = block
            .add(index, delta)
            .map_err(|error| broken(format!("content_block_delta is not understood: {error}")))?;
        events.push(event);
        Ok(())
    }

    fn close(&mut self, stop: &BlockStop, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let index = stop.index;
        let Some(open) = self.blocks.remove(&index) else {
            return Err(broken(format!("block {index} ends and is not open")));
        };
        events.push(ModelEvent::Block { index, block: open.end() });
        Ok(())
    }

    fn delta(&mut self, delta: MessageDelta, events: &mut Vec<ModelEvent>) {
        if let Some(reason) = delta.delta.stop_reason {
            self.reason = Some(reason);
        }
        if let Some(details) = delta.delta.stop_details {
            self.detail = told(&details).or_else(|| self.detail.take());
        }
        self.count(delta.usage, events);
    }

    fn count(&mut self, tokens: Option<Tokens>, events: &mut Vec<ModelEvent>) {
        let Some(tokens) = tokens else { return };
        self.usage.overwrite(UsageUpdate {
            input: tokens.input_tokens,
            output: tokens.output_tokens,
            cache_read: tokens.cache_read_input_tokens,
            cache_write: tokens.cache_creation_input_tokens,
        });
        events.push(ModelEvent::Usage(self.usage));
    }

    fn stopped(&mut self) -> ModelEvent {
        let reason = self.reason.take().unwrap_or_else(|| StopReason::Other("none".to_owned()));
        ModelEvent::Stopped { reason, detail: self.detail.take() }
    }
}

/// Events that only make sense within a message. Anything else may come at any time.
fn is_known(kind: &str) -> bool {
    kind.starts_with("content_block_") || kind.starts_with("message_")
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|error| broken(format!("an event is not understood: {error}")))
}

/// `{category, explanation}` in one line.
fn told(details: &Value) -> Option<String> {
    let word = |key: &str| details.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    match (word("category"), word("explanation")) {
        (Some(category), Some(explanation)) => Some(format!("{category}: {explanation}")),
        (one, other) => one.or(other).map(str::to_owned),
    }
}
