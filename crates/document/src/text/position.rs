//! From one way to name a place in a text to another: bytes, UTF-16 units, lines and columns.
//! Never fails: a place outside the text is the nearest one inside it.

use memchr::memchr2_iter;

/// A place as a person names it, both numbers counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Where the byte `offset` of `text` is. `\n`, `\r\n` and a lone `\r` each end a line, as in markdown.
///
/// ```
/// use document::text::{Position, position};
///
/// assert_eq!(position("één\ntwo", 6), Position { line: 2, column: 1 });
/// ```
#[must_use]
pub fn position(text: &str, offset: usize) -> Position {
    let offset = floor_char_boundary(text, offset);
    let before = text.get(..offset).unwrap_or_default();
    let start = line_start(text, offset);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    Position { line: line_of(text.as_bytes(), offset), column }
}

/// The last character boundary at or before `offset`.
#[must_use]
pub fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first character boundary at or after `offset`.
#[must_use]
pub fn ceil_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The byte offset of the character at `utf16_offset`; inside a surrogate pair it is the start of that character.
///
/// ```
/// use document::text::{utf8_to_utf16, utf16_to_utf8};
///
/// assert_eq!(utf16_to_utf8("a😀b", 3), 5);
/// assert_eq!(utf8_to_utf16("a😀b", 5), 3);
/// ```
#[must_use]
pub fn utf16_to_utf8(text: &str, utf16_offset: usize) -> usize {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        let next = units + character.len_utf16();
        if next > utf16_offset {
            return at;
        }
        units = next;
    }
    text.len()
}

/// How many UTF-16 units stand before the byte `offset`, which is taken back to a character boundary.
#[must_use]
pub fn utf8_to_utf16(text: &str, offset: usize) -> usize {
    let before = text.get(..floor_char_boundary(text, offset)).unwrap_or_default();
    before.chars().map(char::len_utf16).sum()
}

/// The line of `offset` in `bytes`, counted from one.
pub(super) fn line_of(bytes: &[u8], offset: usize) -> usize {
    1 + breaks(bytes, 0, offset)
}

/// Where the line that holds `offset` begins.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    // Between the two halves of a Windows ending we are still on the line that it ends.
    let ended = text.get(offset..).is_some_and(|rest| rest.starts_with('\n'));
    let before = if ended { before.strip_suffix('\r').unwrap_or(before) } else { before };
    before.rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// Where the line that holds `offset` ends: after its line break, or at the end of the text.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    match rest.find(['\n', '\r']) {
        None => text.len(),
        Some(at) if rest.get(at..).is_some_and(|tail| tail.starts_with("\r\n")) => offset + at + 2,
        Some(at) => offset + at + 1,
    }
}

/// The number of the line that holds `offset`, from one. Costs a pass over the text, so it is for messages only.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    LineCounter::new(text).line(offset)
}

/// Line numbers of growing offsets in one pass: asking for every heading of a text costs one walk over it.
#[derive(Debug)]
pub(crate) struct LineCounter<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of `offset`, counted from one; an offset before the last one asked for starts the walk again.
    pub(crate) fn line(&mut self, offset: usize) -> usize {
        if offset < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += breaks(self.bytes, self.at, offset);
        self.at = offset.max(self.at);
        self.line
    }
}

/// Line breaks that begin in `from..to` and are over before `to`.
fn breaks(bytes: &[u8], from: usize, to: usize) -> usize {
    let to = to.min(bytes.len());
    let Some(part) = bytes.get(from..to) else { return 0 };
    // A carriage return counts with its line feed, so the pair is one break and a lone one is one, too.
    memchr2_iter(b'\n', b'\r', part)
        .filter(|&at| part.get(at) == Some(&b'\n') || bytes.get(from + at + 1) != Some(&b'\n'))
        .count()
}
