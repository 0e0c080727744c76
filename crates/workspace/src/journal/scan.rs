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
    /// The bytes behind it.
    pub(super) damaged: Vec<u8>,
    /// Records behind it that are damaged, or lost because something before them is.
    pub(super) bad_frames: usize,
    /// The highest revision among the lost ones that can still be read.
    pub(super) lost_revision: Revision,
    /// The journal is of a format that a later program writes.
    pub(super) is_unknown: bool,
}

/// Reads the bytes. The text of the checkpoint stays in the room that they have, so that a long one is not copied.
pub(super) fn scan(mut bytes: Vec<u8>) -> Scanned {
    let mut scanned = Scanned::default();
    let first = match frame::next(&bytes) {
        Next::Whole { rest, .. } => bytes.len() - rest.len(),
        Next::End | Next::Damaged { .. } => return scanned.and_the_rest(bytes),
    };
    let mut later = bytes.split_off(first);
    if let Err(bytes) = scanned.begin(bytes) {
        return scanned.and_the_rest([bytes, later].concat());
    }
    let mut used = 0;
    while let Some(rest) = later.get(used..)
        && let Next::Whole { content, rest: after } = frame::next(rest)
        && scanned.take(content)
    {
        used = later.len() - after.len();
    }
    scanned.trusted = first + used;
    scanned.and_the_rest(later.split_off(used))
}

impl Scanned {
    /// Takes the first record with its frame, if it is a checkpoint; else gives it back.
    fn begin(&mut self, mut bytes: Vec<u8>) -> Result<(), Vec<u8>> {
        let (mut checkpoint, follows) = match record::read(frame::content(&bytes)) {
            Some(Record::Checkpoint { checkpoint, follows }) => (checkpoint, follows),
            Some(Record::Unknown) => {
                self.is_unknown = true;
                return Err(bytes);
            }
            Some(Record::Entry(_)) | None => return Err(bytes),
        };
        let Some(length) = follows else {
            self.history = History::begin(checkpoint).ok();
            return if self.history.is_some() { Ok(()) } else { Err(bytes) };
        };
        let head: Vec<u8> = bytes.drain(..bytes.len().saturating_sub(length)).collect();
        let whole = |text: Vec<u8>| [head.as_slice(), &text].concat();
        checkpoint.text = String::from_utf8(bytes).map_err(|error| whole(error.into_bytes()))?;
        let history = History::begin(checkpoint).map_err(|checkpoint| whole(checkpoint.text.into_bytes()))?;
        self.history = Some(history);
        Ok(())
    }

    /// Takes one more record, if it goes on where the last one ended.
    fn take(&mut self, content: &[u8]) -> bool {
        match (record::read(content), &mut self.history) {
            (Some(Record::Entry(entry)), Some(history)) => history.push(entry).is_ok(),
            (Some(Record::Checkpoint { .. } | Record::Entry(_) | Record::Unknown) | None, _) => false,
        }
    }

    /// Keeps what cannot be trusted, and counts what is lost in it.
    fn and_the_rest(mut self, damaged: Vec<u8>) -> Scanned {
        self.count_lost(&damaged);
        self.damaged = damaged;
        self
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
        Some(Record::Checkpoint { checkpoint, .. }) => checkpoint.revision.max(checkpoint.floor),
        Some(Record::Entry(entry)) => entry.revision,
        Some(Record::Unknown) | None => 0,
    }
}
