//! The chat completions of OpenAI and of the many servers that imitate them: requests out, events of an answer in. Never
//! relies on a part that imitations leave out: the last mark, the usage, the index or the id of a call.

mod call;
mod request;

use agent::message::{Block, StopReason, Usage, Verbatim};
use agent::model::{ModelError, ModelEvent};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Decode, Progress};
use crate::failure::{Complaint, broken, cut};
use crate::protocol::Protocol;
use crate::sse::Frame;
use call::{CallPiece, OpenCall};

pub(crate) use request::{data_url, effort, encode};

/// The most blocks of one answer.
const BLOCKS_MAX: usize = 1000;

/// What we make of the chunks of one answer.
pub(crate) struct Decoder {
    /// Names calls that came without an id: the number of messages before this answer is new each time.
    place: usize,
    begun: bool,
    /// In the order in which they began; the position is the index of the block.
    blocks: Vec<OpenBlock>,
    finish: Option<String>,
    refused: bool,
}

enum OpenBlock {
    Text(String),
    /// Thoughts, and the field they came in.
    Thoughts {
        field: &'static str,
        text: String,
    },
    Call(OpenCall),
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u32,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelError> {
        if frame.data.trim() == "[DONE]" {
            self.stop(events);
            return Ok(Progress::Over);
        }
        let chunk: Chunk = serde_json::from_str(&frame.data)
            .map_err(|error| broken(format!("a chunk is not understood: {error}")))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(Complaint::of_value(&error).in_stream());
        }
        if !std::mem::replace(&mut self.begun, true) {
            events.push(ModelEvent::Started { id: chunk.id.unwrap_or_default() });
        }
        // We ask for one choice. A server that sends more is not listened to beyond the first.
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(|choice| choice.index == 0) {
            self.choice(choice, events)?;
        }
        if let Some(tokens) = chunk.usage {
            events.push(ModelEvent::Usage(tokens.usage()));
        }
        Ok(if self.finish.is_some() { Progress::Whole } else { Progress::More })
    }

    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.finish.is_none() {
            return Err(cut("the stream ended before a finish_reason"));
        }
        self.stop(events);
        Ok(())
    }
}

impl Decoder {
    pub(crate) fn new(place: usize) -> Self {
        Self { place, begun: false, blocks: Vec::new(), finish: None, refused: false }
    }

    fn choice(&mut self, choice: Choice, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(error) = choice.error.filter(|error| !error.is_null()) {
            return Err(Complaint::of_value(&error).in_stream());
        }
        let delta = choice.delta.unwrap_or_default();
        // Servers name the thoughts in one of two ways, and some in both.
        match (delta.reasoning_content, delta.reasoning) {
            (Some(text), _) => self.think("reasoning_content", &text, events),
            (None, Some(text)) => self.think("reasoning", &text, events),
            (None, None) => {}
        }
        self.say(&delta.content.unwrap_or_default(), events);
        let refusal = delta.refusal.unwrap_or_default();
        self.refused |= !refusal.is_empty();
        self.say(&refusal, events);
        for piece in delta.tool_calls.unwrap_or_default() {
            self.call(piece, events);
        }
        if self.blocks.len() > BLOCKS_MAX {
            return Err(broken(format!("the answer holds more than {BLOCKS_MAX} blocks")));
        }
        self.finish = choice.finish_reason.filter(|reason| !reason.is_empty()).or(self.finish.take());
        Ok(())
    }

    fn say(&mut self, words: &str, events: &mut Vec<ModelEvent>) {
        if words.is_empty() {
            return;
        }
        let is_text = |block: &OpenBlock| matches!(block, OpenBlock::Text(_));
        let index = self.find_or_begin(is_text, || OpenBlock::Text(String::new()));
        if let Some(OpenBlock::Text(text)) = self.blocks.get_mut(index) {
            text.push_str(words);
            events.push(ModelEvent::TextDelta { index, text: words.to_owned() });
        }
    }

    fn think(&mut self, field: &'static str, thoughts: &str, events: &mut Vec<ModelEvent>) {
        if thoughts.is_empty() {
            return;
        }
        let is_thoughts = |block: &OpenBlock| matches!(block, OpenBlock::Thoughts { .. });
        let index = self.find_or_begin(is_thoughts, || OpenBlock::Thoughts { field, text: String::new() });
        if let Some(OpenBlock::Thoughts { text, .. }) = self.blocks.get_mut(index) {
            text.push_str(thoughts);
            events.push(ModelEvent::ThinkingDelta { index, text: thoughts.to_owned() });
        }
    }

    fn find_or_begin(
        &mut self,
        is_it: impl Fn(&OpenBlock) -> bool,
        begin: impl FnOnce() -> OpenBlock,
    ) -> usize {
        self.blocks.iter().position(is_it).unwrap_or_else(|| {
            self.blocks.push(begin());
            self.blocks.len() - 1
        })
    }

    fn call(&mut self, piece: CallPiece, events: &mut Vec<ModelEvent>) {
        let mut open = self.blocks.iter_mut().enumerate().rev().filter_map(|(index, block)| match block {
            OpenBlock::Call(call) => Some((index, call)),
            OpenBlock::Text(_) | OpenBlock::Thoughts { .. } => None,
        });
        if let Some((index, call)) = open.find(|(_, call)| call.takes(&piece)) {
            let json = call.add(piece);
            if !json.is_empty() {
                events.push(ModelEvent::CallDelta { index, json });
            }
            return;
        }
        let index = self.blocks.len();
        let (call, json) = OpenCall::begin(piece, format!("call_{}_{index}", self.place));
        events.push(ModelEvent::CallStarted { index, id: call.id.clone(), name: call.name.clone() });
        if !json.is_empty() {
            events.push(ModelEvent::CallDelta { index, json });
        }
        self.blocks.push(OpenBlock::Call(call));
    }

    /// The answer is over: its blocks, and why it ended.
    fn stop(&mut self, events: &mut Vec<ModelEvent>) {
        let finish = self.finish.take();
        let cut_off = finish.as_deref() == Some("length");
        for (index, block) in std::mem::take(&mut self.blocks).into_iter().enumerate() {
            let block = match block {
                OpenBlock::Text(text) => Block::text(text),
                OpenBlock::Thoughts { field, text } => thoughts(field, &text),
                // Arguments that the limit cut off are no JSON. No beginning of an object is one, so this is certain.
                OpenBlock::Call(call) if cut_off && !call.is_whole() => continue,
                OpenBlock::Call(call) => call.end(),
            };
            events.push(ModelEvent::Block { index, block });
        }
        let reason = if self.refused { StopReason::Refusal } else { reason(finish) };
        events.push(ModelEvent::Stopped { reason, detail: None });
    }
}

/// Thoughts are kept with the name of their field, and go back under it while the calls of this answer are worked on.
fn thoughts(field: &str, text: &str) -> Block {
    let json = serde_json::json!({ field: text }).to_string();
    Block::Opaque(Verbatim { provider: Protocol::Chat.name().to_owned(), json })
}

fn reason(finish: Option<String>) -> StopReason {
    match finish.as_deref() {
        Some("stop") => StopReason::EndTurn,
        Some("length") => StopReason::MaxTokens,
        Some("tool_calls" | "function_call") => StopReason::ToolUse,
        Some("content_filter") => StopReason::ContentFiltered,
        _ => StopReason::Other(finish.unwrap_or_else(|| "none".to_owned())),
    }
}

impl Tokens {
    /// Tokens from the cache are counted among those of the prompt.
    fn usage(&self) -> Usage {
        let cached =
            self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens).unwrap_or(0);
        Usage {
            input: self.prompt_tokens.saturating_sub(cached),
            output: self.completion_tokens,
            cache_read: cached,
            cache_write: 0,
        }
    }
}
