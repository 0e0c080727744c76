//! Whether one side already holds all that the other side changed, as when a merge is made again.
//! Never guesses: what the two sides differ in must be what one of them alone changed.

use std::collections::BTreeSet;
use std::ops::Range;

use super::weave::Side;
use crate::diff::{diff, slice};

/// The side that holds the changes of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Ours,
    Theirs,
}

/// The side that holds the changes of both, if there is one. Looked for only where both wrote some same line.
pub(crate) fn holder(ours: &Side<'_>, theirs: &Side<'_>) -> Option<Holder> {
    if !write_same_line(ours, theirs) {
        return None;
    }
    let differences = diff(theirs.text, ours.text);
    let of_theirs: Vec<Range<usize>> = differences.iter().map(|hunk| hunk.old.clone()).collect();
    let of_ours: Vec<Range<usize>> = differences.into_iter().map(|hunk| hunk.new).collect();
    let (ours_wrote, theirs_wrote) = (ours.written(), theirs.written());
    if avoid(&of_theirs, &theirs_wrote) && lie_in(&of_ours, &ours_wrote) {
        Some(Holder::Ours)
    } else if avoid(&of_ours, &ours_wrote) && lie_in(&of_theirs, &theirs_wrote) {
        Some(Holder::Theirs)
    } else {
        None
    }
}

/// Whether some line with a word on it was written by both. Most merges have none, and end here.
fn write_same_line(ours: &Side<'_>, theirs: &Side<'_>) -> bool {
    let ours_wrote: BTreeSet<&str> = written_lines(ours).collect();
    written_lines(theirs).any(|line| ours_wrote.contains(line))
}

fn written_lines<'a>(side: &'a Side<'a>) -> impl Iterator<Item = &'a str> {
    let lines = side.written().into_iter().flat_map(|range| slice(side.text, range).lines());
    lines.filter(|line| line.contains(char::is_alphanumeric))
}

/// No range of one list shares a byte with one of the other. Both are in order.
fn avoid(ranges: &[Range<usize>], others: &[Range<usize>]) -> bool {
    ranges.iter().filter(|range| !range.is_empty()).all(|range| {
        let next = others.partition_point(|other| other.end <= range.start);
        others.get(next).is_none_or(|other| other.start >= range.end)
    })
}

/// Every range lies in one of the others, where such as touch count as one. Both are in order.
fn lie_in(ranges: &[Range<usize>], others: &[Range<usize>]) -> bool {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for other in others {
        match joined.last_mut() {
            Some(last) if last.end == other.start => last.end = other.end,
            _ => joined.push(other.clone()),
        }
    }
    ranges.iter().filter(|range| !range.is_empty()).all(|range| {
        let at = joined.partition_point(|other| other.end < range.end);
        joined.get(at).is_some_and(|other| other.start <= range.start)
    })
}
