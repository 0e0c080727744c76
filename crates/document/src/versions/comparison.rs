//! How much a save differs from a version that is only known by the few spans that lead back to it.
//! Never writes an older version out; only the places where something differs are looked at.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diff::{Hunk, diff, slice, solid};
use crate::reversal::{Reversal, Span};

/// How badly a version fits a save. What counts first stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Misfit {
    /// Words in lines of the save that are younger than the version. Nobody types by chance a line that an agent wrote, so an
    /// editor that saves it had loaded a younger version.
    pub(super) younger: usize,
    /// Words that would be deleted from the text. In doubt, what deletes less.
    pub(super) deleted: usize,
    /// Bytes that differ.
    pub(super) bytes: usize,
}

impl Misfit {
    const NONE: Misfit = Misfit { younger: 0, deleted: 0, bytes: 0 };
    /// Worse than any other.
    pub(super) const WORST: Misfit = Misfit { younger: usize::MAX, deleted: usize::MAX, bytes: usize::MAX };
}

/// A save and the text as it is now.
pub(super) struct Comparison<'a> {
    text: &'a str,
    saved: &'a str,
    hunks: &'a [Hunk],
}

impl<'a> Comparison<'a> {
    pub(super) fn new(text: &'a str, saved: &'a str, hunks: &'a [Hunk]) -> Comparison<'a> {
        Comparison { text, saved, hunks }
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

    /// How badly the version that `back` leads to fits the save; nothing if no better than `limit`.
    pub(super) fn misfit(&self, back: &Reversal, limit: Misfit) -> Option<Misfit> {
        let mut misfit = Misfit::NONE;
        let mut rest = Rest { text: self.text, spans: back.spans(), hunks: self.hunks };
        // A place of the text lies in the save as far from the second as it lies from the first.
        let mut at = (0, 0);
        while let Some(region) = rest.next_region() {
            let start = region.text.start - at.0 + at.1;
            if let Some(last) = region.hunks.last() {
                at = (last.old.end, last.new.end);
            }
            let end = region.text.end - at.0 + at.1;
            self.add_region(&region, slice(self.saved, start..end), &mut misfit);
            if misfit >= limit {
                return None;
            }
        }
        (misfit < limit).then_some(misfit)
    }

    fn add_region(&self, region: &Region<'_>, saved: &str, misfit: &mut Misfit) {
        let text = slice(self.text, region.text.clone());
        let mut older = String::new();
        let mut at = region.text.start;
        for span in region.spans {
            older.push_str(slice(self.text, at..span.new.start));
            older.push_str(&span.old);
            at = span.new.end;
        }
        older.push_str(slice(self.text, at..region.text.end));
        misfit.younger += self.younger_words(region, &older);
        let standing: BTreeSet<&str> = text.split_whitespace().collect();
        for hunk in changes(&older, saved) {
            let removed = older.get(hunk.old.start..hunk.old.end.min(older.len())).unwrap_or_default();
            // What is gone from the text already cannot be lost by taking this version for the origin.
            misfit.deleted += removed.split_whitespace().filter(|word| standing.contains(word)).count();
            misfit.bytes += hunk.weight();
        }
    }

    /// How many words younger than the older version stand in lines that the save left as they are.
    fn younger_words(&self, region: &Region<'_>, older: &str) -> usize {
        let older: BTreeSet<&str> = older.split_whitespace().collect();
        let mut count = 0;
        for span in region.spans {
            let new = slice(self.text, span.new.clone());
            for hunk in changes(&span.old, new) {
                let end = hunk.new.end.min(new.len());
                let young = span.new.start + hunk.new.start.min(end)..span.new.start + end;
                self.each_kept(young, |words| {
                    count += words.split_whitespace().filter(|word| !older.contains(word)).count();
                });
            }
        }
        count
    }

    /// The parts of a range of the text that lie in lines which the save holds unchanged.
    fn each_kept(&self, range: Range<usize>, mut visit: impl FnMut(&str)) {
        let first = self.hunks.partition_point(|hunk| hunk.old.end <= range.start);
        let mut at = range.start;
        for hunk in self.hunks.iter().skip(first).take_while(|hunk| hunk.old.start < range.end) {
            visit(slice(self.text, at..hunk.old.start.max(at)));
            at = hunk.old.end.max(at);
        }
        visit(slice(self.text, at.min(range.end)..range.end));
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
}

/// A place of the text that an older version, the save, or both differ in.
struct Region<'a> {
    text: Range<usize>,
    spans: &'a [Span],
    hunks: &'a [Hunk],
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
        *self = Rest { text: self.text, spans: later_spans, hunks: later_hunks };
        Some(Region { text, spans: region_spans, hunks: region_hunks })
    }

    fn is_near(&self, end: usize, next: usize) -> bool {
        next <= end || next - end <= GAP_BYTES_MAX && solid(slice(self.text, end..next)) <= GAP_SOLID_MAX
    }
}

/// The changes between two pieces of text. A last line that is not ended yet is the same line once it is.
fn changes(old: &str, new: &str) -> Vec<Hunk> {
    diff(&ended(old), &ended(new))
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { [text, "\n"].concat() }
}
