//! What the person says while a turn runs. Never loses a word: what the model did not get is given back.

use std::collections::VecDeque;

use super::event::Delivery;
use super::setup::QUEUE_MAX;
use crate::message::Block;

/// What waits for its time, in order.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<(Delivery, Vec<Block>)>,
}

impl Queue {
    /// Takes it in, or gives it back if there is no room.
    pub(super) fn push(&mut self, delivery: Delivery, content: Vec<Block>) -> Result<(), Vec<Block>> {
        if self.waiting.len() >= QUEUE_MAX {
            return Err(content);
        }
        self.waiting.push_back((delivery, content));
        Ok(())
    }

    /// What goes out with the next request.
    pub(super) fn take_next_step(&mut self) -> Vec<Block> {
        let (now, later) = self.waiting.drain(..).partition(|(delivery, _)| *delivery == Delivery::NextStep);
        self.waiting = later;
        let now: VecDeque<(Delivery, Vec<Block>)> = now;
        now.into_iter().flat_map(|(_, content)| content).collect()
    }

    /// All that is left.
    pub(super) fn take_all(&mut self) -> Vec<Vec<Block>> {
        self.waiting.drain(..).map(|(_, content)| content).collect()
    }
}

/// What a person can say: words that are not blank, and pictures.
pub(super) fn spoken(mut content: Vec<Block>) -> Vec<Block> {
    content.retain(|block| match block {
        Block::Text(text) => !text.text.trim().is_empty(),
        Block::Image(_) => true,
        Block::ToolUse(_)
        | Block::ToolResult(_)
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::Opaque(_) => false,
    });
    content
}
