//! How badly a version, which is only known by the few spans that lead back to it, fits as the origin of a save.
//! Never takes a line for a version of another one because most of their words are the same: lists, logs and tables are like that.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::elsewhere::{Inserted, lines};
use crate::diff::{Hunk, diff, line_end, line_start, refine, slice, solid};
use crate::reversal::{Reversal, Span};

/// How much more than others it weighs that a save holds words younger than the version it is compared with. Nobody types by
/// chance what an agent wrote, so an editor that saves such words had loaded a younger version.
const YOUNG_WEIGHT: usize = 5;
/// How far around a difference words are counted, to know those that are part of a pattern.
const NEAR_BYTES: usize = 1024;
/// How far the rest of a word is looked for.
const WORD_BYTES_MAX: usize = 64;

/// A save and the text as it is now.
pub(super) struct Comparison<'a> {
    text: &'a str,
    saved: &'a str,
    /// The lines of the text where older versions differ from it, and the same of the save.
    places: Vec<Hunk>,
    /// What of the text the author of the save wrote, if the editor may have lost some of it again.
    own: Vec<Range<usize>>,
    /// How often each word stands in the text, near to what differs.
    counts: HashMap<&'a str, usize>,
    /// What of the text the save does not hold, in order.
    removed: Vec<Range<usize>>,
    /// The telling words of it that the save holds elsewhere.
    elsewhere: HashSet<&'a str>,
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

/// What a save changed in a version: in doubt, the less the likelier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Changed {
    /// Words that stand in the text still, and would be deleted.
    pub(super) deleted: usize,
    /// All of it, also blanks.
    bytes: usize,
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
        own: impl FnOnce() -> Vec<Range<usize>>,
    ) -> Option<Comparison<'a>> {
        if !meet(hunks, oldest) {
            return None;
        }
        let mut places = places(text, hunks, oldest);
        let counts = counts(text, &places);
        places.retain(|place| oldest.touches(&place.old));
        let lines = Inserted::new(saved, hunks);
        let (mut words, mut elsewhere) = (Vec::new(), HashSet::new());
        for (number, hunk) in hunks.iter().enumerate() {
            let first = words.len();
            refine(text, saved, hunk, &mut words);
            for word in words.iter().skip(first) {
                lines.find(text, word.old.clone(), number, |word| is_telling(&counts, word), &mut elsewhere);
            }
        }
        let inserted = || words.iter().map(|word| slice(saved, word.new.clone()));
        let mut comparison = Comparison {
            text,
            saved,
            places,
            own: own(),
            counts,
            removed: words.iter().map(|word| word.old.clone()).filter(|old| !old.is_empty()).collect(),
            elsewhere,
            inserted: inserted().flat_map(str::split_whitespace).collect(),
            inserted_bytes: inserted().map(solid).sum(),
            missing: Bytes::default(),
        };
        comparison.missing = comparison.missing();
        Some(comparison)
    }

    fn missing(&self) -> Bytes {
        let mut missing = Bytes::default();
        for word in self.removed.iter().flat_map(|range| slice(self.text, range.clone()).split_whitespace()) {
            let is_telling = self.is_telling(word);
            if !(is_telling && self.elsewhere.contains(word)) {
                missing.add(word, is_telling);
            }
        }
        missing
    }

    /// How badly the version that `back` leads to fits as the origin of the save; nothing if worse than `limit`.
    pub(super) fn misfit(&self, back: &Reversal, limit: Misfit) -> Option<Misfit> {
        if self.is_exact(back) {
            return Some(Misfit::default());
        }
        let mut found =
            Found { missing: self.missing, young_held: Bytes::default(), gone_held: Bytes::default() };
        let spans: Vec<Whole<'_>> = back.spans().iter().map(|span| Whole::of(self.text, span)).collect();
        let older: HashSet<&str> = spans.iter().flat_map(|span| span.old.split_whitespace()).collect();
        for span in &spans {
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
        (misfit <= limit).then_some(misfit)
    }

    /// What would have been changed, where versions differ, if the save had been made from the one that `back` leads to.
    pub(super) fn changed(&self, back: &Reversal) -> Changed {
        let mut changed = Changed::default();
        for place in &self.places {
            let mut older = String::new();
            let mut at = place.old.start;
            // Elsewhere there is nothing but what was written after this version and is gone again.
            let first = back.spans().partition_point(|span| span.new.end < at);
            let here = |span: &&Span| span.new.start <= place.old.end;
            for span in back.spans().iter().skip(first).take_while(here) {
                older.push_str(slice(self.text, at..span.new.start));
                older.push_str(&span.old);
                at = span.new.end;
            }
            older.push_str(slice(self.text, at..place.old.end));
            for hunk in changes(&older, slice(self.saved, place.new.clone())) {
                let removed = hunk.old.start.min(older.len())..hunk.old.end.min(older.len());
                let words = slice(&older, removed).split_whitespace();
                changed.deleted += words.filter(|word| self.counts.contains_key(word)).count();
                changed.bytes += hunk.old.len() + hunk.new.len();
            }
        }
        changed
    }

    /// Adds what one place tells at which the older version, of whose spans `older` holds all words, differs from the text.
    fn compare(&self, span: &Whole<'_>, older: &HashSet<&str>, found: &mut Found) {
        let new = slice(self.text, span.new.clone());
        for hunk in changes(&span.old, new) {
            let end = hunk.new.end.min(new.len());
            let young = span.new.start + hunk.new.start.min(end)..span.new.start + end;
            self.each_part(young, |part, is_here| {
                for (line, words) in lines(self.text, part) {
                    let is_whole = is_here && self.is_whole(&line);
                    let is_own = !is_whole && self.is_own(&line);
                    for word in words.split_whitespace() {
                        if !self.is_telling(word) {
                            found.add_young(word, false, is_whole);
                        } else if !older.contains(word) {
                            let is_held = is_here || self.elsewhere.contains(word);
                            // Everybody types their own words again, and what others wrote nobody does.
                            if !(is_held && is_own) {
                                found.add_young(word, true, is_held);
                            }
                        }
                    }
                }
            });
            let gone = span.old.get(hunk.old.start..hunk.old.end.min(span.old.len())).unwrap_or_default();
            for word in gone.split_whitespace().filter(|word| self.inserted.contains(word)) {
                found.gone_held.add(word, is_word(word) && !self.counts.contains_key(word));
            }
        }
    }

    fn is_telling(&self, word: &str) -> bool {
        is_telling(&self.counts, word)
    }

    fn is_exact(&self, back: &Reversal) -> bool {
        let older: usize = back.spans().iter().map(|span| span.old.len()).sum();
        let newer: usize = back.spans().iter().map(|span| span.new.len()).sum();
        self.text.len() + older == self.saved.len() + newer && back.apply(self.text) == self.saved
    }

    /// The parts of a range of the text, and whether the save holds them there.
    fn each_part(&self, range: Range<usize>, mut visit: impl FnMut(Range<usize>, bool)) {
        let first = self.removed.partition_point(|removed| removed.end <= range.start);
        let mut at = range.start;
        for removed in self.removed.iter().skip(first).take_while(|removed| removed.start < range.end) {
            let (start, end) = (removed.start.max(at), removed.end.min(range.end));
            visit(at..start, true);
            visit(start..end, false);
            at = end;
        }
        visit(at..range.end, true);
    }

    /// Whether the author of the save wrote all of a line of the text.
    fn is_own(&self, line: &Range<usize>) -> bool {
        let first = self.own.partition_point(|own| own.end < line.end);
        self.own.get(first).is_some_and(|own| own.start <= line.start)
    }

    /// Whether the save holds all of a line of the text.
    fn is_whole(&self, line: &Range<usize>) -> bool {
        let first = self.removed.partition_point(|removed| removed.end <= line.start);
        self.removed.get(first).is_none_or(|removed| line.end <= removed.start)
    }
}

/// A span of a reversal with the rest of the words that it begins or ends in. Somebody who types changes a word letter by letter, and
/// the end of a word says nothing about where a text came from.
struct Whole<'a> {
    new: Range<usize>,
    old: Cow<'a, str>,
}

impl<'a> Whole<'a> {
    fn of(text: &'a str, span: &'a Span) -> Whole<'a> {
        let before = slice(
            text,
            text.ceil_char_boundary(span.new.start.saturating_sub(WORD_BYTES_MAX))..span.new.start,
        );
        let after = slice(text, span.new.end..text.floor_char_boundary(span.new.end + WORD_BYTES_MAX));
        let before = before.get(before.trim_end_matches(is_solid).len()..).unwrap_or_default();
        let after = after.split(char::is_whitespace).next().unwrap_or_default();
        let new = span.new.start - before.len()..span.new.end + after.len();
        if before.is_empty() && after.is_empty() {
            return Whole { new, old: Cow::Borrowed(&span.old) };
        }
        Whole { new, old: Cow::Owned([before, &span.old, after].concat()) }
    }
}

fn is_solid(c: char) -> bool {
    !c.is_whitespace()
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

/// Whether a word of the text stands there once, as far as was looked. Others are part of a pattern that anybody may go on with.
fn is_telling(counts: &HashMap<&str, usize>, word: &str) -> bool {
    is_word(word) && counts.get(word).is_none_or(|&count| count == 1)
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

/// The lines of the text where the save, or an older version, differs from it, and the same lines of the save. `hunks` lead from
/// the text to the save.
fn places(text: &str, hunks: &[Hunk], oldest: &Reversal) -> Vec<Hunk> {
    let mut differing: Vec<&Range<usize>> = hunks.iter().map(|hunk| &hunk.old).collect();
    differing.extend(oldest.spans().iter().map(|span| &span.new));
    differing.sort_unstable_by_key(|range| range.start);
    let mut places: Vec<Hunk> = Vec::new();
    for range in differing {
        let (start, end) = (line_start(text, range.start), line_end(text, range.end));
        match places.last_mut() {
            Some(last) if start <= last.old.end => last.old.end = last.old.end.max(end),
            _ => places.push(Hunk { old: start..end, new: 0..0 }),
        }
    }
    let mut hunks = hunks.iter().peekable();
    // A place of the text lies in the save as far from `saved_at` as it lies from `text_at`.
    let (mut text_at, mut saved_at) = (0, 0);
    for place in &mut places {
        place.new.start = saved_at + (place.old.start - text_at);
        while let Some(hunk) = hunks.next_if(|hunk| hunk.old.end <= place.old.end) {
            (text_at, saved_at) = (hunk.old.end, hunk.new.end);
        }
        place.new.end = saved_at + (place.old.end - text_at);
    }
    places
}

/// How often each word stands in the text near to these places.
fn counts<'a>(text: &'a str, places: &[Hunk]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    let mut done = 0;
    for place in places {
        let start = line_start(text, place.old.start.saturating_sub(NEAR_BYTES)).max(done);
        let end = line_end(text, (place.old.end + NEAR_BYTES).min(text.len()));
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
