//! How much a save differs from a version that is only known by the few spans that lead back to it.
//! Never writes an older version out; only the places where something differs are looked at.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diff::{Hunk, diff, refine, slice, solid};
use crate::reversal::{Reversal, Span};

/// How much more than other differences it weighs that a save holds words younger than the version it is compared with.
const YOUNG_WEIGHT: usize = 4;

/// A save and the text as it is now.
pub(super) struct Comparison<'a> {
    text: &'a str,
    saved: &'a str,
    hunks: &'a [Hunk],
    /// How much each hunk weighs, in words.
    weights: Vec<usize>,
    /// What of the text the save does not hold, in words and in order.
    removed: Vec<Range<usize>>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(text: &'a str, saved: &'a str, hunks: &'a [Hunk]) -> Comparison<'a> {
        let (mut weights, mut removed, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for hunk in hunks {
            refine(text, saved, hunk, &mut words);
            weights.push(words.iter().map(Hunk::weight).sum());
            removed.extend(words.drain(..).map(|word| word.old).filter(|old| !old.is_empty()));
        }
        Comparison { text, saved, hunks, weights, removed }
    }

    /// Whether the save changed anything at a place where an older version differs from the text.
    pub(super) fn meets(&self, back: &Reversal) -> bool {
        let mut spans = back.spans();
        self.hunks.iter().any(|hunk| {
            while let [first, rest @ ..] = spans
                && first.new.end < hunk.old.start
            {
                spans = rest;
            }
            spans.first().is_some_and(|span| span.new.start <= hunk.old.end)
        })
    }

    /// By how many bytes the version that `back` leads to differs from the save; nothing if by no less than `limit`.
    pub(super) fn distance(&self, back: &Reversal, limit: usize) -> Option<usize> {
        let mut distance = 0;
        let mut rest =
            Rest { text: self.text, spans: back.spans(), hunks: self.hunks, weights: &self.weights };
        // A place of the text lies in the save as far from the second as it lies from the first.
        let mut at = (0, 0);
        while let Some(region) = rest.next_region() {
            let start = region.text.start - at.0 + at.1;
            if let Some(last) = region.hunks.last() {
                at = (last.old.end, last.new.end);
            }
            let end = region.text.end - at.0 + at.1;
            distance += self.region_distance(&region, start..end) + YOUNG_WEIGHT * self.young_held(&region);
            if distance >= limit {
                return None;
            }
        }
        (distance < limit).then_some(distance)
    }

    /// How many words that stand in the text would be deleted if the save had been made from the version that `back` leads to.
    pub(super) fn deleted(&self, back: &Reversal) -> usize {
        let older = back.apply(self.text);
        let removed =
            changes(&older, self.saved).into_iter().map(|hunk| hunk.old.start..hunk.old.end.min(older.len()));
        let words = removed.flat_map(|range| slice(&older, range).split_whitespace());
        words.filter(|word| self.text.contains(word)).count()
    }

    /// How many bytes of words that are younger than the older version the save holds all the same. Nobody types by
    /// chance what an agent wrote, so an editor that saves such words had loaded a younger version.
    fn young_held(&self, region: &Region<'_>) -> usize {
        let older: BTreeSet<&str> =
            region.spans.iter().flat_map(|span| span.old.split_whitespace()).collect();
        let mut held = 0;
        for span in region.spans {
            let new = slice(self.text, span.new.clone());
            for hunk in changes(&span.old, new) {
                let end = hunk.new.end.min(new.len());
                self.each_held(span.new.start + hunk.new.start.min(end)..span.new.start + end, |words| {
                    held += words
                        .split_whitespace()
                        .filter(|word| !older.contains(word))
                        .map(str::len)
                        .sum::<usize>();
                });
            }
        }
        held
    }

    /// The parts of a range of the text that stand in the save.
    fn each_held(&self, range: Range<usize>, mut visit: impl FnMut(&str)) {
        let first = self.removed.partition_point(|removed| removed.end <= range.start);
        let mut at = range.start;
        for removed in self.removed.iter().skip(first).take_while(|removed| removed.start < range.end) {
            visit(slice(self.text, at..removed.start.max(at)));
            at = removed.end;
        }
        visit(slice(self.text, at.min(range.end)..range.end));
    }

    fn region_distance(&self, region: &Region<'_>, saved: Range<usize>) -> usize {
        if region.spans.is_empty() {
            return region.weights.iter().sum();
        }
        let mut older = String::new();
        let mut at = region.text.start;
        for span in region.spans {
            older.push_str(slice(self.text, at..span.new.start));
            older.push_str(&span.old);
            at = span.new.end;
        }
        older.push_str(slice(self.text, at..region.text.end));
        let saved = slice(self.saved, saved);
        let text: BTreeSet<&str> = slice(self.text, region.text.clone()).split_whitespace().collect();
        let mut distance = 0;
        for hunk in changes(&older, saved) {
            let removed = older.get(hunk.old.start..hunk.old.end.min(older.len())).unwrap_or_default();
            // What is gone from the text already cannot be lost by taking this version for the origin.
            let gone: usize =
                removed.split_whitespace().filter(|word| !text.contains(word)).map(str::len).sum();
            distance += hunk.weight() - gone;
        }
        distance
    }
}

/// Two differences with no more than this between them are looked at together: a blank line or a fence
/// may have been paired with another one than it came from.
const GAP_SOLID_MAX: usize = 3;
/// And with no more than this in all, so that looking is cheap.
const GAP_BYTES_MAX: usize = 64;

/// What is left of both lists of differences.
struct Rest<'a> {
    text: &'a str,
    spans: &'a [Span],
    hunks: &'a [Hunk],
    weights: &'a [usize],
}

/// A place of the text that an older version, the save, or both differ in.
struct Region<'a> {
    text: Range<usize>,
    spans: &'a [Span],
    hunks: &'a [Hunk],
    weights: &'a [usize],
}

impl<'a> Rest<'a> {
    /// Takes the next spans and hunks that touch each other.
    fn next_region(&mut self) -> Option<Region<'a>> {
        let mut text = match (self.spans.first(), self.hunks.first()) {
            (Some(span), Some(hunk)) if hunk.old.start < span.new.start => hunk.old.clone(),
            (Some(span), _) => span.new.clone(),
            (None, Some(hunk)) => hunk.old.clone(),
            (None, None) => return None,
        };
        let (mut spans, mut hunks) = (0, 0);
        loop {
            if let Some(span) = self.spans.get(spans).filter(|span| self.is_near(text.end, span.new.start)) {
                text.end = text.end.max(span.new.end);
                spans += 1;
            } else if let Some(hunk) =
                self.hunks.get(hunks).filter(|hunk| self.is_near(text.end, hunk.old.start))
            {
                text.end = text.end.max(hunk.old.end);
                hunks += 1;
            } else {
                break;
            }
        }
        let (region_spans, later_spans) = self.spans.split_at_checked(spans)?;
        let (region_hunks, later_hunks) = self.hunks.split_at_checked(hunks)?;
        let (weights, later_weights) = self.weights.split_at_checked(hunks)?;
        *self = Rest { text: self.text, spans: later_spans, hunks: later_hunks, weights: later_weights };
        Some(Region { text, spans: region_spans, hunks: region_hunks, weights })
    }

    fn is_near(&self, end: usize, next: usize) -> bool {
        next <= end || next - end <= GAP_BYTES_MAX && solid(slice(self.text, end..next)) <= GAP_SOLID_MAX
    }
}

/// The changes between two pieces of text. A last line that is not ended yet is the same line once it is.
fn changes(old: &str, new: &str) -> Vec<Hunk> {
    let ended =
        |text: &str| -> String { if text.ends_with('\n') { text.to_owned() } else { [text, "\n"].concat() } };
    diff(&ended(old), &ended(new))
}
