//! The Responses API of OpenAI: requests out, events of an answer in. Never edits an item: what the provider sent goes back
//! as it came, its sealed thoughts too.

mod item;
mod request;

use std::collections::BTreeSet;

use agent::message::{Block, StopReason, Usage};
use agent::model::{ModelError, ModelEvent};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::{Decode, Progress};
use crate::failure::{Complaint, broken, cut};
use crate::sse::Frame;
use item::Item;

pub(crate) use request::encode;

/// The most items of one answer.
const ITEMS_MAX: usize = 10_000;

/// What we make of the events of one answer.
#[derive(Default)]
pub(crate) struct Decoder {
    /// Items that have arrived whole.
    whole: BTreeSet<usize>,
    /// Items whose thoughts have begun, to keep their paragraphs apart.
    thinking: BTreeSet<usize>,
    calls: bool,
    refused: bool,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    output_index: usize,
    #[serde(default)]
    delta: Value,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    id: String,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(borrow, default)]
    output: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelError> {
        if frame.data.trim() == "[DONE]" {
            return Ok(Progress::More);
        }
        let event: Event<'_> = parsed(&frame.data)?;
        let kind = if event.kind.is_empty() { frame.event.as_str() } else { event.kind.as_str() };
        let (index, delta) = (event.output_index, event.delta.as_str().unwrap_or_default().to_owned());
        match kind {
            "error" => return Err(Complaint::of_value(&parsed(&frame.data)?).in_stream()),
            "response.created" => {
                let id = response(event.response)?.id;
                events.push(ModelEvent::Started { id });
            }
            "response.output_item.added" => self.begin(index, event.item, events)?,
            "response.output_text.delta" => events.push(ModelEvent::TextDelta { index, text: delta }),
            "response.refusal.delta" => {
                self.refused = true;
                events.push(ModelEvent::TextDelta { index, text: delta });
            }
            "response.reasoning_summary_part.added" if !self.thinking.insert(index) => {
                events.push(ModelEvent::ThinkingDelta { index, text: "\n\n".to_owned() });
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                events.push(ModelEvent::ThinkingDelta { index, text: delta });
            }
            "response.function_call_arguments.delta" => {
                events.push(ModelEvent::CallDelta { index, json: delta });
            }
            "response.output_item.done" => self.end_item(index, event.item, events)?,
            "response.completed" | "response.incomplete" => {
                self.stop(kind, response(event.response)?, events)?;
                return Ok(Progress::Over);
            }
            "response.failed" => return Err(failed(event.response)),
            unknown => events.push(ModelEvent::Unknown { kind: unknown.to_owned() }),
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        Err(cut("the stream ended before response.completed"))
    }
}

impl Decoder {
    fn begin(
        &self,
        index: usize,
        raw: Option<&RawValue>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let item = Item::read(raw).map_err(|error| not_understood(&error))?;
        match item.call() {
            Some((id, name)) => events.push(ModelEvent::CallStarted { index, id, name }),
            None => events.push(ModelEvent::Unknown { kind: item.kind }),
        }
        Ok(())
    }

    /// An item that is whole becomes a block. One that the limit cut off does not: its deltas are all there is.
    fn end_item(
        &mut self,
        index: usize,
        raw: Option<&RawValue>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let item = Item::read(raw).map_err(|error| not_understood(&error))?;
        if self.whole.len() >= ITEMS_MAX {
            return Err(broken(format!("the answer holds more than {ITEMS_MAX} items")));
        }
        if item.is_cut() || !self.whole.insert(index) {
            return Ok(());
        }
        self.refused |= item.refuses();
        let block = item.block();
        self.calls |= matches!(block, Block::ToolUse(_));
        events.push(ModelEvent::Block { index, block });
        Ok(())
    }

    fn stop(
        &mut self,
        kind: &str,
        response: Response<'_>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        // Some servers tell items only here.
        for (index, raw) in response.output.unwrap_or_default().into_iter().enumerate() {
            if !self.whole.contains(&index) {
                self.end_item(index, Some(raw), events)?;
            }
        }
        if let Some(tokens) = response.usage {
            events.push(ModelEvent::Usage(tokens.usage()));
        }
        let why = response.incomplete_details.and_then(|details| details.reason);
        let reason = match (kind, why.as_deref()) {
            _ if self.refused => StopReason::Refusal,
            ("response.incomplete", Some("max_output_tokens")) => StopReason::MaxTokens,
            ("response.incomplete", Some("content_filter")) => StopReason::ContentFiltered,
            ("response.incomplete", _) => StopReason::Other(why.unwrap_or_else(|| "incomplete".to_owned())),
            _ if self.calls => StopReason::ToolUse,
            _ => StopReason::EndTurn,
        };
        events.push(ModelEvent::Stopped { reason, detail: None });
        Ok(())
    }
}

fn response(raw: Option<&RawValue>) -> Result<Response<'_>, ModelError> {
    parsed(raw.map_or("{}", RawValue::get))
}

/// The provider says why the whole answer failed.
fn failed(raw: Option<&RawValue>) -> ModelError {
    match response(raw) {
        Ok(response) => Complaint::of_value(&response.error.unwrap_or_default()).in_stream(),
        Err(error) => error,
    }
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|error| not_understood(&error))
}

fn not_understood(error: &serde_json::Error) -> ModelError {
    broken(format!("an event is not understood: {error}"))
}

impl Tokens {
    /// Tokens from the cache are counted among those of the input.
    fn usage(&self) -> Usage {
        let cached =
            self.input_tokens_details.as_ref().and_then(|details| details.cached_tokens).unwrap_or(0);
        Usage {
            input: self.input_tokens.saturating_sub(cached),
            output: self.output_tokens,
            cache_read: cached,
            cache_write: 0,
        }
    }
}
