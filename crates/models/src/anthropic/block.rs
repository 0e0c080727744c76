//! One block of an answer while it arrives. Never parses the arguments of a call before the block has ended, and keeps
//! every field of a block that it does not know, as it came.

use std::collections::BTreeMap;

use agent::message::{Block, Text, ToolCall, Verbatim};
use agent::model::ModelEvent;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::super::protocol::Protocol;

/// A block whose end has not come.
pub(super) struct OpenBlock {
    kind: String,
    /// The block as it was begun, field by field, each as its bytes.
    fields: BTreeMap<String, Box<RawValue>>,
    /// Words or thoughts so far.
    text: String,
    /// Arguments so far.
    input: String,
    signature: String,
    citations: Vec<Box<RawValue>>,
    /// The whole block as it came. Blocks without deltas go back like this.
    begun: Box<RawValue>,
    grown: bool,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    partial_json: String,
    #[serde(default)]
    signature: String,
    #[serde(borrow, default)]
    citation: Option<&'a RawValue>,
}

impl OpenBlock {
    pub(super) fn begin(index: usize, raw: &RawValue) -> serde_json::Result<(Self, Option<ModelEvent>)> {
        let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(raw.get())?;
        // A field without a value is no field.
        fields.retain(|_, value| value.get() != "null");
        let word = |key: &str| string(&fields, key);
        let kind = word("type");
        let (text, signature) = match kind.as_str() {
            "text" => (word("text"), String::new()),
            "thinking" => (word("thinking"), word("signature")),
            _ => (String::new(), String::new()),
        };
        let event = match kind.as_str() {
            "tool_use" => Some(ModelEvent::CallStarted { index, id: word("id"), name: word("name") }),
            "text" if !text.is_empty() => Some(ModelEvent::TextDelta { index, text: text.clone() }),
            "thinking" if !text.is_empty() => Some(ModelEvent::ThinkingDelta { index, text: text.clone() }),
            _ => None,
        };
        let block = Self {
            kind,
            fields,
            text,
            input: String::new(),
            signature,
            citations: Vec::new(),
            begun: raw.to_owned(),
            grown: false,
        };
        Ok((block, event))
    }

    pub(super) fn add(&mut self, index: usize, raw: &RawValue) -> serde_json::Result<ModelEvent> {
        let delta: Delta<'_> = serde_json::from_str(raw.get())?;
        self.grown = true;
        let event = match delta.kind.as_str() {
            "text_delta" => {
                self.text.push_str(&delta.text);
                ModelEvent::TextDelta { index, text: delta.text }
            }
            "thinking_delta" => {
                self.text.push_str(&delta.thinking);
                ModelEvent::ThinkingDelta { index, text: delta.thinking }
            }
            "input_json_delta" => {
                self.input.push_str(&delta.partial_json);
                ModelEvent::CallDelta { index, json: delta.partial_json }
            }
            // There is one signature for each block, so it replaces.
            "signature_delta" => {
                self.signature = delta.signature;
                ModelEvent::Unknown { kind: delta.kind }
            }
            "citations_delta" => {
                self.citations.extend(delta.citation.map(ToOwned::to_owned));
                ModelEvent::Unknown { kind: delta.kind }
            }
            _ => ModelEvent::Unknown { kind: delta.kind },
        };
        Ok(event)
    }

    /// The block as it goes back to the provider.
    pub(super) fn end(mut self) -> Block {
        match self.kind.as_str() {
            "text" => {
                let verbatim = self.cited();
                Block::Text(Text { text: self.text, verbatim })
            }
            "thinking" => Block::Thinking { text: self.text, signature: self.signature },
            "redacted_thinking" => Block::RedactedThinking { data: string(&self.fields, "data") },
            "tool_use" => self.call(),
            _ => Block::Opaque(self.opaque()),
        }
    }

    fn call(mut self) -> Block {
        let input = if self.input.is_empty() { self.begun_input() } else { std::mem::take(&mut self.input) };
        let (id, name) = (string(&self.fields, "id"), string(&self.fields, "name"));
        let plain = self.fields.keys().all(|key| ["type", "id", "name", "input"].contains(&key.as_str()));
        let verbatim = if plain { None } else { self.with_input(&input) };
        Block::ToolUse(ToolCall { id, name, input, verbatim })
    }

    /// A server may send all arguments at the start; usually there is an empty object.
    fn begun_input(&self) -> String {
        let input = self.fields.get("input").map(|raw| raw.get()).unwrap_or_default();
        if input == "{}" { String::new() } else { input.to_owned() }
    }

    /// The whole block, if its arguments are JSON; else only our own fields can go back.
    fn with_input(&mut self, input: &str) -> Option<Verbatim> {
        let input = if input.trim().is_empty() { "{}" } else { input };
        let raw = RawValue::from_string(input.to_owned()).ok()?;
        self.fields.insert("input".to_owned(), raw);
        self.composed()
    }

    fn cited(&mut self) -> Option<Verbatim> {
        let plain = self.fields.keys().all(|key| ["type", "text"].contains(&key.as_str()));
        if plain && self.citations.is_empty() {
            return None;
        }
        self.fields.insert("text".to_owned(), to_raw_value(&self.text).ok()?);
        if !self.citations.is_empty() {
            self.fields.insert("citations".to_owned(), to_raw_value(&self.citations).ok()?);
        }
        self.composed()
    }

    fn opaque(mut self) -> Verbatim {
        let input = std::mem::take(&mut self.input);
        let grown = self.grown && !input.is_empty();
        let composed = if grown { self.with_input(&input) } else { None };
        composed.unwrap_or_else(|| verbatim(self.begun.get().to_owned()))
    }

    fn composed(&self) -> Option<Verbatim> {
        serde_json::to_string(&self.fields).ok().map(verbatim)
    }
}

fn verbatim(json: String) -> Verbatim {
    Verbatim { provider: Protocol::Anthropic.name().to_owned(), json }
}

/// The text of a field; empty if there is none.
fn string(fields: &BTreeMap<String, Box<RawValue>>, key: &str) -> String {
    fields.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
