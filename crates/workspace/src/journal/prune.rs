//! How much of the past is kept. Never decides by anything but age, number and size, so that a person can predict it.

use super::history::History;

const DAY_MILLISECONDS: u64 = 24 * 60 * 60 * 1000;

/// What of a history is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Operations younger than this many milliseconds are kept.
    pub age: u64,
    /// So many of the latest operations are kept, however old they are.
    pub operations: usize,
    /// In a journal of more bytes, age alone keeps nothing.
    pub bytes: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Keep { age: 30 * DAY_MILLISECONDS, operations: 1000, bytes: 64 << 20 }
    }
}

impl Keep {
    /// How many of the oldest operations may go.
    pub(super) fn expendable(&self, history: &History, now: u64, bytes: u64) -> usize {
        let entries = history.entries();
        let beyond = entries.len().saturating_sub(self.operations);
        if bytes > self.bytes {
            return beyond;
        }
        let old = entries.iter().take_while(|entry| entry.time.saturating_add(self.age) < now).count();
        old.min(beyond)
    }
}
