//! Makes a conversation shorter, by the model's own summary. Never touches the conversation before the summary is whole.

use std::sync::Arc;

use super::event::{Effect, EndReason, Note, Purpose, StreamId};
use super::{Phase, Turn, summary};
use crate::history::Record;
use crate::model::ModelEvent;
use crate::request::{Ending, build};

/// The longest summary, in tokens.
const SUMMARY_MAX: u32 = 8192;

/// Attempts to ask for a summary in less room.
const ATTEMPTS_MAX: u32 = 3;

/// Why a conversation is made shorter, which decides what comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A person asked for it; the turn ends with it.
    Person,
    /// It is nearly full; the turn could go on without.
    Nearly,
    /// The provider refused it; the turn cannot go on without.
    Full,
}

impl Turn {
    /// The provider says that the request is too long.
    pub(super) fn shorten(&mut self, effects: &mut Vec<Effect>) {
        self.set_aside();
        if self.purpose == Purpose::Summary {
            self.summary_attempt += 1;
            if self.summary_attempt > ATTEMPTS_MAX {
                return self
                    .without_summary("the conversation is too long to be summed up".to_owned(), effects);
            }
            return self.ask_summary(effects);
        }
        self.budget.force();
        self.make_room(effects);
    }

    /// Asks for a summary, unless the last ones did not help.
    pub(super) fn make_room(&mut self, effects: &mut Vec<Effect>) {
        if self.budget.is_exhausted() {
            return self.end(EndReason::ContextFull, effects);
        }
        let cause = if self.budget.is_forced() { Cause::Full } else { Cause::Nearly };
        self.compact(cause, String::new(), effects);
    }

    /// Asks for a summary.
    pub(super) fn compact(&mut self, cause: Cause, words: String, effects: &mut Vec<Effect>) {
        self.cause = cause;
        self.summary_words = words;
        self.summary_attempt = 0;
        effects.push(Effect::Note(Note::Compacting));
        self.ask_summary(effects);
    }

    /// Sends the request for a summary.
    pub(super) fn ask_summary(&mut self, effects: &mut Vec<Effect>) {
        let room = self.budget.summary_room(self.summary_attempt);
        let messages = summary::order(self.history.messages(), room, &self.summary_words);
        let output_max = SUMMARY_MAX.min(self.setup.limits.output_max.max(1));
        let request = Box::new(build(&self.setup.frame, &messages, output_max, Ending::Person));
        let stream = StreamId(self.next_id());
        self.purpose = Purpose::Summary;
        self.phase = Phase::Summarising(stream);
        effects.push(Effect::Ask { stream, purpose: Purpose::Summary, request, ending: Ending::Person });
    }

    /// The model said some of the summary.
    pub(super) fn hear_summary(&mut self, event: &ModelEvent, effects: &mut Vec<Effect>) {
        let fits = self.reply.hear(event);
        if !fits {
            effects.extend(self.stream().map(Effect::StopStream));
        }
        if !fits || matches!(event, ModelEvent::Stopped { .. }) {
            self.summarised(effects);
        }
    }

    fn summarised(&mut self, effects: &mut Vec<Effect>) {
        let reply = std::mem::take(&mut self.reply);
        self.usage = self.usage.plus(reply.usage());
        let text = reply.finish().text();
        if text.trim().is_empty() {
            return self.without_summary("the model gave no summary".to_owned(), effects);
        }
        self.forget_trouble();
        self.paused = false;
        let messages = self.history.messages().len();
        let replacement = Arc::new(summary::replacement(self.history.messages(), &text));
        let record = Record::Compacted(replacement);
        self.history.apply(&record);
        self.budget.compacted(self.history.messages());
        self.fresh = None;
        effects.push(Effect::Commit(record));
        effects.push(Effect::Note(Note::Compacted { messages }));
        match self.cause {
            Cause::Person => self.end(EndReason::Completed, effects),
            Cause::Nearly | Cause::Full => self.ask(effects),
        }
    }

    /// There is no summary. The conversation stays as it is.
    pub(super) fn without_summary(&mut self, reason: String, effects: &mut Vec<Effect>) {
        self.reply = super::reply::Reply::default();
        match self.cause {
            Cause::Person => self.end(EndReason::Failed(reason), effects),
            Cause::Full => self.end(EndReason::ContextFull, effects),
            Cause::Nearly => {
                effects.push(Effect::Note(Note::Warning(reason)));
                self.budget.postpone();
                self.ask(effects);
            }
        }
    }
}
