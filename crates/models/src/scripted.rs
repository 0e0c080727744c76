//! A model that says what a test wants, turn by turn, and keeps what it was asked. Never thinks.

use std::sync::Mutex;

use agent::message::{Block, StopReason};
use agent::model::{Limits, Model, ModelError, ModelEvent, ModelStream, Request};
use futures_util::stream;

use crate::failure::broken;

/// A model with a script. Each request takes the next turn.
#[derive(Debug)]
pub struct Scripted {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    turns: std::collections::VecDeque<Vec<Result<ModelEvent, ModelError>>>,
    asked: Vec<Request>,
}

impl Scripted {
    /// Says `turns`, one for each request.
    pub fn new(turns: impl IntoIterator<Item = Vec<Result<ModelEvent, ModelError>>>) -> Self {
        let limits = Limits { context_window: 200_000, output_max: 8192 };
        let state = State { turns: turns.into_iter().collect(), asked: Vec::new() };
        Self { limits, state: Mutex::new(state) }
    }

    /// A turn that says `blocks` and stops for `reason`.
    pub fn turn(blocks: Vec<Block>, reason: StopReason) -> Vec<Result<ModelEvent, ModelError>> {
        let started = ModelEvent::Started { id: "scripted".to_owned() };
        let mut events = vec![Ok(started)];
        for (index, block) in blocks.into_iter().enumerate() {
            events.extend(deltas(index, &block).into_iter().map(Ok));
            events.push(Ok(ModelEvent::Block { index, block }));
        }
        events.push(Ok(ModelEvent::Stopped { reason, detail: None }));
        events
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Request> {
        self.state.lock().map(|state| state.asked.clone()).unwrap_or_default()
    }
}

/// What a provider sends before a block is whole.
pub(crate) fn deltas(index: usize, block: &Block) -> Vec<ModelEvent> {
    match block {
        Block::Text(text) => vec![ModelEvent::TextDelta { index, text: text.text.clone() }],
        Block::Thinking { text, .. } => vec![ModelEvent::ThinkingDelta { index, text: text.clone() }],
        Block::ToolUse(call) => vec![
            ModelEvent::CallStarted { index, id: call.id.clone(), name: call.name.clone() },
            ModelEvent::CallDelta { index, json: call.input.clone() },
        ],
        Block::Image(_) | Block::ToolResult(_) | Block::RedactedThinking { .. } | Block::Opaque(_) => {
            Vec::new()
        }
    }
}

impl Model for Scripted {
    fn id(&self) -> &'static str {
        "scripted"
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn stream(&self, request: Request) -> ModelStream {
        let Ok(mut state) = self.state.lock() else {
            return Box::pin(stream::iter([Err(broken("the script was lost in a panic"))]));
        };
        state.asked.push(request);
        let turn = state.turns.pop_front().unwrap_or_else(|| vec![Err(broken("the script is at its end"))]);
        Box::pin(stream::iter(turn))
    }
}
