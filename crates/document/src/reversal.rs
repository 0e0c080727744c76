//! How to get an older text back from a newer one, as the few spans where they differ.
//! Never holds a whole text, and never compares one: it only keeps account of edits that it is told of.

use std::iter::Peekable;
use std::ops::Range;
use std::vec;

use crate::diff::{Hunk, slice};

/// The older text is the newer one with each span replaced by its `old` text. Spans are in order and do not overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reversal {
    spans: Vec<Span>,
}

/// Bytes of the newer text, and what stood there in the older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) new: Range<usize>,
    pub(crate) old: String,
}

impl Reversal {
    /// A reversal of these spans, if they are in order and do not overlap.
    pub(crate) fn from_spans(spans: Vec<Span>) -> Option<Reversal> {
        let is_ordered = spans.windows(2).all(|pair| match pair {
            [a, b] => a.new.end <= b.new.start,
            _ => true,
        });
        is_ordered.then_some(Reversal { spans })
    }

    /// What leads from `newer` back to `older`, whose changes from `older` to `newer` are `hunks`.
    pub(crate) fn between(older: &str, hunks: &[Hunk]) -> Reversal {
        let span =
            |hunk: &Hunk| Span { new: hunk.new.clone(), old: slice(older, hunk.old.clone()).to_owned() };
        Reversal { spans: hunks.iter().map(span).collect() }
    }

    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether a span lies in or beside a range of the newer text.
    pub(crate) fn touches(&self, range: &Range<usize>) -> bool {
        let first = self.spans.partition_point(|span| span.new.end < range.start);
        self.spans.get(first).is_some_and(|span| span.new.start <= range.end)
    }

    /// How many bytes of text this holds on to.
    pub(crate) fn weight(&self) -> usize {
        self.spans.iter().map(|span| span.old.len() + size_of::<Span>()).sum()
    }

    /// The newer text was edited: `range` of it, which read `removed`, is now `inserted` bytes long.
    /// The older text stays what it was.
    pub(crate) fn edit(&mut self, range: Range<usize>, removed: &str, inserted: usize) {
        let first = self.spans.partition_point(|span| span.new.end < range.start);
        let touched = self.spans.get(first..).unwrap_or_default();
        let count = touched.partition_point(|span| span.new.start <= range.end);
        let touched = touched.get(..count).unwrap_or_default();
        let start = touched.first().map_or(range.start, |span| span.new.start.min(range.start));
        let end = touched.last().map_or(range.end, |span| span.new.end.max(range.end));
        let old = older(touched, &range, removed);
        let shifted_end = end - range.len() + inserted;
        for span in self.spans.get_mut(first + count..).unwrap_or_default() {
            span.new = span.new.start - range.len() + inserted..span.new.end - range.len() + inserted;
        }
        let merged = Span { new: start..shifted_end, old };
        let is_nothing = merged.new.is_empty() && merged.old.is_empty();
        self.spans.splice(first..first + count, (!is_nothing).then_some(merged));
    }

    /// The older text's own predecessor, seen from the newer text: `self` leads from the newer text
    /// back to a middle one, `earlier` from that one further back.
    pub(crate) fn then(self, earlier: &Reversal) -> Reversal {
        let mut whole = Vec::with_capacity(self.spans.len() + earlier.spans.len());
        let mut earlier = earlier.spans.as_slice();
        let mut later = self.spans.into_iter().peekable();
        // A place of the middle text lies in the newer one as far from `newer_at` as it lies from `middle_at`.
        let (mut middle_at, mut newer_at) = (0, 0);
        while let Some(group) = Group::next(&mut later, &mut earlier, middle_at, newer_at) {
            let start = newer_at + (group.middle.start - middle_at);
            if let Some(span) = group.later.last() {
                middle_at = group.later_middle_end;
                newer_at = span.new.end;
            }
            let end = newer_at + (group.middle.end - middle_at);
            whole.push(group.into_span(start..end));
        }
        whole.retain(|span| !(span.new.is_empty() && span.old.is_empty()));
        Reversal { spans: whole }
    }

    /// The older text.
    pub(crate) fn apply(&self, newer: &str) -> String {
        let mut older = String::with_capacity(newer.len());
        let mut at = 0;
        for span in &self.spans {
            older.push_str(slice(newer, at..span.new.start));
            older.push_str(&span.old);
            at = span.new.end;
        }
        older.push_str(slice(newer, at..newer.len()));
        older
    }
}

/// Spans of two reversals, one after the other, that touch each other in the text between them.
struct Group<'a> {
    middle: Range<usize>,
    later: Vec<Span>,
    /// Where each of `later` begins in the middle text.
    later_starts: Vec<usize>,
    later_middle_end: usize,
    earlier: &'a [Span],
}

impl<'a> Group<'a> {
    /// Takes the next spans that touch each other off both lists.
    fn next(
        later: &mut Peekable<vec::IntoIter<Span>>,
        earlier: &mut &'a [Span],
        mut middle_at: usize,
        mut newer_at: usize,
    ) -> Option<Group<'a>> {
        let place = |span: &Span, middle_at: usize, newer_at: usize| {
            let start = middle_at + (span.new.start - newer_at);
            start..start + span.old.len()
        };
        let first_later = later.peek().map(|span| place(span, middle_at, newer_at));
        let mut middle = match (first_later, earlier.first()) {
            (Some(a), Some(b)) if b.new.start < a.start => b.new.clone(),
            (Some(a), _) => a,
            (None, Some(b)) => b.new.clone(),
            (None, None) => return None,
        };
        let mut group = Group {
            middle: 0..0,
            later: Vec::new(),
            later_starts: Vec::new(),
            later_middle_end: 0,
            earlier: &[],
        };
        let mut taken = 0;
        loop {
            let touching = |span: &Span| place(span, middle_at, newer_at).start <= middle.end;
            if let Some(span) = later.next_if(touching) {
                let range = place(&span, middle_at, newer_at);
                middle.end = middle.end.max(range.end);
                (middle_at, newer_at) = (range.end, span.new.end);
                group.later_middle_end = range.end;
                group.later_starts.push(range.start);
                group.later.push(span);
            } else if let Some(span) = earlier.get(taken).filter(|span| span.new.start <= middle.end) {
                middle.end = middle.end.max(span.new.end);
                taken += 1;
            } else {
                break;
            }
        }
        let (taken, rest) = earlier.split_at_checked(taken)?;
        *earlier = rest;
        Some(Group { middle, earlier: taken, ..group })
    }

    /// One span for the whole group, which stands at `new` in the newer text.
    fn into_span(mut self, new: Range<usize>) -> Span {
        if self.earlier.is_empty() && self.later.len() == 1 {
            let old = self.later.pop().map(|span| span.old).unwrap_or_default();
            return Span { new, old };
        }
        let mut old = String::new();
        let mut at = self.middle.start;
        for span in self.earlier {
            self.push_middle(at..span.new.start, &mut old);
            old.push_str(&span.old);
            at = at.max(span.new.end);
        }
        self.push_middle(at..self.middle.end, &mut old);
        Span { new, old }
    }

    /// A part of the middle text, which lies in `later` since all of the group does and `earlier` does not hold it.
    fn push_middle(&self, range: Range<usize>, old: &mut String) {
        for (span, start) in self.later.iter().zip(&self.later_starts) {
            let from = range.start.max(*start);
            let to = range.end.min(start + span.old.len());
            if from < to {
                old.push_str(slice(&span.old, from - start..to - start));
            }
        }
    }
}

/// What stood, in the older text, where `touched` and `range` stand together in the newer one.
fn older(touched: &[Span], range: &Range<usize>, removed: &str) -> String {
    let mut old = String::new();
    let mut at = range.start;
    for span in touched {
        if span.new.start > at {
            let known = at - range.start..(span.new.start - range.start).min(removed.len());
            old.push_str(slice(removed, known));
        }
        old.push_str(&span.old);
        at = at.max(span.new.end);
    }
    if at < range.end {
        old.push_str(slice(removed, at - range.start..removed.len()));
    }
    old
}

#[cfg(test)]
mod tests;
