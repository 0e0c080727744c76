//! Append documents: a conversation of `## User` and `## Assistant` blocks, one after the other.
//! Never changes what is already in the document; an answer only ever adds to its end.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Tag};

use crate::component::{closing_line, closing_line_of_file, inert};
use crate::markdown::{self, without_frontmatter_end, without_outer_blank_lines};
use crate::text::{joined, with_line_ending};

const USER_HEADING: &str = "## User";
const ASSISTANT_HEADING: &str = "## Assistant";

/// Who speaks in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person: `## User`.
    User,
    /// The agent: `## Assistant`.
    Assistant,
}

/// One block of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Who speaks.
    pub speaker: Speaker,
    /// The heading's line with its line break.
    pub heading: Range<usize>,
    /// What follows, up to the next block or the end.
    pub body: Range<usize>,
}

/// The blocks of an append document, in order. Headings in code, quotes and lists begin no block.
///
/// ```
/// use document::exchange::{Speaker, blocks};
///
/// let text = "# Talk\n\n## User\n\nHello\n\n## Assistant\n\nHi\n";
/// let blocks = blocks(text);
/// assert_eq!(blocks[1].speaker, Speaker::Assistant);
/// assert_eq!(text[blocks[0].body.clone()].trim(), "Hello");
/// ```
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for (speaker, heading) in headings(text, markdown::body_start(text)) {
        if let Some(previous) = found.last_mut() {
            previous.body.end = heading.start;
        }
        found.push(Block { speaker, body: heading.end..text.len(), heading });
    }
    found
}

/// `document` with the answer in an `## Assistant` block, and a `## User` block for the person to type in.
///
/// The bytes of the document stay as they are. One blank line separates it from the answer; blank lines that are there
/// already count. The answer takes the document's line ending, and its text can begin no block of its own.
///
/// ```
/// let text = document::exchange::build_response("## User\n\nHello\n", "Hi.");
/// assert_eq!(text, "## User\n\nHello\n\n## Assistant\n\nHi.\n\n## User\n\n");
/// ```
pub fn build_response(document: &str, answer: &str) -> String {
    let answer = inert(strip_echoed_headings(answer));
    let answer = demoted(without_outer_blank_lines(&answer));
    let mut added = String::with_capacity(answer.len() + 64);
    // Where a blank line is enough to end what is open, the separator is that line.
    match closing_line_of_file(document).as_deref().map(str::trim_end) {
        None | Some("") => added.push_str(separator(document)),
        Some(line) => {
            added.push_str(if document.ends_with('\n') { "" } else { "\n" });
            added.push_str(line);
            added.push_str("\n\n");
        }
    }
    added.push_str(ASSISTANT_HEADING);
    added.push_str("\n\n");
    if !answer.is_empty() {
        added.push_str(&answer);
        if let Some(line) = closing_line(&answer).filter(|line| !line.is_empty()) {
            added.push('\n');
            added.push_str(line.trim_end());
        }
        added.push_str("\n\n");
    }
    added.push_str(USER_HEADING);
    added.push_str("\n\n");
    let added = without_frontmatter_end(document, with_line_ending(&added, markdown::ending_for(document)));
    joined(&[document, &added])
}

/// `answer` without the `## Assistant` at its start and the empty `## User` at its end that agents like to echo.
///
/// ```
/// use document::exchange::strip_echoed_headings;
///
/// assert_eq!(strip_echoed_headings("## Assistant\n\nHi.\n\n## User\n\n"), "Hi.\n");
/// ```
pub fn strip_echoed_headings(answer: &str) -> &str {
    let found = headings(answer, 0);
    let is_blank = |range: Range<usize>| answer.get(range).is_some_and(|text| text.trim().is_empty());
    let mut kept = 0..answer.len();
    if let Some((Speaker::Assistant, first)) = found.first()
        && is_blank(0..first.start)
    {
        kept.start = first.end;
    }
    if let Some((Speaker::User, last)) = found.last()
        && is_blank(last.end..answer.len())
    {
        kept.end = last.start;
    }
    if kept == (0..answer.len()) {
        return answer;
    }
    let rest = answer.get(kept).unwrap_or_default();
    let text = without_outer_blank_lines(rest);
    let start = markdown::blank_lines_length(rest);
    // The last line keeps its line break.
    let after = rest.get(start + text.len()..).unwrap_or_default();
    rest.get(start..start + text.len() + markdown::blank_line_rest(after).unwrap_or(0)).unwrap_or(text)
}

/// The headings that begin blocks in the markdown of `text` after `start`: `## User` and `## Assistant` with number signs, at the top
/// level.
fn headings(text: &str, start: usize) -> Vec<(Speaker, Range<usize>)> {
    let mut found = Vec::new();
    // Most answers have none, which is seen much faster than they are parsed.
    if !text.contains(USER_HEADING) && !text.contains(ASSISTANT_HEADING) {
        return found;
    }
    let mut depth = 0_usize;
    for (event, range) in markdown::fragment_events(text.get(start..).unwrap_or_default()) {
        let range = range.start + start..range.end + start;
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::Heading { level: HeadingLevel::H2, .. }) {
                    let speaker = text.get(range.clone()).and_then(speaker_of);
                    found.extend(speaker.map(|speaker| (speaker, with_line_break(text, range))));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

fn speaker_of(heading: &str) -> Option<Speaker> {
    match heading.trim() {
        USER_HEADING => Some(Speaker::User),
        ASSISTANT_HEADING => Some(Speaker::Assistant),
        _ => None,
    }
}

fn with_line_break(text: &str, range: Range<usize>) -> Range<usize> {
    let end = range.start + text.get(range.clone()).unwrap_or_default().trim_end().len();
    let after = text.get(end..).unwrap_or_default();
    range.start..end + markdown::blank_line_rest(after).unwrap_or(0)
}

/// `answer` with its own block headings one level lower, so that it cannot speak for the person.
fn demoted(answer: &str) -> Cow<'_, str> {
    let found = headings(answer, 0);
    if found.is_empty() {
        return answer.into();
    }
    let mut result = String::with_capacity(answer.len() + found.len());
    let mut written = 0;
    for (_, heading) in found {
        result.push_str(answer.get(written..heading.start).unwrap_or_default());
        result.push('#');
        written = heading.start;
    }
    result.push_str(answer.get(written..).unwrap_or_default());
    result.into()
}

/// What must stand between the document and the next heading so that one blank line does.
fn separator(document: &str) -> &'static str {
    let body = document.get(markdown::body_start(document)..).unwrap_or_default();
    let last_line = body.rsplit('\n').next().unwrap_or_default();
    let is_last_blank = last_line.trim().is_empty();
    let before = body.get(..body.len() - last_line.len()).unwrap_or_default();
    let before = before.strip_suffix('\n').unwrap_or(before);
    let has_blank_line = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    if body.trim().is_empty() {
        let is_cut = document.len() > markdown::bom_length(document) && !document.ends_with('\n');
        if is_cut { "\n" } else { "" }
    } else if !is_last_blank {
        "\n\n"
    } else if last_line.is_empty() {
        if has_blank_line { "" } else { "\n" }
    } else {
        "\n"
    }
}
