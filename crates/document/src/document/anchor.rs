//! Places in a text that stay true while it is edited. Never part of the text itself.

use std::collections::BTreeMap;
use std::ops::Range;

/// A place where an author goes on writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Anchor(u64);

impl Anchor {
    /// The anchor's number, to name it outside of the program.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The anchor of a number that [`number`](Self::number) gave.
    pub fn from_number(number: u64) -> Anchor {
        Anchor(number)
    }
}

/// The anchors of a document and where they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchors {
    next: u64,
    places: BTreeMap<Anchor, usize>,
}

impl Anchors {
    pub(super) fn put(&mut self, at: usize) -> Anchor {
        let anchor = Anchor(self.next);
        self.next += 1;
        self.places.insert(anchor, at);
        anchor
    }

    pub(super) fn position(&self, anchor: Anchor) -> Option<usize> {
        self.places.get(&anchor).copied()
    }

    pub(super) fn move_to(&mut self, anchor: Anchor, at: usize) {
        if let Some(place) = self.places.get_mut(&anchor) {
            *place = at;
        }
    }

    pub(super) fn release(&mut self, anchor: Anchor) {
        self.places.remove(&anchor);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Anchor, usize)> {
        self.places.iter().map(|(anchor, at)| (*anchor, *at))
    }

    pub(super) fn restore(&mut self, number: u64, at: usize) {
        self.next = self.next.max(number.saturating_add(1));
        self.places.insert(Anchor(number), at);
    }

    /// `range` was replaced by `inserted` bytes. An anchor at the very place of an insertion stays before it; one
    /// that stood behind replaced text, or inside it, stands behind what replaced it.
    pub(super) fn shift(&mut self, range: &Range<usize>, inserted: usize) {
        for at in self.places.values_mut() {
            if *at > range.start && *at <= range.end {
                *at = range.start + inserted;
            } else if *at > range.end {
                *at = *at - range.len() + inserted;
            }
        }
    }
}
