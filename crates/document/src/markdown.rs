//! Where the markdown body of a file begins, and its events with byte ranges of the whole text.
//! Never decides what a heading or a comment means; that is the work of `section`, `component` and `comment`.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use crate::text;

/// The dialect that people's editors and agents write: markdown with tables, strike-through, task lists and footnotes.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
}

/// Events of `text` after its byte order mark and frontmatter; ranges are offsets into the whole `text`.
pub(crate) fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let start = body_start(text);
    fragment_events(text.get(start..).unwrap_or_default())
        .map(move |(event, range)| (event, range.start + start..range.end + start))
}

/// Events of `markdown` that stands somewhere inside a text: a first line `---` is a rule there, not a frontmatter fence.
pub(crate) fn fragment_events(markdown: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(markdown, options()).into_offset_iter()
}

/// Where the markdown begins: after a byte order mark and, if the file opens with one, after the frontmatter block.
pub(crate) fn body_start(text: &str) -> usize {
    match frontmatter_block(text) {
        Some(block) => block.end,
        None => bom_length(text),
    }
}

/// Three bytes if `text` opens with a byte order mark, else none.
pub(crate) fn bom_length(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

/// The frontmatter block with both of its fence lines and the line break after the closing one.
///
/// The opening fence is the first line and is exactly `---`; the closing one is `---` or `...`. Trailing blanks are allowed
/// and any line ending is. A block that never closes is no frontmatter: the text is all body.
pub(crate) fn frontmatter_block(text: &str) -> Option<Range<usize>> {
    let start = bom_length(text);
    let opening = text.get(start..text::line_end(text, start))?;
    if opening.trim_end() != "---" || !opening.ends_with(['\n', '\r']) {
        return None;
    }
    let ending = if opening.ends_with('\n') { '\n' } else { '\r' };
    let mut lines = text.get(start..)?.split_inclusive(ending);
    lines.next();
    let mut end = start + opening.len();
    for line in lines {
        end += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return Some(start..end);
        }
    }
    None
}
