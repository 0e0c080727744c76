//! How badly a version, which is only known by the few spans that lead back to it, fits as the origin of a save.
//! Never takes a line for a version of another one because most of their words are the same: lists, logs and tables are like that.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::diff::{Hunk, diff, line_end, line_start, refine, slice, solid};
use crate::reversal::{Reversal, Span};

/// How much more than others it weighs that a save holds words younger than the version it is compared with. Nobody types by
/// chance what an agent wrote, so an editor that saves such words had loaded a younger version.
const YOUNG_WEIGHT: usize = 5;
/// How far around a difference words are counted, to know those that are part of a pattern.
const NEAR_BYTES: usize = 1024;

/// A save and the text as it is now.
pub(super) struct Comparison<'a> {
    text: &'a str,
    saved: &'a str,
    /// How often each word stands in the text, near to what differs.
    counts: HashMap<&'a str, usize>,
    /// What of the text the save does not hold, in order.
    removed: Vec<Range<usize>>,
    /// The words that the save holds and the text does not, or at another place.
    inserted: HashSet<&'a str>,
    inserted_bytes: usize,
    /// How much of the text the save lacks.
    missing: Bytes,
}

/// How badly a version fits. Only a version that fits exactly has no misfit at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Misfit {
    /// In words that stand once, which tell one line from another.
    pub(super) telling: usize,
    /// In words that many lines share. They decide only between what is equal otherwise.
    common: usize,
}

impl Misfit {
    pub(super) const MAX: Misfit = Misfit { telling: usize::MAX, common: usize::MAX };
}

/// Bytes of words, by what they say about where a text came from.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes {
    telling: usize,
    common: usize,
}

impl Bytes {
    fn add(&mut self, word: &str, is_telling: bool) {
        *(if is_telling { &mut self.telling } else { &mut self.common }) += word.len();
    }
}

impl<'a> Comparison<'a> {
    /// Compares a save with the text and, by their words, with all versions down to the one that `oldest` leads to. Nothing if
    /// the save changed nothing where one of them differs from the text, so that none fits better than the text itself.
    pub(super) fn new(
        text: &'a str,
        saved: &'a str,
        hunks: &[Hunk],
        oldest: &Reversal,
    ) -> Option<Comparison<'a>> {
        if !meet(hunks, oldest) {
            return None;
        }
        let mut words = Vec::new();
        for hunk in hunks {
            refine(text, saved, hunk, &mut words);
        }
        let inserted = || words.iter().map(|word| slice(saved, word.new.clone()));
        let mut comparison = Comparison {
            text,
            saved,
            counts: counts(text, hunks, oldest),
            removed: Vec::new(),
            inserted: inserted().flat_map(str::split_whitespace).collect(),
            inserted_bytes: inserted().map(solid).sum(),
            missing: Bytes::default(),
        };
        comparison.removed.extend(words.into_iter().map(|word| word.old).filter(|old| !old.is_empty()));
        let mut missing = Bytes::default();
        for word in
            comparison.removed.iter().flat_map(|removed| slice(text, removed.clone()).split_whitespace())
        {
            let is_telling = comparison.is_telling(word);
            if !(is_telling && comparison.inserted.contains(word)) {
                missing.add(word, is_telling);
            }
        }
        comparison.missing = missing;
        Some(comparison)
    }

    /// How badly the version that `back` leads to fits as the origin of the save; nothing if no better than `limit`.
    pub(super) fn misfit(&self, back: &Reversal, limit: Misfit) -> Option<Misfit> {
        if self.is_exact(back) {
            return Some(Misfit::default()).filter(|misfit| *misfit < limit);
        }
        let mut found =
            Found { missing: self.missing, young_held: Bytes::default(), gone_held: Bytes::default() };
        let older: HashSet<&str> = back.spans().iter().flat_map(|span| span.old.split_whitespace()).collect();
        for span in back.spans() {
            self.compare(span, &older, &mut found);
            if found.young_held.telling.saturating_mul(YOUNG_WEIGHT) > limit.telling {
                return None;
            }
        }
        let Found { missing, young_held, gone_held } = found;
        let typed = self.inserted_bytes.saturating_sub(gone_held.telling);
        let misfit = Misfit {
            telling: 1 + missing.telling + YOUNG_WEIGHT * young_held.telling + typed,
            common: missing.common + young_held.common + typed.saturating_sub(gone_held.common),
        };
        (misfit < limit).then_some(misfit)
    }

    /// How many words that stand in the text would be deleted if the save had been made from the version that `back` leads to.
    pub(super) fn deleted(&self, back: &Reversal) -> usize {
        let older = back.apply(self.text);
        let removed =
            changes(&older, self.saved).into_iter().map(|hunk| hunk.old.start..hunk.old.end.min(older.len()));
        let words = removed.flat_map(|range| slice(&older, range).split_whitespace());
        words.filter(|word| self.text.contains(word)).count()
    }

    /// Adds what one place tells at which the older version, of whose spans `older` holds all words, differs from the text.
    fn compare(&self, span: &Span, older: &HashSet<&str>, found: &mut Found) {
        let new = slice(self.text, span.new.clone());
        for hunk in changes(&span.old, new) {
            let end = hunk.new.end.min(new.len());
            let young = span.new.start + hunk.new.start.min(end)..span.new.start + end;
            self.each_part(young, |words, is_held| {
                for word in words.split_whitespace() {
                    let is_telling = self.is_telling(word);
                    if !is_telling {
                        found.add_young(word, false, is_held);
                    } else if !older.contains(word) {
                        // Which line was paired with which is a guess; a word that stands once is itself wherever it stands.
                        found.add_young(word, true, is_held || self.inserted.contains(word));
                    }
                }
            });
            let gone = span.old.get(hunk.old.start..hunk.old.end.min(span.old.len())).unwrap_or_default();
            for word in gone.split_whitespace().filter(|word| self.inserted.contains(word)) {
                found.gone_held.add(word, is_word(word) && !self.counts.contains_key(word));
            }
        }
    }

    /// Whether a word of the text stands there once, as far as was looked. Others are part of a pattern that anybody may go on with.
    fn is_telling(&self, word: &str) -> bool {
        is_word(word) && self.counts.get(word).is_none_or(|&count| count == 1)
    }

    fn is_exact(&self, back: &Reversal) -> bool {
        let older: usize = back.spans().iter().map(|span| span.old.len()).sum();
        let newer: usize = back.spans().iter().map(|span| span.new.len()).sum();
        self.text.len() + older == self.saved.len() + newer && back.apply(self.text) == self.saved
    }

    /// The parts of a range of the text, and whether the save holds them.
    fn each_part(&self, range: Range<usize>, mut visit: impl FnMut(&str, bool)) {
        let first = self.removed.partition_point(|removed| removed.end <= range.start);
        let mut at = range.start;
        for removed in self.removed.iter().skip(first).take_while(|removed| removed.start < range.end) {
            let (start, end) = (removed.start.max(at), removed.end.min(range.end));
            visit(slice(self.text, at..start), true);
            visit(slice(self.text, start..end), false);
            at = end;
        }
        visit(slice(self.text, at..range.end), true);
    }
}

/// What speaks against a version, and for it.
struct Found {
    /// Words of the version that still stand in the text, and not in the save: they would be deleted.
    missing: Bytes,
    /// Words that are younger than the version, and that the save holds all the same.
    young_held: Bytes,
    /// Words of the version that are gone from the text, and that the save holds still.
    gone_held: Bytes,
}

impl Found {
    fn add_young(&mut self, word: &str, is_telling: bool, is_held: bool) {
        if is_held {
            self.young_held.add(word, is_telling);
        } else {
            let missing = if is_telling { &mut self.missing.telling } else { &mut self.missing.common };
            *missing = missing.saturating_sub(word.len());
        }
    }
}

fn is_word(word: &str) -> bool {
    word.contains(char::is_alphanumeric)
}

/// Whether some hunk lies at a place where an older version differs from the text.
fn meet(hunks: &[Hunk], back: &Reversal) -> bool {
    let mut spans = back.spans();
    hunks.iter().any(|hunk| {
        while let [first, rest @ ..] = spans
            && first.new.end < hunk.old.start
        {
            spans = rest;
        }
        spans.first().is_some_and(|span| span.new.start <= hunk.old.end)
    })
}

/// How often each word stands in the text near to where the save, or an older version, differs from it.
fn counts<'a>(text: &'a str, hunks: &[Hunk], oldest: &Reversal) -> HashMap<&'a str, usize> {
    let mut places: Vec<&Range<usize>> = hunks.iter().map(|hunk| &hunk.old).collect();
    places.extend(oldest.spans().iter().map(|span| &span.new));
    places.sort_unstable_by_key(|place| place.start);
    let mut counts = HashMap::new();
    let mut done = 0;
    for place in places {
        let start = line_start(text, place.start.saturating_sub(NEAR_BYTES)).max(done);
        let end = line_end(text, (place.end + NEAR_BYTES).min(text.len()));
        if start < end {
            for word in slice(text, start..end).split_whitespace() {
                *counts.entry(word).or_default() += 1;
            }
            done = end;
        }
    }
    counts
}

/// The changes between two pieces of text. A last line that is not ended yet is the same line once it is.
fn changes(old: &str, new: &str) -> Vec<Hunk> {
    let ended =
        |text: &str| -> String { if text.ends_with('\n') { text.to_owned() } else { [text, "\n"].concat() } };
    diff(&ended(old), &ended(new))
}
