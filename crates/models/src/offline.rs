//! The model that needs no network and no key: a planner by rules. It lists, searches and reads with the tools it is given,
//! runs the commands that the person wrote, and quotes what it found. Never pretends to be a language model, and says the same
//! to the same conversation each time.

mod conversation;
mod words;
mod toolbox;
mod plan;
mod findings;
mod digest;
mod report;
mod worker;

use agent::message::{Block, StopReason};
use agent::model::{Limits, Model, ModelError, ModelEvent, ModelStream, Request};
use futures_util::stream;

use conversation::Conversation;
use plan::{Action, next};
use toolbox::Toolbox;

/// What the person is told under each answer, so that nobody takes rules for thoughts.
pub(crate) const NOTE: &str = "_This is agent-doc's offline model: it searches and quotes by fixed rules and does not \
    understand text. For a language model set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a server of \
    your own; `agent-doc models` shows what can be used._";

/// The planner. It has no state: all that it knows stands in the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Offline {
    /// Its name in configurations.
    pub const ID: &'static str = "offline";

    /// The blocks of the next answer.
    fn answer(request: &Request) -> (Vec<Block>, StopReason) {
        let toolbox = Toolbox::of(&request.tools);
        let assigned = worker::next(&request.messages, &toolbox);
        match assigned.unwrap_or_else(|| next(&Conversation::of(&request.messages), &toolbox)) {
            Action::Say(text) => {
                (vec![Block::text(format!("{}\n\n{NOTE}", text.trim_end()))], StopReason::EndTurn)
            }
            Action::Do { why, calls } => {
                // The place in the conversation makes the ids new each time, without chance.
                let place = request.messages.len();
                let calls = calls.into_iter().enumerate().map(|(index, call)| {
                    Block::call(format!("offline_{place}_{index}"), call.name, call.input.to_string())
                });
                let blocks = std::iter::once(Block::text(why)).chain(calls).collect();
                (blocks, StopReason::ToolUse)
            }
        }
    }
}

impl Model for Offline {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn limits(&self) -> Limits {
        Limits { context_window: 1_000_000, output_max: 32_000 }
    }

    fn stream(&self, request: Request) -> ModelStream {
        let (blocks, reason) = Self::answer(&request);
        let id = format!("offline_{}", request.messages.len());
        let mut events: Vec<Result<ModelEvent, ModelError>> = vec![Ok(ModelEvent::Started { id })];
        for (index, block) in blocks.into_iter().enumerate() {
            events.extend(deltas(index, &block).into_iter().map(Ok));
            events.push(Ok(ModelEvent::Block { index, block }));
        }
        events.push(Ok(ModelEvent::Stopped { reason, detail: None }));
        Box::pin(stream::iter(events))
    }
}

/// Text comes line by line, as a document can show it; the rest as any model sends it.
fn deltas(index: usize, block: &Block) -> Vec<ModelEvent> {
    match block {
        Block::Text(text) => {
            let lines = text.text.split_inclusive('\n');
            lines.map(|line| ModelEvent::TextDelta { index, text: line.to_owned() }).collect()
        }
        other => crate::scripted::deltas(index, other),
    }
}
