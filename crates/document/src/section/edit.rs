//! Writing one section. Never changes a byte before its heading or after its end.
//!
//! Text that is put in takes the document's line ending. It is written as it is given: text of somebody who may not open
//! or close sections goes through [`contain`](crate::contain) first.

use std::ops::Range;

use super::SectionError;
use super::lookup::find;
use super::marker::{self, PROPOSAL_MARKER};
use super::scan::{Heading, scan};
use crate::text::{self, LineEnding, with_line_ending};

/// Blanks as markdown knows them. A no-break space is text.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// A text after a splice, and where in it the new bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) text: String,
    /// The range of the old text that is gone.
    pub(crate) removed: Range<usize>,
    /// The range of the new text that has come.
    pub(crate) inserted: Range<usize>,
}

impl Splice {
    fn new(text: &str, removed: Range<usize>, new: &str) -> Self {
        let before = text.get(..removed.start).unwrap_or_default();
        let after = text.get(removed.end..).unwrap_or_default();
        let inserted = removed.start..removed.start + new.len();
        Self { text: [before, new, after].concat(), removed, inserted }
    }
}

/// What stands between the last line of a section and text appended to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing: the text begins on the next line.
    Line,
    /// A blank line, so that the text begins a new block.
    Blank,
}

/// `markdown` with the content of the section `title` replaced; unchanged if [`replace`] would fail.
#[must_use]
pub fn replace_section(markdown: &str, title: &str, new_content: &str) -> String {
    replace(markdown, title, new_content).unwrap_or_else(|_| markdown.to_owned())
}

/// Replaces the content of the section `title`. Exactly one blank line stands before the next heading afterwards, and the
/// last line of the document is ended if it was before. The content that is already there changes nothing.
///
/// # Errors
///
/// [`SectionError`] if the title does not name exactly one section, or if the content begins with an unclosed marker.
///
/// ```
/// let text = document::section::replace("## A\nold\n## B\n", "A", "new")?;
/// assert_eq!(text, "## A\nnew\n\n## B\n");
/// # Ok::<(), document::section::SectionError>(())
/// ```
pub fn replace(markdown: &str, title: &str, new_content: &str) -> Result<String, SectionError> {
    let heading = find(markdown, title)?;
    checked(splice_content(markdown, &heading, heading.content_start, new_content), &heading)
}

/// `markdown` with `content` added at the end of the section `title`, or none if [`append`] would fail.
#[must_use]
pub fn append_to_section(markdown: &str, title: &str, content: &str) -> Option<String> {
    append(markdown, title, content).ok()
}

/// Adds lines at the end of the section `title`, before its trailing blank lines. A heading that follows keeps a blank line
/// before it.
///
/// # Errors
///
/// [`SectionError`] if the title does not name exactly one section, or if the content begins with an unclosed marker.
///
/// ```
/// let text = document::section::append("## A\none\n\n## B\n", "A", "two")?;
/// assert_eq!(text, "## A\none\ntwo\n\n## B\n");
/// # Ok::<(), document::section::SectionError>(())
/// ```
pub fn append(markdown: &str, title: &str, content: &str) -> Result<String, SectionError> {
    let heading = find(markdown, title)?;
    checked(splice_end(markdown, &heading, content, Gap::Line), &heading)
}

/// `markdown` with the proposal marker of the section `title` set or removed; unchanged if [`mark_proposal`] would fail.
#[must_use]
pub fn set_proposal(markdown: &str, title: &str, is_proposal: bool) -> String {
    mark_proposal(markdown, title, is_proposal).unwrap_or_else(|_| markdown.to_owned())
}

/// Sets or removes the proposal marker of the section `title`. A marker that is there stays as it is written; text after it
/// on its line stays when it is removed.
///
/// # Errors
///
/// [`SectionError`] if the title does not name exactly one section.
///
/// ```
/// let text = document::section::mark_proposal("## A\nbody\n", "A", true)?;
/// assert_eq!(text, "## A\n<!-- proposal -->\nbody\n");
/// # Ok::<(), document::section::SectionError>(())
/// ```
pub fn mark_proposal(markdown: &str, title: &str, is_proposal: bool) -> Result<String, SectionError> {
    let heading = find(markdown, title)?;
    let content = markdown.get(heading.content_start..heading.end).unwrap_or_default();
    match (marker::find(content), is_proposal) {
        (Some(_), true) | (None, false) => Ok(markdown.to_owned()),
        (None, true) => Ok(marked(markdown, &heading)),
        (Some(range), false) => Ok(unmarked(markdown, &heading, &range)),
    }
}

/// Replaces `from..end` of a section, where `from` is at or after the start of its content.
pub(crate) fn splice_content(text: &str, heading: &Heading, from: usize, content: &str) -> Splice {
    let ending = LineEnding::of(text);
    let old = text.get(from..heading.end).unwrap_or_default();
    let converted = with_line_ending(content, ending);
    // A document of mixed line endings gets its own content back as it is.
    if content == old || converted == old {
        return Splice::new(text, from..heading.end, old);
    }
    let content = converted;
    let mut new = String::with_capacity(content.len() + 4);
    if !content.is_empty() && !is_line_ended(text, from) {
        new.push_str(ending.as_str());
    }
    if heading.end < text.len() {
        new.push_str(content.get(..last_line_end(&content)).unwrap_or_default());
        end_line(&mut new, ending);
        new.push_str(ending.as_str());
    } else {
        new.push_str(&content);
        if text::has_final_newline(text) {
            end_line(&mut new, ending);
        }
    }
    Splice::new(text, from..heading.end, &new)
}

/// Adds `content` after the last line of the section that is not blank.
pub(crate) fn splice_end(text: &str, heading: &Heading, content: &str, gap: Gap) -> Splice {
    let (at, new) = addition(text, heading, content, gap, LineEnding::of(text));
    Splice::new(text, at..at, &new)
}

/// Where `content` goes to be the end of the section, and what is put there. `ending` is that of the text.
pub(crate) fn addition(
    text: &str,
    heading: &Heading,
    content: &str,
    gap: Gap,
    ending: LineEnding,
) -> (usize, String) {
    let section = text.get(heading.content_start..heading.end).unwrap_or_default();
    let at = heading.content_start + last_line_end(section);
    if content.is_empty() {
        return (at, String::new());
    }
    let mut new = String::with_capacity(content.len() + 6);
    if !is_line_ended(text, at) {
        new.push_str(ending.as_str());
    }
    if gap == Gap::Blank && !is_only_marker(text.get(heading.content_start..at).unwrap_or_default()) {
        new.push_str(ending.as_str());
    }
    new.push_str(&with_line_ending(content, ending));
    end_line(&mut new, ending);
    // Text directly above a heading that is underlined would become a part of its title.
    if at == heading.end && heading.end < text.len() {
        new.push_str(ending.as_str());
    }
    (at, new)
}

/// The spliced text, unless it hides what follows behind a marker that is not closed.
fn checked(splice: Splice, heading: &Heading) -> Result<String, SectionError> {
    match marker::unclosed(&splice.text, heading.content_start) {
        Some(line) => Err(SectionError::UnclosedMarker { line }),
        None => Ok(splice.text),
    }
}

fn marked(text: &str, heading: &Heading) -> String {
    let ending = LineEnding::of(text).as_str();
    let gap = if is_line_ended(text, heading.content_start) { "" } else { ending };
    let new = [gap, PROPOSAL_MARKER, ending].concat();
    Splice::new(text, heading.content_start..heading.content_start, &new).text
}

/// Takes the marker out: its whole line, or only itself if text follows. If that text would open a section once the marker
/// is gone, an empty comment takes the marker's place.
fn unmarked(text: &str, heading: &Heading, marker: &Range<usize>) -> String {
    let start = heading.content_start + marker.start;
    let end = heading.content_start + marker.end;
    let line_end = text::line_end(text, end);
    let rest = text.get(end..line_end).unwrap_or_default();
    if rest.trim_matches(BLANK).is_empty() {
        return Splice::new(text, text::line_start(text, start)..line_end, "").text;
    }
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let bare = Splice::new(text, start..end + blanks, "").text;
    let count = |text: &str| scan(text).len();
    if count(&bare) == count(text) { bare } else { Splice::new(text, start..end, "<!-- -->").text }
}

/// Where the last line of `text` that is not blank ends, with its line break; zero if all are blank.
fn last_line_end(text: &str) -> usize {
    match text.trim_end_matches(BLANK).len() {
        0 => 0,
        length => text::line_end(text, length),
    }
}

/// Whether nothing, or only the proposal marker's line, stands here. Both end their block, so no blank line is needed.
fn is_only_marker(content: &str) -> bool {
    match marker::find(content) {
        None => content.trim_matches(BLANK).is_empty(),
        Some(marker) => content.get(marker.end..).unwrap_or_default().trim_matches(BLANK).is_empty(),
    }
}

fn is_line_ended(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(text::has_final_newline)
}

fn end_line(text: &mut String, ending: LineEnding) {
    if !text::has_final_newline(text) {
        text.push_str(ending.as_str());
    }
}
