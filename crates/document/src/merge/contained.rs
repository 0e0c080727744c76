//! Whether one side already holds all that the other side changed, as when a merge is made again.
//! Never guesses: what the two sides differ in must be what one of them alone changed.

use std::collections::BTreeSet;
use std::ops::Range;

use super::weave::Side;
use crate::diff::{diff, line_end, line_start, slice};

/// The side that holds the changes of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Ours,
    Theirs,
}

/// The side that holds the changes of both, if there is one. Looked for only where both wrote some same word.
pub(crate) fn holder(ours: &Side<'_>, theirs: &Side<'_>) -> Option<Holder> {
    if !write_same_word(ours, theirs) {
        return None;
    }
    // Which of two equal lines was paired must not decide it, so the sides are compared both ways.
    let (mut by_ours, mut by_theirs) = (false, false);
    for (from, to) in [(theirs, ours), (ours, theirs)] {
        let differences = diff(from.text, to.text);
        let of_from: Vec<Range<usize>> = differences.iter().map(|hunk| hunk.old.clone()).collect();
        let of_to: Vec<Range<usize>> = differences.into_iter().map(|hunk| hunk.new).collect();
        let by_to = avoid(&of_from, &from.written()) && lie_in(&of_to, &whole_lines(to));
        let by_from = avoid(&of_to, &to.written()) && lie_in(&of_from, &whole_lines(from));
        let is_ours = std::ptr::eq(to, ours);
        by_ours |= if is_ours { by_to } else { by_from };
        by_theirs |= if is_ours { by_from } else { by_to };
    }
    match (by_ours, by_theirs) {
        (true, false) => Some(Holder::Ours),
        (false, true) => Some(Holder::Theirs),
        (true, true) | (false, false) => None,
    }
}

/// Whether some word was written by both. Most merges have none, and end here.
fn write_same_word(ours: &Side<'_>, theirs: &Side<'_>) -> bool {
    let ours_wrote: BTreeSet<&str> = written_words(ours).collect();
    written_words(theirs).any(|word| ours_wrote.contains(word))
}

fn written_words<'a>(side: &'a Side<'a>) -> impl Iterator<Item = &'a str> {
    let words = side.written().into_iter().flat_map(|range| slice(side.text, range).split_whitespace());
    words.filter(|word| word.contains(char::is_alphanumeric))
}

/// The lines that a side wrote or changed. A line that it changed is its own as a whole: it stands even if the other deleted it.
fn whole_lines(side: &Side<'_>) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for range in side.written() {
        let is_whole = slice(side.text, range.clone()).ends_with('\n');
        let end = if is_whole { range.end } else { line_end(side.text, range.end) };
        let line = line_start(side.text, range.start)..end;
        match lines.last_mut() {
            Some(last) if line.start < last.end => last.end = last.end.max(line.end),
            _ => lines.push(line),
        }
    }
    lines
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
