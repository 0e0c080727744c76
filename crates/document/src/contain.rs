//! Makes text of an agent or a program safe to put into a section: it can open, close or forge nothing outside it.
//! Never drops words: what would do harm is demoted, closed or escaped, and stays readable.
//!
//! First the leftovers of a terminal go ([`plain`]), then headings sink below the section, blocks that are left open are
//! closed, and our markers outside code are escaped. The result is then spliced in and read again. If the document's own
//! headings or markers are not what they were, the text goes in as one code block; if even that fails, it is refused.
//!
//! HTML that a browser would run stays in the text: who renders it makes it inert.

mod around;
mod block;
mod plain;
mod structure;
mod verify;

use crate::section::{self, Found, Gap, SectionError, Splice};
use crate::text;

pub use plain::plain;
pub use structure::{Addition, Appended, Structure};

/// How much of a text is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits<'n> {
    /// Bytes of the text that are kept; the rest is cut at a character boundary.
    pub bytes_max: usize,
    /// What stands after a text that was cut, such as where the whole of it is.
    pub note: &'n str,
}

impl Limits<'_> {
    /// Takes all of the text.
    pub const NONE: Self = Self { bytes_max: usize::MAX, note: "" };
}

/// Where a text is going to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Containment<'n> {
    /// The level of the section; headings of the text end up below it.
    pub section_level: u8,
    /// How much of the text is taken.
    pub limits: Limits<'n>,
}

/// Why a contained text was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContainError {
    /// There is no such section, or not just one.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// The text would change the document's other sections or components in whatever way it is written.
    #[error(
        "the text would change the structure of the document around {title:?}; look there for a fence or comment that is not closed"
    )]
    InvalidContent {
        /// The section that was asked for.
        title: String,
    },
}

/// `text` as it may stand in a section: line feeds only, no blank lines at its ends.
///
/// ```
/// use document::contain::{Containment, Limits, contain};
///
/// let context = Containment { section_level: 2, limits: Limits::NONE };
/// assert_eq!(contain("# Done\n```\ncode", &context), "### Done\n```\ncode\n```");
/// ```
#[must_use]
pub fn contain(text: &str, context: &Containment<'_>) -> String {
    assemble(text, context, |part| block::contained(part, context.section_level))
}

/// Adds `text` to the section `title` as a block of its own.
///
/// # Errors
///
/// [`ContainError`] if the title does not name exactly one section, or if the document's structure would change.
///
/// ```
/// use document::contain::{Limits, append_contained};
///
/// let text = append_contained("## A\none\n\n## B\n", "A", "## B\nforged", Limits::NONE)?;
/// assert_eq!(text, "## A\none\n\n### B\nforged\n\n## B\n");
/// # Ok::<(), document::contain::ContainError>(())
/// ```
pub fn append_contained(
    document: &str,
    title: &str,
    text: &str,
    limits: Limits<'_>,
) -> Result<String, ContainError> {
    let structure = Structure::of(document);
    let heading = structure.find(document, title)?;
    settle(&structure, title, &heading, text, limits, |contained| {
        section::splice_end(document, &heading, contained, Gap::Blank)
    })
}

/// Replaces the content of the section `title` with `text`. A proposal marker that the section has stays, and the one that
/// `text` may begin with, because its writer read it there, is not doubled.
///
/// # Errors
///
/// [`ContainError`] if the title does not name exactly one section, if the document's structure would change, or if the
/// old content holds a component, which would be lost.
pub fn replace_contained(
    document: &str,
    title: &str,
    text: &str,
    limits: Limits<'_>,
) -> Result<String, ContainError> {
    let structure = Structure::of(document);
    let heading = structure.find(document, title)?;
    let content = document.get(heading.content_start..heading.end).unwrap_or_default();
    let (from, text) = match section::find_marker(content) {
        Some(marker) => (heading.content_start + after_marker(content, marker.end), without_marker(text)),
        None => (heading.content_start, text),
    };
    settle(&structure, title, &heading, text, limits, |contained| {
        section::splice_content(document, &heading, from, contained)
    })
}

/// Where content begins that is not the marker: on the next line, or behind the marker if text shares its line.
fn after_marker(content: &str, marker_end: usize) -> usize {
    let line_end = text::line_end(content, marker_end);
    let rest = content.get(marker_end..line_end).unwrap_or_default();
    if rest.trim().is_empty() { line_end } else { marker_end }
}

/// Splices the text in, mildly if the document allows it, else as one code block.
fn settle(
    before: &Structure,
    title: &str,
    heading: &Found,
    text: &str,
    limits: Limits<'_>,
    splice: impl Fn(&str) -> Splice,
) -> Result<String, ContainError> {
    let context = Containment { section_level: heading.level, limits };
    let mild = splice(&contain(text, &context));
    if verify::is_unchanged(before, &mild, heading) {
        return Ok(mild.text);
    }
    let strict = splice(&assemble(text, &context, |part| Some(block::fenced(part))));
    if verify::is_unchanged(before, &strict, heading) {
        return Ok(strict.text);
    }
    Err(ContainError::InvalidContent { title: title.to_owned() })
}

/// Cleans and cuts the text, contains it, and puts the note after a text that was cut.
fn assemble(text: &str, context: &Containment<'_>, contained: impl Fn(&str) -> Option<String>) -> String {
    let inert = |part: &str| contained(part).unwrap_or_else(|| block::fenced(part));
    let clean = plain(text);
    let clean = trimmed(&clean);
    let kept = text::floor_char_boundary(clean, context.limits.bytes_max);
    if kept == clean.len() {
        return if clean.is_empty() { String::new() } else { inert(clean) };
    }
    let cut = trimmed(clean.get(..kept).unwrap_or_default());
    let note = plain(context.limits.note);
    let note = trimmed(&note);
    let parts = [cut, note].into_iter().filter(|part| !part.is_empty());
    parts.map(inert).collect::<Vec<_>>().join("\n\n")
}

/// Without blank lines at the start and blanks at the end; the first line keeps its indent.
fn trimmed(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '\t', '\n']);
    let blank = text.len() - text.trim_start_matches([' ', '\t', '\n']).len();
    text.get(text::line_start(text, blank)..).unwrap_or(text)
}

fn without_marker(text: &str) -> &str {
    section::find_marker(text).and_then(|marker| text.get(marker.end..)).unwrap_or(text)
}
