//! Reads `<!-- agent:NAME … -->` and `<!-- patch:NAME … -->`, opening and closing.
//! Never pairs them; that is the work of `component` and `patch`.

use std::ops::Range;

use crate::comment::html::{self, HtmlComment};
use crate::markdown;

/// The word before the colon of a component's markers.
pub(crate) const AGENT: &str = "agent:";
/// The word before the colon of a patch's markers.
pub(crate) const PATCH: &str = "patch:";

/// Whether a marker begins or ends its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Open,
    Close,
}

/// One marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marker<'t> {
    pub(crate) side: Side,
    pub(crate) name: &'t str,
    /// What stands after the name, verbatim.
    pub(crate) attributes: &'t str,
    /// The comment.
    pub(crate) range: Range<usize>,
}

impl<'t> Marker<'t> {
    /// The marker that `comment` is, if its word is `word` and it is whole.
    pub(crate) fn read(text: &'t str, comment: &HtmlComment, word: &str) -> Option<Self> {
        if !comment.closed {
            return None;
        }
        let (side, rest) = side_and_rest(comment.inner(text), word)?;
        let length = name_length(rest);
        let (name, after) = rest.split_at_checked(length)?;
        if name.is_empty() || after.starts_with(|c: char| !c.is_whitespace()) || spills(after) {
            return None;
        }
        Some(Self { side, name, attributes: after.trim(), range: comment.range.clone() })
    }

    /// The marker with the blanks and the line break after it, if nothing else follows on its line.
    pub(crate) fn with_line_end(&self, text: &str) -> Range<usize> {
        let after = text.get(self.range.end..).unwrap_or_default();
        self.range.start..self.range.end + markdown::blank_line_rest(after).unwrap_or(0)
    }

    /// The marker with the indentation and quote signs before it, if nothing else precedes it on its line.
    pub(crate) fn with_line_start(&self, text: &str) -> Range<usize> {
        // Looks back over blanks only, so a long line full of markers still costs linear time.
        let before = text.get(..self.range.start).unwrap_or_default();
        let line = before.trim_end_matches([' ', '\t', '>']);
        if line.is_empty() || line.ends_with(['\n', '\u{feff}']) {
            line.len()..self.range.end
        } else {
            self.range.clone()
        }
    }
}

/// Whether `comment` begins like a marker of `word` but is not closed on its own line, or runs into the next comment.
pub(crate) fn is_half_typed(text: &str, comment: &HtmlComment, word: &str) -> bool {
    let Some((_, rest)) = side_and_rest(comment.inner(text), word) else {
        return false;
    };
    !comment.closed || spills(rest)
}

/// Whether `comment` begins like a marker of `word`, whole or not.
pub(crate) fn is_marker_like(text: &str, comment: &HtmlComment, word: &str) -> bool {
    side_and_rest(comment.inner(text), word).is_some()
}

fn side_and_rest<'t>(inner: &'t str, word: &str) -> Option<(Side, &'t str)> {
    match inner.strip_prefix('/') {
        Some(closing) => closing.strip_prefix(word).map(|rest| (Side::Close, rest)),
        None => inner.strip_prefix(word).map(|rest| (Side::Open, rest)),
    }
}

/// A marker stands on one line and holds no other comment.
fn spills(rest: &str) -> bool {
    rest.contains(['\n', '\r']) || rest.contains(html::OPEN)
}

/// The length of `[a-zA-Z0-9][a-zA-Z0-9-]*` at the start of `text`.
fn name_length(text: &str) -> usize {
    if text.starts_with('-') {
        return 0;
    }
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count()
}
