//! How many tokens an answer took. Never adds within one answer: providers report totals, again and again.

use serde::{Deserialize, Serialize};

/// The tokens of one answer, or of several added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read and neither found in nor put into the cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Found in the provider's cache.
    pub cache_read: u64,
    /// Put into the provider's cache.
    pub cache_write: u64,
}

impl Usage {
    /// Takes over the totals that a report holds and keeps the rest.
    pub fn overwrite(&mut self, update: UsageUpdate) {
        let fields = [
            (&mut self.input, update.input),
            (&mut self.output, update.output),
            (&mut self.cache_read, update.cache_read),
            (&mut self.cache_write, update.cache_write),
        ];
        for (field, total) in fields {
            *field = total.unwrap_or(*field);
        }
    }

    /// What the conversation will at least take as input of the next request.
    pub fn context(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write].into_iter().fold(0, u64::saturating_add)
    }

    /// What is left of a sum without a part of it.
    #[must_use]
    pub fn less(self, part: Self) -> Self {
        Self {
            input: self.input.saturating_sub(part.input),
            output: self.output.saturating_sub(part.output),
            cache_read: self.cache_read.saturating_sub(part.cache_read),
            cache_write: self.cache_write.saturating_sub(part.cache_write),
        }
    }

    /// The sum with another answer.
    #[must_use]
    pub fn plus(&self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}

/// What one report of a provider says; it may leave out any total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageUpdate {
    /// See [`Usage::input`].
    pub input: Option<u64>,
    /// See [`Usage::output`].
    pub output: Option<u64>,
    /// See [`Usage::cache_read`].
    pub cache_read: Option<u64>,
    /// See [`Usage::cache_write`].
    pub cache_write: Option<u64>,
}
