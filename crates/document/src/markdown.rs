//! Where the markdown body of a file begins, and its events with byte ranges of the whole text.
//! Never decides what a heading or a comment means; that is the work of `section`, `component` and `comment`.

mod pieces;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use pieces::{last_piece, pieces_with};

use pulldown_cmark::{Event, Options, Parser};

use crate::text::{self, LineEnding};

/// The dialect that people's editors and agents write: `CommonMark` with tables, strike-through, task lists and footnotes.
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
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
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

/// The line ending of what is added to `document`. One with lone carriage returns only gets line feeds: the markdown
/// parser does not see a marker end at a lone carriage return.
pub(crate) fn ending_for(document: &str) -> LineEnding {
    match LineEnding::of(document) {
        LineEnding::Cr => LineEnding::Lf,
        ending => ending,
    }
}

/// `text` without lines that would close a frontmatter block which `document` opens and never closes.
///
/// Such a document begins with a thematic break, and its text is all body. One dash more keeps the meaning of a break.
pub(crate) fn without_frontmatter_end<'t>(document: &str, text: Cow<'t, str>) -> Cow<'t, str> {
    let body = document.get(bom_length(document)..).unwrap_or_default();
    let opens = body.lines().next().is_some_and(|line| line.trim_end() == "---");
    if !opens || frontmatter_block(document).is_some() {
        return text;
    }
    let lines = text.split_inclusive('\n').map(|line| match line.trim_end() {
        "---" => line.replacen("---", "----", 1),
        "..." => line.replacen("...", "\\...", 1),
        _ => line.to_owned(),
    });
    lines.collect::<String>().into()
}

/// The length of a line break at the start of `text`, after blanks, counted with those blanks.
pub(crate) fn blank_line_rest(text: &str) -> Option<usize> {
    let trimmed = text.trim_start_matches([' ', '\t']);
    let blanks = text.len() - trimmed.len();
    if trimmed.starts_with('\n') {
        Some(blanks + 1)
    } else if trimmed.starts_with("\r\n") {
        Some(blanks + 2)
    } else {
        None
    }
}

/// The length of the blank lines at the start of `text`.
pub(crate) fn blank_lines_length(text: &str) -> usize {
    let mut length = 0;
    while let Some(line) = text.get(length..).and_then(blank_line_rest) {
        length += line;
    }
    length
}

/// `text` without the blank lines at its start and at its end; the first line keeps its indentation.
pub(crate) fn without_outer_blank_lines(text: &str) -> &str {
    text.get(blank_lines_length(text)..).unwrap_or_default().trim_end()
}
