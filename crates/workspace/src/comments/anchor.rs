//! Where a passage is: counted in bytes at a revision, and carried along by every edit since. Where the edits are not kept, its words are
//! looked for. Pure: never reads a journal itself.

use std::ops::Range;

use document::Revision;
use serde::{Deserialize, Serialize};

use crate::keeper::Entry;

/// The words of a passage that are kept, in bytes.
const QUOTE_MAX: usize = 400;

/// A passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The revision in which it was seen.
    pub revision: Revision,
    /// Its bytes there.
    pub range: Range<usize>,
    /// How it read when it was commented on, from the beginning.
    pub quote: String,
}

/// Where a passage is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Here.
    At(Range<usize>),
    /// Its words are gone; they stood here.
    Gone(usize),
}

impl Anchor {
    /// The passage that somebody means who saw `quote` at about `wanted`: the text may have moved since they saw it. None if it does
    /// not stand there at all.
    #[must_use]
    pub fn found(text: &str, revision: Revision, wanted: usize, quote: &str) -> Option<Anchor> {
        let start = nearest(text, wanted, quote)?;
        Some(Anchor { revision, range: start..start + quote.len(), quote: beginning(quote) })
    }

    /// Where it is in `text`, which is that of `revision`. `entries` is all that is kept of what happened.
    #[must_use]
    pub fn place(&self, text: &str, revision: Revision, entries: &[Entry]) -> Place {
        let carried = self.carried(revision, entries).map(|range| bounded(text, range));
        match carried {
            Some(range) if !range.is_empty() => Place::At(range),
            // Whoever wrote the passage anew wrote it as one edit; whoever took it away and brought it back, too.
            carried => {
                match nearest(text, self.range.start, &self.quote).filter(|_| !self.quote.is_empty()) {
                    Some(start) => Place::At(start..start + self.quote.len()),
                    None => {
                        Place::Gone(carried.map_or(self.range.start, |range| range.start).min(text.len()))
                    }
                }
            }
        }
    }

    /// The range after all edits up to a revision; none if some of them are not kept.
    fn carried(&self, revision: Revision, entries: &[Entry]) -> Option<Range<usize>> {
        let mut range = self.range.clone();
        let mut known = self.revision;
        for entry in
            entries.iter().filter(|entry| self.revision < entry.revision && entry.revision <= revision)
        {
            if entry.revision != known + 1 {
                return None;
            }
            known = entry.revision;
            for edit in &entry.edits {
                range = moved(range, &edit.range, edit.text.len());
            }
        }
        (known == revision).then_some(range)
    }
}

/// A range after an edit. What is inserted at its beginning or end is not part of it.
fn moved(Range { start, end }: Range<usize>, edited: &Range<usize>, length: usize) -> Range<usize> {
    let shifted =
        |at: usize| at.saturating_sub(edited.end).saturating_add(edited.start).saturating_add(length);
    let next_start = match (edited.end <= start, edited.start < start) {
        (true, _) => shifted(start),
        // The beginning was edited away: what came in its place is another's.
        (false, true) => edited.start.saturating_add(length),
        (false, false) => start,
    };
    let next_end = match (edited.start >= end, edited.end <= end) {
        (true, _) => end,
        (false, true) => shifted(end),
        (false, false) => edited.start,
    };
    // Nothing is left of one that was replaced together with what is around it.
    next_start.min(next_end)..next_end
}

/// A range that can be cut out of a text.
fn bounded(text: &str, Range { start, end }: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(start.min(text.len()));
    start..text.floor_char_boundary(end.min(text.len())).max(start)
}

/// The occurrence of some words that is nearest to a place.
fn nearest(text: &str, wanted: usize, words: &str) -> Option<usize> {
    if words.is_empty() {
        return None;
    }
    let wanted = text.floor_char_boundary(wanted.min(text.len()));
    let after = text.get(wanted..)?.find(words).map(|found| wanted + found);
    // One that begins before the place may reach beyond it.
    let reach = text.floor_char_boundary((wanted + words.len()).min(text.len()));
    let before = text.get(..reach)?.rfind(words);
    match (before, after) {
        (Some(before), Some(after)) if wanted.abs_diff(before) <= wanted.abs_diff(after) => Some(before),
        (before, after) => after.or(before),
    }
}

fn beginning(quote: &str) -> String {
    quote.get(..quote.floor_char_boundary(QUOTE_MAX)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Place, moved};
    use crate::Author;
    use crate::keeper::{Entry, InFile};
    use document::Edit;

    fn entry(revision: u64, edits: &[(usize, usize, &str)]) -> Entry {
        let edit = |(start, end, text): &(usize, usize, &str)| Edit {
            range: *start..*end,
            text: (*text).to_owned(),
        };
        let edits = edits.iter().map(edit).collect();
        let author = Author::new("anna".to_owned());
        Entry { revision, author, time: 0, section: None, request: None, edits, file: InFile::default() }
    }

    /// Carries `two` of `one two three` through entries.
    fn check(text: &str, entries: &[Entry], expected: &Place) {
        let anchor = Anchor::found("one two three", 1, 4, "two").unwrap();
        let revision = entries.last().map_or(1, |entry| entry.revision);
        assert_eq!(anchor.place(text, revision, entries), *expected);
    }

    #[test]
    fn a_passage_is_carried_along_by_what_is_written_around_it() {
        check("one two three", &[], &Place::At(4..7));
        check("zero one two three", &[entry(2, &[(0, 0, "zero ")])], &Place::At(9..12));
        check("one two three four", &[entry(2, &[(13, 13, " four")])], &Place::At(4..7));
        // At its very edges, what comes is outside.
        check("one >two< three", &[entry(2, &[(4, 4, ">")]), entry(3, &[(8, 8, "<")])], &Place::At(5..8));
        check("one tXwo three", &[entry(2, &[(5, 5, "X")])], &Place::At(4..8));
        check("on_o three", &[entry(2, &[(2, 6, "_")])], &Place::At(3..4));
    }

    #[test]
    fn a_passage_whose_words_are_gone_is_said_to_be_so_and_found_when_they_are_back() {
        check("one three", &[entry(2, &[(4, 8, "")])], &Place::Gone(4));
        check("one two three", &[entry(2, &[(4, 8, "")]), entry(3, &[(4, 4, "two ")])], &Place::At(4..7));
    }

    #[test]
    fn where_edits_are_not_kept_the_nearest_of_the_same_words_is_meant() {
        check("two, and one two three", &[entry(9, &[(0, 0, "?")])], &Place::At(0..3));
        check("nothing", &[entry(9, &[(0, 0, "?")])], &Place::Gone(4));
    }

    #[test]
    fn a_range_never_turns_around() {
        for start in 0..6 {
            for end in start..6 {
                for (from, to, length) in (0..6).flat_map(|from| (from..6).map(move |to| (from, to, to % 3)))
                {
                    let next = moved(start..end, &(from..to), length);
                    assert!(next.start <= next.end, "{start}..{end} by {from}..{to} with {length}: {next:?}");
                }
            }
        }
    }
}
