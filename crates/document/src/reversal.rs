//! How to get an older text back from a newer one, as the few spans where they differ.
//! Never holds a whole text, and never compares one: it only keeps account of edits that it is told of.

use std::ops::Range;

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
    pub(crate) fn after(&self, earlier: &Reversal) -> Reversal {
        let mut whole = earlier.clone();
        // From the middle text to the newer one, told from the end so that places ahead stay true.
        let mut shift =
            self.spans.iter().map(|span| span.old.len() as isize - span.new.len() as isize).sum::<isize>();
        for span in self.spans.iter().rev() {
            shift -= span.old.len() as isize - span.new.len() as isize;
            let start = span.new.start.saturating_add_signed(shift);
            whole.edit(start..start + span.old.len(), &span.old, span.new.len());
        }
        whole
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
