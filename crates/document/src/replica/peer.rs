//! Updates that come from a web peer: checked, applied, and turned into edits of the text. Never lets a peer write
//! under another's name, refer to what is not there, or cut a character in two.

use std::ops::Range;

use crate::diff::is_word;

use super::index::{Client, Id, Span, byte_of_unit, units};
use super::wire::{self, MalformedUpdate, Parsed};
use super::{Author, Crdt, Edit, Heard, Replica, own};

/// Why an update of a peer was not taken. The text is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// No session is open; the peer must load the text anew.
    #[error("no session is open; load the document again")]
    NoSession,
    /// The bytes are no update of a plain text.
    #[error(transparent)]
    Malformed(#[from] MalformedUpdate),
    /// The update builds on something that this side does not have; the peer must send what is missing first.
    #[error("the update builds on edits that have not arrived; synchronise again")]
    Gap,
    /// The update holds new text under a number that is not the peer's.
    #[error("the update writes under another author's number {client}")]
    Forged {
        /// The number it writes under.
        client: u64,
    },
    /// The update cuts a character in two.
    #[error("the update cuts a character in two")]
    SplitCharacter,
    /// The update could not be applied; the session was ended and a new one must begin.
    #[error("the update could not be applied; load the document again")]
    Inconsistent,
}

impl Replica {
    /// Takes an update of the peer that writes as `client` for `author`, and says how the text changed.
    pub(crate) fn apply_update(
        &mut self,
        update: &[u8],
        client: Client,
        author: &Author,
    ) -> Result<Followed, UpdateError> {
        let crdt = self.session.as_ref().ok_or(UpdateError::NoSession)?.crdt(&self.text)?;
        let parsed = wire::read(update)?;
        self.check(&parsed, client)?;
        if !self.authors.enlist(client, author) {
            return Err(UpdateError::Forged { client });
        }
        let heard = crdt.apply_from_peer(update)?;
        let edits = self.follow(&heard, &parsed).ok_or(UpdateError::Inconsistent);
        let own = self.clocks.entry(client).or_insert(0);
        for block in parsed.blocks.iter().filter(|block| block.id.client == client) {
            *own = (*own).max(block.id.clock + block.units);
        }
        if edits.is_err() {
            // Text and session went apart. The text is the truth; a new session begins from it.
            self.close_session();
        }
        edits
    }

    fn clock(&self, client: Client) -> u32 {
        self.clocks.get(&client).copied().unwrap_or(0)
    }

    fn check(&self, parsed: &Parsed<'_>, client: Client) -> Result<(), UpdateError> {
        let mut own_end = self.clock(client);
        for block in &parsed.blocks {
            let end = block.id.clock + block.units;
            if block.id.client != client {
                if end > self.clock(block.id.client) {
                    return Err(UpdateError::Forged { client: block.id.client });
                }
                continue;
            }
            if block.id.clock > own_end {
                return Err(UpdateError::Gap);
            }
            own_end = own_end.max(end);
        }
        let known = |id: Id| id.clock < if id.client == client { own_end } else { self.clock(id.client) };
        for block in &parsed.blocks {
            // A unit refers to its neighbours, which must be older than it or someone else's.
            let is_later = |id: Id| id.client == block.id.client && id.clock >= block.id.clock;
            for id in [block.left, block.right].into_iter().flatten() {
                if !known(id) || is_later(id) {
                    return Err(UpdateError::Gap);
                }
            }
            let after_left = block.left.map(|id| Id { clock: id.clock + 1, ..id });
            self.check_borders(parsed, [after_left, block.right])?;
        }
        for deletion in &parsed.deletions {
            let end = Id { clock: deletion.id.clock + deletion.units, ..deletion.id };
            let is_known = deletion.units == 0 || known(Id { clock: end.clock - 1, ..end });
            if !is_known {
                return Err(UpdateError::Gap);
            }
            self.check_borders(parsed, [Some(deletion.id), Some(end)])?;
        }
        Ok(())
    }

    fn check_borders(&self, parsed: &Parsed<'_>, borders: [Option<Id>; 2]) -> Result<(), UpdateError> {
        for id in borders.into_iter().flatten() {
            let in_update = parsed.blocks.iter().any(|block| {
                let inside = id.clock.wrapping_sub(block.id.clock);
                block.id.client == id.client
                    && inside < block.units
                    && block.text.is_some_and(|text| byte_of_unit(text, inside).is_none())
            });
            if in_update || self.index.cuts_character(id, &self.text) {
                return Err(UpdateError::SplitCharacter);
            }
        }
        Ok(())
    }

    /// Makes in text and index what the session has made.
    fn follow(&mut self, heard: &[Heard], parsed: &Parsed<'_>) -> Option<Followed> {
        let crdt = self.session.as_ref()?.crdt(&self.text).ok()?;
        let mut followed = Followed::default();
        let mut inserted = Vec::new();
        let (mut at, mut unit) = (0, 0);
        for step in heard {
            let edit = match step {
                Heard::Kept(length) => {
                    unit += length;
                    at = self.index.byte_at(unit, &self.text)?;
                    continue;
                }
                Heard::Removed(length) => {
                    let range = at..self.index.byte_at(unit + length, &self.text)?;
                    self.index.remove(range.clone(), &self.text);
                    Edit { range, text: String::new() }
                }
                Heard::Inserted(text) => {
                    let spans = spans_of(crdt, unit, text, parsed)?;
                    inserted.extend(spans.first().zip(spans.last()).map(|(first, last)| Inserted {
                        range: at..at + text.len(),
                        first: first.id,
                        last: last.last(),
                    }));
                    let mut to = at;
                    for span in spans {
                        // The first span may cut one of the old text; the others stand at the border that it made.
                        self.index.insert(to, span, &self.text);
                        to += span.bytes;
                    }
                    Edit { range: at..at, text: text.clone() }
                }
            };
            own(&mut self.text).replace_range(edit.range.clone(), &edit.text);
            at += edit.text.len();
            unit += units(&edit.text);
            followed.edits.push(edit);
        }
        // Only now, when all of the update is done, do neighbours tell what came between.
        for piece in &inserted {
            self.note_touching(piece, parsed, &mut followed.touching);
        }
        Some(followed)
    }

    /// Notes where a word of the peer has come to touch one that was not there when the peer typed it. On its left a peer
    /// names what it saw; on its right it may name what it had deleted long before.
    fn note_touching(&self, piece: &Inserted, parsed: &Parsed<'_>, touching: &mut Vec<usize>) {
        let block_of = |id: Id| {
            parsed.blocks.iter().find(|block| {
                block.id.client == id.client && id.clock.wrapping_sub(block.id.clock) < block.units
            })
        };
        let (left, _) = self.index.neighbours(piece.range.start, &self.text);
        let typed_behind = block_of(piece.first).and_then(|block| block.left);
        if self.touch_at(piece.range.start) && left != typed_behind && !parsed.deletes(typed_behind) {
            touching.push(piece.range.start);
        }
        let (_, right) = self.index.neighbours(piece.range.end, &self.text);
        let typed_before = block_of(piece.last).and_then(|block| block.right);
        let still_stands = typed_before.is_some_and(|id| self.index.holds(id));
        if self.touch_at(piece.range.end) && right != typed_before && still_stands {
            touching.push(piece.range.end);
        }
    }

    fn touch_at(&self, at: usize) -> bool {
        let before = self.text.get(..at).and_then(|head| head.chars().next_back());
        let after = self.text.get(at..).and_then(|tail| tail.chars().next());
        before.is_some_and(is_word) && after.is_some_and(is_word)
    }
}

/// A text that a peer inserted, and the identities of its first and last unit.
struct Inserted {
    range: Range<usize>,
    first: Id,
    last: Id,
}

/// What a peer's update did.
#[derive(Default)]
pub(crate) struct Followed {
    /// How the text changed.
    pub(crate) edits: Vec<Edit>,
    /// Where two words touch now that were typed at one place at the same time, in the order of the text.
    pub(crate) touching: Vec<usize>,
}

/// The identities of a text that a peer inserted at `unit`.
fn spans_of(crdt: &Crdt, unit: u32, text: &str, parsed: &Parsed<'_>) -> Option<Vec<Span>> {
    // One block that is exactly this text is what a keystroke looks like; it need not be looked up.
    let mut same = parsed.blocks.iter().filter(|block| block.text == Some(text));
    if let (Some(block), None) = (same.next(), same.next()) {
        return Some(vec![Span { id: block.id, bytes: text.len(), units: block.units }]);
    }
    let mut spans = Vec::new();
    let mut range = 0..text.len();
    while !range.is_empty() {
        let span = run_at(crdt, unit, text, &range)?;
        range.start += span.bytes;
        spans.push(span);
    }
    Some(spans)
}

/// The longest run of consecutive identities at the start of `range`, found by halving.
fn run_at(crdt: &Crdt, unit: u32, text: &str, range: &Range<usize>) -> Option<Span> {
    let start_unit = unit + units(text.get(..range.start)?);
    let first = crdt.id_at(start_unit)?;
    let mut ends: Vec<usize> =
        text.get(range.clone())?.char_indices().map(|(at, _)| range.start + at).skip(1).collect();
    ends.push(range.end);
    let is_run = |end: &usize| {
        let length = units(text.get(range.start..*end).unwrap_or_default());
        let last = crdt.id_at(start_unit + length - 1);
        last == Some(Id { clock: first.clock + length - 1, ..first })
    };
    let longest = ends.partition_point(is_run).checked_sub(1)?;
    let end = *ends.get(longest)?;
    let run = text.get(range.start..end)?;
    Some(Span { id: first, bytes: run.len(), units: units(run) })
}
