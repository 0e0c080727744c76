//! What a document holds, at a glance, for a person at a terminal or an agent with little room. Never copies content.

use super::scan::scan;
use crate::markdown;
use crate::text;

/// Bytes that one token of a model stands for, roughly.
const BYTES_PER_TOKEN: usize = 4;

/// One line of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// One to six, or zero for the text before the first heading.
    pub level: u8,
    /// The visible text of the heading, or `(preamble)`.
    pub title: String,
    /// The line in the whole text, counted from one.
    pub line: usize,
    /// Byte offset where the section begins.
    pub start: usize,
    /// Byte offset where the section ends, nested ones included.
    pub end: usize,
    /// Words in the section, the heading and nested sections included.
    pub words: usize,
    /// A rough estimate of what the section costs a model to read.
    pub tokens: usize,
}

/// The headings of `text` in document order; text before the first one is a piece titled `(preamble)` of level zero.
///
/// ```
/// let outline = document::section::outline("Hello.\n\n# Plan\none two\n");
/// assert_eq!(outline[0].title, "(preamble)");
/// assert_eq!((outline[1].line, outline[1].words), (3, 4));
/// ```
#[must_use]
pub fn outline(text: &str) -> Vec<Heading> {
    let headings = scan(text);
    let first = headings.first().map_or(text.len(), |heading| heading.start);
    let body = markdown::body_start(text);
    let preamble = text.get(body..first).filter(|before| !before.trim().is_empty()).map(|before| {
        let blank = before.len() - before.trim_start().len();
        let start = text::line_start(text, body + blank).max(body);
        piece(text, 0, "(preamble)".to_owned(), text::position(text, start).line, start, first)
    });
    let sections = headings
        .into_iter()
        .map(|heading| piece(text, heading.level, heading.title, heading.line, heading.start, heading.end));
    preamble.into_iter().chain(sections).collect()
}

fn piece(text: &str, level: u8, title: String, line: usize, start: usize, end: usize) -> Heading {
    let words = text.get(start..end).unwrap_or_default().split_whitespace().count();
    Heading {
        level,
        title,
        line,
        start,
        end,
        words,
        tokens: end.saturating_sub(start).div_ceil(BYTES_PER_TOKEN),
    }
}
