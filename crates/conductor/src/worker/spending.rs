//! What an attempt of a worker takes, counted answer by answer, so that run and worker stop at their limits and not a prompt later. Never
//! counts an answer twice.

use agent::StreamController;
use agent::history::Record;
use agent::message::{Role as Speaker, Usage};
use agent::model::ModelEvent;
use agent::turn::Ended;
use tokio::sync::mpsc;
use tokio::time::Instant;
use workspace::conversation::TurnEvent;

use crate::actor::Message;
use crate::core::Event;
use crate::role::Role;

/// Answers of a model, and their tokens.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    turns: u32,
    usage: Usage,
}

impl Spent {
    fn plus(self, other: Spent) -> Spent {
        Spent { turns: self.turns.saturating_add(other.turns), usage: self.usage.plus(other.usage) }
    }
}

/// What one attempt takes, and what its role lets it take.
pub(super) struct Spending {
    role: Role,
    tell: mpsc::Sender<Message>,
    stop: StreamController,
    /// The tokens of the answer that arrives.
    arriving: Usage,
    /// What the run was told of this prompt, and what it was not told yet.
    told: Spent,
    untold: Spent,
    /// The tokens that were written in this attempt.
    written: u64,
    /// When the time of the role is up.
    pub(super) until: Option<Instant>,
}

impl Spending {
    pub(super) fn new(role: &Role, tell: mpsc::Sender<Message>, stop: StreamController) -> Self {
        Self {
            role: role.clone(),
            tell,
            stop,
            arriving: Usage::default(),
            told: Spent::default(),
            untold: Spent::default(),
            written: 0,
            until: role.time_max.map(|time| Instant::now() + time),
        }
    }

    /// Takes note of what a turn says. An answer that is whole is told to the run, and may be the last one that the role allows.
    pub(super) fn hear(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Model(ModelEvent::Started { .. }) => self.arriving = Usage::default(),
            TurnEvent::Model(ModelEvent::Usage(usage)) => self.arriving = *usage,
            // An answer is kept when it is whole.
            TurnEvent::Committed(Record::Message(message)) if message.role == Speaker::Assistant => {
                self.count();
            }
            TurnEvent::Model(_)
            | TurnEvent::Committed(_)
            | TurnEvent::Superseded
            | TurnEvent::Asked { .. }
            | TurnEvent::Settled(_)
            | TurnEvent::ToolStarted { .. }
            | TurnEvent::ToolReported { .. }
            | TurnEvent::ToolFinished { .. }
            | TurnEvent::RuleMade { .. }
            | TurnEvent::Restored(_)
            | TurnEvent::Note(_)
            | TurnEvent::Ended(_) => {}
        }
    }

    fn count(&mut self) {
        let usage = std::mem::take(&mut self.arriving);
        self.written = self.written.saturating_add(usage.output);
        self.untold = self.untold.plus(Spent { turns: 1, usage });
        // A run that has no room for news hears of it with the next answer, or at the end of the prompt.
        if self.tell.try_send(Message::Event(worked(&self.role, self.untold))).is_ok() {
            self.told = self.told.plus(std::mem::take(&mut self.untold));
        }
        if self.is_written_out() {
            self.stop.abort();
        }
    }

    /// Tells the run what it has not heard of a prompt that is over, such as what it took to sum the conversation up.
    pub(super) async fn end_prompt(&mut self, ended: &Ended) {
        let told = std::mem::take(&mut self.told);
        self.untold = Spent::default();
        let turns = ended.iterations.saturating_sub(told.turns);
        let rest = Spent { turns, usage: ended.usage.less(told.usage) };
        super::say(&self.tell, worked(&self.role, rest)).await;
    }

    /// Why the role allows nothing more, if so.
    pub(super) fn over(&self) -> Option<String> {
        let name = &self.role.name;
        if let Some(tokens_max) = self.role.tokens_max.filter(|_| self.is_written_out()) {
            return Some(format!(
                "{name} wrote {} tokens, and its description allows {tokens_max}",
                self.written
            ));
        }
        let is_late = self.until.is_some_and(|until| until <= Instant::now());
        is_late.then(|| format!("{name} worked for as long as its description allows"))
    }

    fn is_written_out(&self) -> bool {
        self.role.tokens_max.is_some_and(|tokens_max| self.written >= tokens_max)
    }
}

fn worked(role: &Role, spent: Spent) -> Event {
    Event::Worked { worker: Some(role.name.clone()), turns: spent.turns, usage: spent.usage }
}
