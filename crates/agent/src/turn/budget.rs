//! How full the model's context is, and when it must be emptied. Never counts tokens itself: it trusts the provider's count, and guesses
//! from bytes what came since.

use std::sync::Arc;

use super::reply::size_of_block;
use crate::message::{Message, Usage};
use crate::model::Limits;

/// The part of the context that may be used before it is compacted, in percent.
const FILL_MAX: u64 = 80;

/// Bytes of a token, on the safe side for code and for scripts other than Latin.
const BYTES_PER_TOKEN: u64 = 3;

/// Compactions in a row that brought nothing.
const COMPACTIONS_MAX: u32 = 3;

/// How full the context is.
#[derive(Debug)]
pub(super) struct Budget {
    /// What may be used, or none if the model does not say.
    room: Option<u64>,
    used: u64,
    forced: bool,
    in_a_row: u32,
    /// Whether no summary could be had: then only the provider's word counts.
    tired: bool,
}

impl Budget {
    pub(super) fn new(limits: Limits, output_max: u32, messages: &[Arc<Message>]) -> Self {
        let window = u64::from(limits.context_window);
        let reserve = u64::from(output_max).min(window / 2);
        let room = (window > 0).then(|| (window - reserve).max(1));
        Self { room, used: tokens(messages), forced: false, in_a_row: 0, tired: false }
    }

    /// A message was added.
    pub(super) fn said(&mut self, message: &Message) {
        self.used = self.used.saturating_add(tokens_of(message));
    }

    /// An answer is whole, and the provider says what it took.
    pub(super) fn measured(&mut self, usage: Usage) {
        if usage.context() > 0 {
            self.used = usage.context();
        }
        if !self.is_over() {
            self.in_a_row = 0;
        }
    }

    /// The provider says that it is full, whatever we think.
    pub(super) fn force(&mut self) {
        self.forced = true;
    }

    /// Whether the provider said so.
    pub(super) fn is_forced(&self) -> bool {
        self.forced
    }

    /// Whether the conversation must be made shorter before the next request.
    pub(super) fn is_over(&self) -> bool {
        let percent = || self.room.map(|room| self.used.saturating_mul(100) / room);
        self.forced || (!self.tired && percent().is_some_and(|percent| percent > FILL_MAX))
    }

    /// Whether making it shorter did not help.
    pub(super) fn is_exhausted(&self) -> bool {
        self.in_a_row >= if self.forced { 1 } else { COMPACTIONS_MAX }
    }

    /// The conversation was made shorter.
    pub(super) fn compacted(&mut self, messages: &[Arc<Message>]) {
        self.used = tokens(messages);
        self.forced = false;
        self.in_a_row = self.in_a_row.saturating_add(1);
    }

    /// Making it shorter failed, and there may still be room: go on without.
    pub(super) fn postpone(&mut self) {
        self.tired = true;
    }

    pub(super) fn percent(&self) -> Option<u32> {
        let room = self.room?;
        u32::try_from(self.used.saturating_mul(100) / room).ok()
    }

    /// The bytes of the conversation that a request for a summary may quote; none if it may hold all. Less with each attempt that was
    /// too long.
    pub(super) fn summary_room(&self, attempt: u32) -> Option<usize> {
        let room = self.room.unwrap_or(self.used).saturating_mul(BYTES_PER_TOKEN);
        let room = room >> attempt.min(32).saturating_add(1);
        (attempt > 0 || self.forced).then(|| usize::try_from(room).unwrap_or(usize::MAX))
    }
}

/// About the tokens of messages.
fn tokens(messages: &[Arc<Message>]) -> u64 {
    messages.iter().fold(0, |sum, message| sum.saturating_add(tokens_of(message)))
}

fn tokens_of(message: &Message) -> u64 {
    let bytes: usize = message.content.iter().map(size_of_block).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN + 1
}
