//! Reads a journal's bytes as far as they can be trusted. Never stops at damage with an error, and never uses what stands
//! behind it: an operation means nothing without the one before.

use document::Revision;

use super::frame::{self, Next};
use super::history::History;
use super::record::{self, Record};

/// What a journal's bytes hold.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The part that can be trusted; nothing if its beginning cannot.
    pub(super) history: Option<History>,
    /// How many bytes that part has.
    pub(super) trusted: usize,
    /// Records behind it that are damaged, or lost because something before them is.
    pub(super) bad_frames: usize,
    /// The highest revision among the lost ones that can still be read.
    pub(super) lost_revision: Revision,
    /// The journal is of a format that a later program writes.
    pub(super) is_unknown: bool,
}

pub(super) fn scan(bytes: &[u8]) -> Scanned {
    let mut scanned = Scanned::default();
    let mut rest = bytes;
    loop {
        match frame::next(rest) {
            Next::End => return scanned,
            Next::Whole { content, rest: after } => {
                if !scanned.take(content) {
                    break;
                }
                scanned.trusted = bytes.len() - after.len();
                rest = after;
            }
            Next::Damaged { .. } => break,
        }
    }
    scanned.count_lost(rest);
    scanned
}

impl Scanned {
    /// Takes one record, if it goes on where the last one ended.
    fn take(&mut self, content: &[u8]) -> bool {
        match (record::read(content), &mut self.history) {
            (Some(Record::Checkpoint(checkpoint)), None) => {
                self.history = History::begin(checkpoint);
                self.history.is_some()
            }
            (Some(Record::Entry(entry)), Some(history)) => history.push(entry).is_ok(),
            (Some(Record::Unknown), None) => {
                self.is_unknown = true;
                false
            }
            (Some(Record::Checkpoint(_) | Record::Entry(_) | Record::Unknown) | None, _) => false,
        }
    }

    fn count_lost(&mut self, mut rest: &[u8]) {
        loop {
            let after = match frame::next(rest) {
                Next::End => return,
                Next::Whole { content, rest: after } => {
                    self.lost_revision = self.lost_revision.max(revision_of(content));
                    Some(after)
                }
                Next::Damaged { rest: after } => after,
            };
            self.bad_frames += 1;
            match after {
                Some(after) => rest = after,
                None => return,
            }
        }
    }
}

fn revision_of(content: &[u8]) -> Revision {
    match record::read(content) {
        Some(Record::Checkpoint(checkpoint)) => checkpoint.revision.max(checkpoint.floor),
        Some(Record::Entry(entry)) => entry.revision,
        Some(Record::Unknown) | None => 0,
    }
}
