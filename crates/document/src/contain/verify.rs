//! Whether a document is still the same around a text that was put into it. Never repairs.

use std::ops::Range;

use memchr::memmem;

use super::Structure;
use crate::section::{Found, Splice};

/// Whether the headings and markers outside the splice are what they were, only moved, and the splice itself brought no
/// heading of the section's rank or above and no marker, nor took a marker away.
pub(super) fn is_unchanged(before: &Structure, splice: &Splice, section: &Found) -> bool {
    let moved = |at: usize| {
        if at < splice.removed.start {
            Some(at)
        } else if at < splice.removed.end {
            None
        } else {
            Some(at - splice.removed.end + splice.inserted.end)
        }
    };
    let is_own = |heading: &Found| splice.inserted.contains(&heading.start) && heading.level > section.level;
    let after = Structure::of(&splice.text);
    let old =
        before.headings.iter().filter_map(|one| Some((moved(one.start)?, one.level, one.title.as_str())));
    let new = after.headings.iter().filter(|one| !is_own(one));
    if !old.eq(new.map(|one| (one.start, one.level, one.title.as_str()))) {
        return false;
    }
    let old: Option<Vec<usize>> = before.markers.iter().map(|marker| moved(*marker)).collect();
    old == Some(after.markers)
}

/// A text that is put in at a place of the document before, and the rank of its section.
pub(super) struct Insertion<'i> {
    pub(super) at: usize,
    pub(super) text: &'i str,
    pub(super) level: u8,
}

/// As [`is_unchanged`] for several texts that are put in at once, in the order of their places.
pub(super) fn is_unchanged_around(
    before: &Structure,
    after: &Structure,
    insertions: &[Insertion<'_>],
) -> bool {
    let shift = |count: usize| insertions.iter().take(count).map(|one| one.text.len()).sum::<usize>();
    let starts: Vec<usize> =
        insertions.iter().enumerate().map(|(index, one)| one.at + shift(index)).collect();
    let moved = |at: usize| at + shift(insertions.partition_point(|one| one.at <= at));
    let is_own = |heading: &Found| {
        let index = starts.partition_point(|start| *start <= heading.start).checked_sub(1);
        index
            .and_then(|index| insertions.get(index).zip(starts.get(index)))
            .is_some_and(|(one, start)| heading.start < start + one.text.len() && heading.level > one.level)
    };
    let old = before.headings.iter().map(|one| (moved(one.start), one.level, one.title.as_str()));
    let new = after.headings.iter().filter(|one| !is_own(one));
    if !old.eq(new.map(|one| (one.start, one.level, one.title.as_str()))) {
        return false;
    }
    before.markers.iter().map(|marker| moved(*marker)).eq(after.markers.iter().copied())
}

/// Our markers in `text` outside `code`: the range from `<` to the end of the marker's name. `code` is sorted.
pub(super) fn markers(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut code = code.iter().peekable();
    let mut found = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), "<!--") {
        while code.next_if(|range| range.end <= at).is_some() {}
        if code.peek().is_some_and(|range| range.contains(&at)) {
            continue;
        }
        found.extend(name_length(text.get(at + 4..).unwrap_or_default()).map(|length| at..at + 4 + length));
    }
    found
}

/// How far the name of one of our markers reaches, blanks before it included.
fn name_length(comment: &str) -> Option<usize> {
    let name = comment.trim_start();
    let blanks = comment.len() - name.len();
    let starts = |word: &str| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let word = ["proposal", "agent:", "/agent:", "patch", "/patch"].into_iter().find(|word| starts(word))?;
    Some(blanks + word.len())
}
