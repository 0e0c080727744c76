//! The proposal marker: where it stands in a section. Never looks further than the first line that is not blank.

use std::ops::Range;

use super::Section;
use crate::text;

/// The marker as we write it.
pub const PROPOSAL_MARKER: &str = "<!-- proposal -->";

/// Whether the first line of the section that is not blank is the proposal marker.
///
/// ```
/// use document::section::{find_section, is_proposal};
///
/// let section = find_section("## Researcher\n<!-- proposal -->\nFound.\n", "Researcher");
/// assert!(section.is_some_and(|section| is_proposal(&section)));
/// ```
#[must_use]
pub fn is_proposal(section: &Section) -> bool {
    find(&section.content).is_some()
}

/// The range of the marker in a section's content.
pub(crate) fn find(content: &str) -> Option<Range<usize>> {
    let start = opening(content)?;
    let inside = content.get(start + 4..)?;
    let length = inside.find("-->")?;
    let name = inside.get(..length)?;
    let is_marker = name.trim().eq_ignore_ascii_case("proposal") && !name.contains(['\n', '\r']);
    is_marker.then_some(start..start + 4 + length + 3)
}

/// The line of a marker that lacks its end, if the section begins with one.
pub(super) fn unclosed(text: &str, content_start: usize) -> Option<usize> {
    let content = text.get(content_start..)?;
    let start = opening(content)?;
    let line = content.get(start + 4..text::line_end(content, start))?;
    let is_unclosed = line.trim().eq_ignore_ascii_case("proposal");
    let at = content_start + start;
    is_unclosed.then(|| text::position(text, at).line)
}

/// Where a comment opens on the first line that is not blank, indented by three spaces at most.
fn opening(content: &str) -> Option<usize> {
    let at = content.find(|character| !matches!(character, ' ' | '\t' | '\r' | '\n'))?;
    let indent = content.get(text::line_start(content, at)..at)?;
    let is_comment = content.get(at..)?.starts_with("<!--");
    (is_comment && indent.len() <= 3 && !indent.contains('\t')).then_some(at)
}
