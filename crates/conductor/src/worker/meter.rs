//! What a worker's model takes, told after each of its answers and not only at the end of a prompt: a budget that is used up in the middle
//! of one stops it there. Never counts an answer twice.

use agent::message::Usage;
use agent::model::ModelEvent;
use agent::turn::Ended;
use workspace::conversation::TurnEvent;

/// Counts the answers of one prompt.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// What the provider says of the answer that comes.
    latest: Usage,
    /// What was told already.
    turns: u32,
    usage: Usage,
}

impl Meter {
    /// What an answer took, when it is whole.
    pub(super) fn hear(&mut self, event: &TurnEvent) -> Option<Usage> {
        if let TurnEvent::Model(ModelEvent::Usage(usage)) = event {
            self.latest = *usage;
        }
        let is_whole = matches!(event, TurnEvent::Model(ModelEvent::Stopped { .. }));
        is_whole.then(|| std::mem::take(&mut self.latest))
    }

    /// An answer was told, if there was room for that.
    pub(super) fn count(&mut self, told: Option<Usage>) {
        if let Some(usage) = told {
            self.turns += 1;
            self.usage = self.usage.plus(usage);
        }
    }

    /// What is still to be told of a prompt that is over.
    pub(super) fn left(&self, ended: &Ended) -> (u32, Usage) {
        let (all, told) = (ended.usage, self.usage);
        let usage = Usage {
            input: all.input.saturating_sub(told.input),
            output: all.output.saturating_sub(told.output),
            cache_read: all.cache_read.saturating_sub(told.cache_read),
            cache_write: all.cache_write.saturating_sub(told.cache_write),
        };
        (ended.iterations.saturating_sub(self.turns), usage)
    }
}
