//! Whether a document is still the same around a text that was put into it. Never repairs.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Tag};

use crate::markdown;
use crate::section::{Found, Splice, scan};

/// Whether the headings and markers outside the splice are what they were, only moved, and the splice itself brought no
/// heading of the section's rank or above and no marker, nor took a marker away.
pub(super) fn is_unchanged(before: &str, splice: &Splice, section: &Found) -> bool {
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
    let old = scan(before);
    let new = scan(&splice.text);
    let old = old.iter().filter_map(|one| Some((moved(one.start)?, one.level, one.title.as_str())));
    let new = new.iter().filter(|one| !is_own(one)).map(|one| (one.start, one.level, one.title.as_str()));
    if !old.eq(new) {
        return false;
    }
    let old: Option<Vec<usize>> = document_markers(before).iter().map(|marker| moved(marker.start)).collect();
    let new: Vec<usize> = document_markers(&splice.text).iter().map(|marker| marker.start).collect();
    old == Some(new)
}

/// A text that is put in at a place of the document before, and the rank of its section.
pub(super) struct Insertion<'i> {
    pub(super) at: usize,
    pub(super) text: &'i str,
    pub(super) level: u8,
}

/// As [`is_unchanged`] for several texts that are put in at once, in the order of their places.
pub(super) fn is_unchanged_around(before: &str, after: &str, insertions: &[Insertion<'_>]) -> bool {
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
    let (old, new) = (scan(before), scan(after));
    let old = old.iter().map(|one| (moved(one.start), one.level, one.title.as_str()));
    let new = new.iter().filter(|one| !is_own(one)).map(|one| (one.start, one.level, one.title.as_str()));
    if !old.eq(new) {
        return false;
    }
    let old = document_markers(before).into_iter().map(|marker| moved(marker.start));
    old.eq(document_markers(after).into_iter().map(|marker| marker.start))
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

fn document_markers(text: &str) -> Vec<Range<usize>> {
    let mut code = Vec::new();
    for (event, range) in markdown::events(text) {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) {
            code.push(range);
        }
    }
    markers(text, &code)
}
