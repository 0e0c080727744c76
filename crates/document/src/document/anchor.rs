//! Places in a text that stay true while it is edited. Never part of the text itself.

use std::collections::BTreeMap;

use super::Edit;

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
    places: BTreeMap<Anchor, Place>,
}

/// Where an anchor is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    at: usize,
    /// The line that its author had begun was deleted.
    is_cut: bool,
}

impl Anchors {
    pub(super) fn put(&mut self, at: usize) -> Anchor {
        let anchor = Anchor(self.next);
        self.next += 1;
        self.places.insert(anchor, Place { at, is_cut: false });
        anchor
    }

    pub(super) fn position(&self, anchor: Anchor) -> Option<usize> {
        self.places.get(&anchor).map(|place| place.at)
    }

    /// Whether the line was deleted that the author of an anchor had begun.
    pub(super) fn is_cut(&self, anchor: Anchor) -> bool {
        self.places.get(&anchor).is_some_and(|place| place.is_cut)
    }

    pub(super) fn move_to(&mut self, anchor: Anchor, at: usize) {
        if let Some(place) = self.places.get_mut(&anchor) {
            *place = Place { at, is_cut: false };
        }
    }

    pub(super) fn release(&mut self, anchor: Anchor) {
        self.places.remove(&anchor);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Anchor, usize)> {
        self.places.iter().map(|(anchor, place)| (*anchor, place.at))
    }

    pub(super) fn restore(&mut self, number: u64, at: usize) {
        self.next = self.next.max(number.saturating_add(1));
        self.places.insert(Anchor(number), Place { at, is_cut: false });
    }

    /// An edit is made where `removed` stood. An anchor at the very place of an insertion stays before it; one that stood behind
    /// replaced text, or inside it, stands behind what replaced it. `is_own` tells whether what stands before a place is by
    /// the author of the edit: whoever rewrites its own line goes on in it.
    pub(super) fn shift(&mut self, edit: &Edit, removed: &str, is_own: &dyn Fn(usize) -> bool) {
        let Edit { range, text } = edit;
        for place in self.places.values_mut() {
            if place.at > range.start && place.at <= range.end {
                let before = removed.get(..place.at - range.start).unwrap_or_default();
                let is_lost = before.rsplit_once('\n').is_some_and(|(_, begun)| !goes_on(text, begun));
                place.is_cut |= is_lost && !is_own(place.at);
                place.at = range.start + text.len();
            } else if place.at > range.end {
                place.at = place.at - range.len() + text.len();
            }
        }
    }
}

/// Whether the author of `begun`, the last line of what `text` replaced, can go on behind `text`.
fn goes_on(text: &str, begun: &str) -> bool {
    if begun.is_empty() { text.ends_with('\n') } else { text.ends_with(begun) }
}
