//! Which version had the editor loaded that saved this text? The one that the save differs least from.
//! Never asks when the file was written; clocks and editors both lie about that.

use std::ops::Range;

use super::History;
use crate::diff::{Hunk, common_prefix, common_suffix, diff, line_hunks, slice};
use crate::reversal::{Reversal, Span};

/// Older versions stop being tried when so many in a row fit worse than the best one.
const PATIENCE: usize = 8;

/// The version that a save was made from.
pub(crate) struct Origin {
    /// Leads from the newest version back to it; empty if it is the newest itself.
    pub(crate) back: Reversal,
    /// The changed lines from the newest version to the save.
    pub(crate) hunks: Vec<Hunk>,
}

impl History {
    /// Finds the version that `saved` was made from. `newest` is the text of the newest version.
    pub(crate) fn origin(&self, newest: &str, saved: &str) -> Origin {
        let hunks = line_hunks(newest, saved);
        let mut comparison = Comparison { newest, saved, hunks: &hunks };
        let mut best: Option<(usize, Reversal)> = None;
        let mut back = Reversal::default();
        let mut worse = 0;
        for (is_known, step) in self.states() {
            if is_known {
                let limit = best.as_ref().map_or(usize::MAX, |(distance, _)| *distance);
                match comparison.distance(&back, limit) {
                    Some(distance) => {
                        best = Some((distance, back.clone()));
                        worse = 0;
                    }
                    None => worse += 1,
                }
            }
            match step {
                Some(step) if worse < PATIENCE => back = back.after(step),
                _ => break,
            }
        }
        let back = best.map(|(_, back)| back).unwrap_or_default();
        Origin { back, hunks }
    }

    /// All versions, newest first: whether each stood in the file, and what leads to the one before it.
    fn states(&self) -> impl Iterator<Item = (bool, Option<&Reversal>)> {
        let steps = self.steps.iter().rev().map(|step| (step.is_known, Some(&step.back)));
        steps.chain([(self.is_oldest_known, None)])
    }
}

/// A save and the newest version, to compare older versions with the save without writing them out.
struct Comparison<'a> {
    newest: &'a str,
    saved: &'a str,
    hunks: &'a [Hunk],
}

impl Comparison<'_> {
    /// By how many bytes the version that `back` leads to differs from the save; nothing if by no less than `limit`.
    fn distance(&mut self, back: &Reversal, limit: usize) -> Option<usize> {
        let mut distance = 0;
        let mut spans = back.spans();
        let mut hunks = self.hunks;
        let mut shift = (0, 0);
        while let Some(region) = next_region(&mut spans, &mut hunks) {
            distance += self.region_distance(&region, &mut shift);
            if distance >= limit {
                return None;
            }
        }
        (distance < limit).then_some(distance)
    }

    /// How much an older version and the save differ in one region. `shift` follows where the save stands.
    fn region_distance(&self, region: &Region<'_>, shift: &mut (usize, usize)) -> usize {
        let saved_start = region.newest.start - shift.0 + shift.1;
        if let Some(last) = region.hunks.last() {
            *shift = (last.old.end, last.new.end);
        }
        let saved_end = region.newest.end - shift.0 + shift.1;
        let saved = slice(self.saved, saved_start..saved_end);
        if region.spans.is_empty() {
            return weight(slice(self.newest, region.newest.clone()), saved);
        }
        let mut older = String::new();
        let mut at = region.newest.start;
        for span in region.spans {
            older.push_str(slice(self.newest, at..span.new.start));
            older.push_str(&span.old);
            at = span.new.end;
        }
        older.push_str(slice(self.newest, at..region.newest.end));
        weight(&older, saved)
    }
}

/// A place of the newest version that the older version, the save, or both differ in.
struct Region<'a> {
    newest: Range<usize>,
    spans: &'a [Span],
    hunks: &'a [Hunk],
}

/// Takes the spans and hunks of the next region off both lists: all that touch each other.
fn next_region<'a>(spans: &mut &'a [Span], hunks: &mut &'a [Hunk]) -> Option<Region<'a>> {
    let mut newest = match (spans.first(), hunks.first()) {
        (Some(span), Some(hunk)) if hunk.old.start < span.new.start => hunk.old.clone(),
        (Some(span), _) => span.new.clone(),
        (None, Some(hunk)) => hunk.old.clone(),
        (None, None) => return None,
    };
    let (mut taken_spans, mut taken_hunks) = (0, 0);
    loop {
        if let Some(span) = spans.get(taken_spans).filter(|span| span.new.start <= newest.end) {
            newest.end = newest.end.max(span.new.end);
            taken_spans += 1;
        } else if let Some(hunk) = hunks.get(taken_hunks).filter(|hunk| hunk.old.start <= newest.end) {
            newest.end = newest.end.max(hunk.old.end);
            taken_hunks += 1;
        } else {
            break;
        }
    }
    let (region_spans, later_spans) = spans.split_at_checked(taken_spans)?;
    let (region_hunks, later_hunks) = hunks.split_at_checked(taken_hunks)?;
    (*spans, *hunks) = (later_spans, later_hunks);
    Some(Region { newest, spans: region_spans, hunks: region_hunks })
}

/// How many bytes differ between two short texts, in words.
fn weight(old: &str, new: &str) -> usize {
    let (old, new) = trimmed(old, new);
    if old.is_empty() || new.is_empty() {
        return old.len() + new.len();
    }
    diff(old, new).iter().map(Hunk::weight).sum()
}

/// Both texts without what is equal at their ends.
fn trimmed<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let prefix = old.floor_char_boundary(common_prefix(old.as_bytes(), new.as_bytes()));
    let (old, new) = (old.get(prefix..).unwrap_or(old), new.get(prefix..).unwrap_or(new));
    let suffix = common_suffix(old.as_bytes(), new.as_bytes());
    let old_end = old.ceil_char_boundary(old.len() - suffix);
    let new_end = new.len() - (old.len() - old_end);
    (old.get(..old_end).unwrap_or(old), new.get(..new_end).unwrap_or(new))
}
