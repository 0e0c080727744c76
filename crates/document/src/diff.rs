//! What changed between two texts: whole lines first, refined to words where most of a changed passage was kept.
//! Never cuts inside a word or a character, and never compares more of two long texts than lies between their changes.

mod lines;
mod table;
mod unified;
mod words;

use std::ops::Range;

pub(crate) use lines::{common_prefix, common_suffix, last_line_start, line_end, line_hunks, line_start};
pub use unified::unified;
pub(crate) use words::{is_word, refine};

/// One changed span: `old` bytes of the text before became `new` bytes of the text after.
///
/// Both ranges lie on character boundaries. A hunk either covers whole lines on both sides, or lies inside one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The span in the text before.
    pub old: Range<usize>,
    /// The span in the text after.
    pub new: Range<usize>,
}

impl Hunk {
    /// Nothing of the text before was removed.
    pub fn is_insertion(&self) -> bool {
        self.old.is_empty()
    }

    /// How many bytes were removed and inserted, together.
    pub fn weight(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// The changes from `old` to `new`: lines, refined to words inside a changed passage.
///
/// Applying the hunks to `old` gives `new`, byte for byte.
///
/// ```
/// use document::diff::diff;
///
/// let (old, new) = ("title\nship it on monday\n", "title\nship it on friday\n");
/// let hunks = diff(old, new);
/// assert_eq!(hunks.len(), 1);
/// assert_eq!(&old[hunks[0].old.clone()], "monday");
/// assert_eq!(&new[hunks[0].new.clone()], "friday");
/// ```
pub fn diff(old: &str, new: &str) -> Vec<Hunk> {
    let mut refined = Vec::new();
    for hunk in line_hunks(old, new) {
        refine(old, new, &hunk, &mut refined);
    }
    refined
}

/// The changes from `old` to `new` in whole lines.
pub fn diff_lines(old: &str, new: &str) -> Vec<Hunk> {
    line_hunks(old, new)
}

/// The part of `text` that `range` covers, or nothing if it is no range of characters.
///
/// Every range in this crate is made from the text it is used on, so the fallback is never taken; it stands here
/// so that a mistake of ours shows as a wrong test, and not as a crash of the person's editor session.
pub(crate) fn slice(text: &str, range: Range<usize>) -> &str {
    let part = text.get(range.clone());
    debug_assert!(part.is_some(), "{range:?} is no range of characters of a text of {} bytes", text.len());
    part.unwrap_or_default()
}

/// How many bytes of `text` are no blanks.
pub(crate) fn solid(text: &str) -> usize {
    text.split_whitespace().map(str::len).sum()
}
