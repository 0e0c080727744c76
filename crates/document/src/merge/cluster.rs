//! Groups the changes of two sides by the lines of the base that they touch. Never decides whose text stands there.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diff::{Hunk, line_end, line_start, slice};

/// One change of one side: bytes of the base, the bytes of that side that stand for them, and whether it lies inside a line.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) base: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) is_inline: bool,
}

impl Operation {
    pub(super) fn inserts_lines(&self) -> bool {
        self.base.is_empty() && !self.is_inline
    }

    /// Inserted lines stand before the line that they were inserted at.
    fn order(&self) -> (usize, bool, usize) {
        (self.base.start, !self.inserts_lines(), self.base.end)
    }

    pub(super) fn precedes(&self, other: &Operation) -> bool {
        self.order() < other.order()
    }

    /// Whether this operation lies on the lines `base`. Lines inserted at the edge of others do not.
    fn lies_on(&self, base: &Range<usize>) -> bool {
        if base.is_empty() {
            return self.inserts_lines() && self.base.start == base.start;
        }
        if self.inserts_lines() {
            return base.start < self.base.start && self.base.start < base.end;
        }
        self.base.start < base.end && self.base.end.max(self.base.start + 1) > base.start
    }

    /// Whether two operations of different sides cannot both be made as they are.
    fn contests(&self, other: &Operation) -> bool {
        if self.is_inline && other.is_inline {
            return self.base.start <= other.base.end && other.base.start <= self.base.end;
        }
        if self.inserts_lines() && other.inserts_lines() {
            return self.base.start == other.base.start;
        }
        let reach = |operation: &Operation| {
            let end = if operation.is_inline { operation.base.start + 1 } else { operation.base.end };
            operation.base.start..end.max(operation.base.end)
        };
        let (a, b) = (reach(self), reach(other));
        a.start < b.end && b.start < a.end
    }
}

/// Whether `a` of one side and `b` of the other stand side by side and hold the same line, which then was written once.
fn is_repeated((a, a_text): (&Operation, &str), (b, b_text): (&Operation, &str)) -> bool {
    let touch = a.base.end == b.base.start || b.base.end == a.base.start || a.base.start == b.base.start;
    if !touch || a.is_inline || b.is_inline {
        return false;
    }
    let is_telling = |line: &&str| line.contains(char::is_alphanumeric);
    let lines: BTreeSet<&str> = slice(a_text, a.new.clone()).lines().filter(is_telling).collect();
    !lines.is_empty() && slice(b_text, b.new.clone()).lines().any(|line| lines.contains(line))
}

/// The operations of a side: what each hunk does to the lines of the base.
pub(super) fn operations(base: &str, text: &str, hunks: Vec<Hunk>) -> Vec<Operation> {
    let at_start = |text: &str, at: usize| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    let classify = |hunk: Hunk| Operation {
        is_inline: !(at_start(base, hunk.old.start)
            && at_start(base, hunk.old.end)
            && at_start(text, hunk.new.start)
            && at_start(text, hunk.new.end)),
        base: hunk.old,
        new: hunk.new,
    };
    hunks.into_iter().map(classify).collect()
}

/// Operations of both sides that share lines, and the lines of the base that they share.
pub(super) struct Cluster<'a> {
    pub(super) base: Range<usize>,
    pub(super) ours: &'a [Operation],
    pub(super) theirs: &'a [Operation],
    ours_text: &'a str,
    theirs_text: &'a str,
}

impl Cluster<'_> {
    /// Whether some operation of one side stands in the way of one of the other's. The same change on both sides does not.
    pub(super) fn is_contested(&self) -> bool {
        let mut theirs = self.theirs;
        for a in self.ours {
            // What ends before `a` begins cannot touch it, nor anything behind it.
            while let [first, rest @ ..] = theirs
                && first.base.end < a.base.start
            {
                theirs = rest;
            }
            let near = theirs.iter().take_while(|b| b.base.start <= a.base.end);
            let is_contest = |b: &Operation| {
                (a.contests(b) && !self.are_same(a, b))
                    || is_repeated((a, self.ours_text), (b, self.theirs_text))
            };
            if near.clone().any(is_contest) {
                return true;
            }
        }
        false
    }

    fn are_same(&self, a: &Operation, b: &Operation) -> bool {
        a.base == b.base
            && !a.inserts_lines()
            && slice(self.ours_text, a.new.clone()) == slice(self.theirs_text, b.new.clone())
    }
}

/// The clusters of two sides, in the order of the base.
pub(super) struct Clusters<'a> {
    base: &'a str,
    texts: (&'a str, &'a str),
    ours: &'a [Operation],
    theirs: &'a [Operation],
}

impl<'a> Clusters<'a> {
    pub(super) fn new(
        base: &'a str,
        texts: (&'a str, &'a str),
        ours: &'a [Operation],
        theirs: &'a [Operation],
    ) -> Clusters<'a> {
        Clusters { base, texts, ours, theirs }
    }

    fn is_repeated(&self, ours: &Operation, theirs: &Operation) -> bool {
        is_repeated((ours, self.texts.0), (theirs, self.texts.1))
    }

    /// The lines that `operation` touches: none for inserted lines. What is known to reach to `known` is not looked up again,
    /// so that many changed words of one long line cost no more than one.
    fn lines_of(&self, operation: &Operation, known: &Range<usize>) -> Range<usize> {
        if !operation.is_inline {
            return operation.base.clone();
        }
        if known.start <= operation.base.start && operation.base.end < known.end {
            return known.clone();
        }
        line_start(self.base, operation.base.start)..line_end(self.base, operation.base.end)
    }
}

impl<'a> Iterator for Clusters<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        let (first, mut ours, mut theirs) = match (self.ours.first(), self.theirs.first()) {
            (Some(ours), Some(theirs)) if theirs.precedes(ours) => (theirs, 0, 1),
            (Some(ours), _) => (ours, 1, 0),
            (None, Some(theirs)) => (theirs, 0, 1),
            (None, None) => return None,
        };
        let mut base = self.lines_of(first, &(0..0));
        loop {
            let (last_ours, last_theirs) = (self.ours.get(..ours), self.theirs.get(..theirs));
            let next_ours = self.ours.get(ours).filter(|operation| {
                let last = last_theirs.and_then(<[Operation]>::last);
                operation.lies_on(&base) || last.is_some_and(|last| self.is_repeated(operation, last))
            });
            let next_theirs = self.theirs.get(theirs).filter(|operation| {
                let last = last_ours.and_then(<[Operation]>::last);
                operation.lies_on(&base) || last.is_some_and(|last| self.is_repeated(last, operation))
            });
            let taken = match (next_ours, next_theirs) {
                (Some(operation), _) => {
                    ours += 1;
                    operation
                }
                (None, Some(operation)) => {
                    theirs += 1;
                    operation
                }
                (None, None) => break,
            };
            let lines = self.lines_of(taken, &base);
            base = base.start.min(lines.start)..base.end.max(lines.end);
        }
        let (ours, later_ours) = self.ours.split_at_checked(ours)?;
        let (theirs, later_theirs) = self.theirs.split_at_checked(theirs)?;
        (self.ours, self.theirs) = (later_ours, later_theirs);
        Some(Cluster { base, ours, theirs, ours_text: self.texts.0, theirs_text: self.texts.1 })
    }
}
