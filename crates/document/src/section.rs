//! Sections of a markdown text: find them, read them, replace, append, mark as proposal.
//! Never changes a byte outside the section it was asked for, and never picks the first of two equal titles.
//!
//! A section is a heading that stands directly in the document (not in a quote, a list or a footnote) with all that
//! follows, from the start of the heading's line to the next such heading of the same or a higher rank. The markdown
//! standard decides what a heading is: text over a line of `---` is one, and so is a heading between `<details>` and
//! `</details>` with blank lines around it; what is in code or in an HTML block is not.
//!
//! # Titles
//!
//! A title is the heading's visible text: emphasis, links and entities are resolved, inline HTML is left out, so
//! `## A <!-- proposal -->` is titled `A` (and is no proposal). Lookup trims and compares in Unicode lower case, which keeps
//! `ß` apart from `ss` and the dotted `İ` apart from `i`; a zero-width character makes a different title. In order:
//!
//! 1. a level-2 heading of that title, slashes taken literally;
//! 2. a heading of that title which is in no other section, such as a lone `# Plan`;
//! 3. a path `Parent/Child` that begins at one of these and goes down one section at a time.
//!
//! A nested `### Researcher` is therefore reached as `Terminal/Researcher` only. An empty title is never found.
//!
//! # The proposal marker
//!
//! A section is a proposal if its first line that is not blank begins with `<!-- proposal -->`, indented by three spaces at
//! most. Spelling is free on reading (`<!--proposal-->`, `<!-- PROPOSAL -->`), and a marker that is there is left as it was
//! written. Text after it on its line belongs to the section. A marker without its `-->` hides what follows: reading such a
//! section, or one that it hides, is an error with its line, and so is a write that would make one.

mod edit;
mod error;
mod lookup;
mod marker;
mod outline;
mod scan;

use std::ops::Range;

pub(crate) use edit::{Gap, Splice, addition, splice_content, splice_end};
pub use edit::{append, append_to_section, mark_proposal, replace, replace_section, set_proposal};
pub use error::SectionError;
pub(crate) use lookup::find_among;
pub use lookup::{find_section, locate};
pub(crate) use marker::find as find_marker;
pub use marker::{PROPOSAL_MARKER, is_proposal};
pub use outline::{Heading, outline};
use scan::scan;
pub(crate) use scan::{Heading as Found, nest, scan_fragment_with, scan_with};

/// A heading with all that follows up to the next one of its rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The visible text of the heading.
    pub title: String,
    /// One to six.
    pub level: u8,
    /// Byte offset of the start of the heading's line.
    pub start: usize,
    /// Byte offset after the last byte that belongs to the section, nested sections included.
    pub end: usize,
    /// What follows the heading's line, byte for byte, up to `end`: the proposal marker and nested sections included.
    pub content: String,
    /// Byte offset where `content` begins.
    pub content_start: usize,
    /// The line of the heading in the whole text, counted from one.
    pub line: usize,
}

impl Section {
    pub(crate) fn of(text: &str, heading: &Found) -> Self {
        Self {
            title: heading.title.clone(),
            level: heading.level,
            start: heading.start,
            end: heading.end,
            content: text.get(heading.content_start..heading.end).unwrap_or_default().to_owned(),
            content_start: heading.content_start,
            line: heading.line,
        }
    }
}

/// Where a section stands, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The visible text of the heading.
    pub title: String,
    /// One to six.
    pub level: u8,
    /// From the heading's line to the end of what belongs to the section.
    pub range: Range<usize>,
    /// Whether the first line that is not blank is the proposal marker.
    pub is_proposal: bool,
}

impl Place {
    pub(crate) fn of(text: &str, heading: Found) -> Self {
        let content = text.get(heading.content_start..heading.end).unwrap_or_default();
        let (range, is_proposal) = (heading.start..heading.end, find_marker(content).is_some());
        Self { title: heading.title, level: heading.level, range, is_proposal }
    }
}

impl From<&Section> for Place {
    fn from(section: &Section) -> Self {
        let (range, is_proposal) = (section.start..section.end, is_proposal(section));
        Self { title: section.title.clone(), level: section.level, range, is_proposal }
    }
}

/// All sections of `markdown`, of all levels, in document order; a section's content holds its nested ones.
///
/// ```
/// let sections = document::section::find_sections("# Plan\n\n## A\nbody\n## B\n");
/// let titles: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
/// assert_eq!(titles, ["Plan", "A", "B"]);
/// assert_eq!(sections[1].content, "body\n");
/// ```
#[must_use]
pub fn find_sections(markdown: &str) -> Vec<Section> {
    scan(markdown).iter().map(|heading| Section::of(markdown, heading)).collect()
}
