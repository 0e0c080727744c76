//! One answer of a model while it arrives. Never takes a call for whole before its end has come.

use std::collections::BTreeMap;

use super::setup::{BLOCKS_MAX, REPLY_MAX};
use crate::message::{Block, ToolCall, Usage};
use crate::model::ModelEvent;

/// An answer so far, by block.
#[derive(Debug, Default)]
pub(super) struct Reply {
    slots: BTreeMap<usize, Slot>,
    bytes: usize,
    usage: Usage,
}

#[derive(Debug)]
enum Slot {
    Text(String),
    Thoughts,
    Call { name: String },
    Whole(Block),
}

/// What of an answer can be kept.
#[derive(Debug, Default)]
pub(super) struct Finished {
    /// Whole blocks and cut text, in order. Blank texts and unsigned thoughts are left out.
    pub(super) blocks: Vec<Block>,
    /// The tool of a call that was cut off.
    pub(super) cut_call: Option<String>,
}

impl Reply {
    /// Takes in what a model said. Says no if the answer is longer than any model writes.
    pub(super) fn hear(&mut self, event: &ModelEvent) -> bool {
        match event {
            ModelEvent::TextDelta { index, text } => {
                self.bytes = self.bytes.saturating_add(text.len());
                match self.slots.entry(*index).or_insert_with(|| Slot::Text(String::new())) {
                    Slot::Text(so_far) => so_far.push_str(text),
                    Slot::Thoughts | Slot::Call { .. } | Slot::Whole(_) => {}
                }
            }
            ModelEvent::ThinkingDelta { index, text } => {
                self.bytes = self.bytes.saturating_add(text.len());
                self.slots.entry(*index).or_insert(Slot::Thoughts);
            }
            ModelEvent::CallStarted { index, name, .. } => {
                self.slots.entry(*index).or_insert_with(|| Slot::Call { name: name.clone() });
            }
            ModelEvent::CallDelta { json, .. } => self.bytes = self.bytes.saturating_add(json.len()),
            ModelEvent::Block { index, block } => {
                self.bytes = self.bytes.saturating_add(size_of_block(block));
                self.slots.insert(*index, Slot::Whole(block.clone()));
            }
            ModelEvent::Usage(usage) => self.usage = *usage,
            ModelEvent::Started { .. } | ModelEvent::Stopped { .. } | ModelEvent::Unknown { .. } => {}
        }
        self.bytes <= REPLY_MAX && self.slots.len() <= BLOCKS_MAX
    }

    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// Whether the model has said anything that was shown.
    pub(super) fn is_blank(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn finish(self) -> Finished {
        let mut finished = Finished::default();
        for slot in self.slots.into_values() {
            match slot {
                Slot::Text(text) => finished.blocks.push(Block::text(text)),
                Slot::Whole(block) => finished.blocks.push(block),
                Slot::Call { name } => finished.cut_call = Some(name),
                Slot::Thoughts => {}
            }
        }
        finished.blocks.retain(is_keepable);
        finished
    }
}

impl Finished {
    pub(super) fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// Whether it is more than thoughts.
    pub(super) fn says_something(&self) -> bool {
        let thinks = |block: &Block| matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. });
        !self.blocks.iter().all(thinks)
    }

    /// The words alone: of an answer that must not be acted on.
    pub(super) fn words_only(mut self) -> Self {
        self.blocks.retain(|block| matches!(block, Block::Text(_)));
        self
    }

    pub(super) fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// What may stand in a message of the model.
fn is_keepable(block: &Block) -> bool {
    match block {
        Block::Text(text) => !text.text.trim().is_empty(),
        Block::Thinking { signature, .. } => !signature.is_empty(),
        Block::RedactedThinking { data } => !data.is_empty(),
        Block::ToolUse(_) | Block::Opaque(_) => true,
        Block::Image(_) | Block::ToolResult(_) => false,
    }
}

/// About the bytes of a block on the wire.
pub(super) fn size_of_block(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.text.len(),
        // A picture costs about the same whatever its bytes are.
        Block::Image(_) => 4500,
        Block::ToolUse(call) => call.name.len() + call.input.len() + 60,
        Block::ToolResult(result) => {
            let size = |part: &crate::message::Part| match part {
                crate::message::Part::Text(text) => text.len(),
                crate::message::Part::Image(_) => 4500,
            };
            result.content.iter().map(size).sum::<usize>() + 60
        }
        Block::Thinking { text, signature } => text.len() + signature.len(),
        Block::RedactedThinking { data } => data.len(),
        Block::Opaque(verbatim) => verbatim.json.len(),
    }
}
