//! Finds HTML comments the way `CommonMark` does: never inside code, wherever raw HTML may stand.
//! Never decides what a comment means.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Tag};

use crate::markdown::{self, pieces_with};

/// What a comment begins with.
pub(crate) const OPEN: &str = "<!--";
/// What a comment ends with.
pub(crate) const CLOSE: &str = "-->";

/// One HTML comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HtmlComment {
    /// From its first `<` to its last `>`, or to the end of its block if it never closes.
    pub(crate) range: Range<usize>,
    /// Whether it closes inside its block.
    pub(crate) closed: bool,
}

impl HtmlComment {
    /// What stands between the delimiters, without the blanks around it.
    pub(crate) fn inner<'t>(&self, text: &'t str) -> &'t str {
        let whole = text.get(self.range.clone()).unwrap_or_default();
        let inner = whole.strip_prefix(OPEN).unwrap_or(whole);
        inner.strip_suffix(CLOSE).unwrap_or(inner).trim()
    }

    /// The same comment where `length` bytes come before its text.
    fn behind(self, length: usize) -> Self {
        Self { range: self.range.start + length..self.range.end + length, closed: self.closed }
    }
}

/// The comments of a whole file, in order. Of a long one only the pieces are parsed in which there may be some.
pub(crate) fn comments_of_file(text: &str) -> Vec<HtmlComment> {
    let pieces = pieces_with(text, markdown::body_start(text), OPEN);
    let has_bracket = |piece: &Range<usize>| text.get(piece.clone()).is_some_and(|piece| piece.contains('['));
    if pieces.iter().any(has_bracket) && memmem::find(text.as_bytes(), b"]:").is_some() {
        // What is in brackets may be a link whose definition stands anywhere, and a link's text is read before a comment.
        return comments(text, markdown::events(text));
    }
    let of_piece = |piece: Range<usize>| {
        let found = comments_of_fragment(text.get(piece.clone()).unwrap_or_default()).into_iter();
        found.map(move |comment| comment.behind(piece.start))
    };
    pieces.into_iter().flat_map(of_piece).collect()
}

/// The comments of a piece of markdown, in order.
pub(crate) fn comments_of_fragment(text: &str) -> Vec<HtmlComment> {
    if memmem::find(text.as_bytes(), OPEN.as_bytes()).is_none() {
        return Vec::new();
    }
    comments(text, markdown::fragment_events(text))
}

/// The comments among `events` of `text`, in order.
pub(crate) fn comments<'t>(
    text: &str,
    events: impl Iterator<Item = (Event<'t>, Range<usize>)>,
) -> Vec<HtmlComment> {
    let mut found = Vec::new();
    for (event, range) in events {
        match event {
            Event::Start(Tag::HtmlBlock) => comments_of_block(text, range, &mut found),
            Event::InlineHtml(_) if starts_comment(text, range.start) => {
                found.push(HtmlComment { range, closed: true });
            }
            _ => {}
        }
    }
    found.sort_by_key(|comment| comment.range.start);
    found
}

/// Adds the comments of one HTML block. Inside it nothing is code, so every `<!--` counts.
pub(crate) fn comments_of_block(text: &str, block: Range<usize>, found: &mut Vec<HtmlComment>) {
    let mut at = block.start;
    while let Some(rest) = text.as_bytes().get(at..block.end) {
        let Some(opened) = memmem::find(rest, OPEN.as_bytes()) else {
            return;
        };
        let start = at + opened;
        match comment_length(text.as_bytes().get(start..block.end).unwrap_or_default()) {
            Some(length) => {
                at = start + length;
                found.push(HtmlComment { range: start..at, closed: true });
            }
            None => {
                found.push(HtmlComment { range: start..block.end, closed: false });
                return;
            }
        }
    }
}

fn starts_comment(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(OPEN))
}

/// The length of the comment at the start of `bytes`. `<!-->` and `<!--->` are whole comments.
fn comment_length(bytes: &[u8]) -> Option<usize> {
    let inner = bytes.get(OPEN.len()..)?;
    if inner.starts_with(b">") {
        return Some(OPEN.len() + 1);
    }
    if inner.starts_with(b"->") {
        return Some(OPEN.len() + 2);
    }
    memmem::find(inner, CLOSE.as_bytes()).map(|at| OPEN.len() + at + CLOSE.len())
}
