//! Comments are the person's scratchpad: this takes them out of a text before it is compared or sent.
//! Never takes our own markers, and never takes anything out of code.

pub(crate) mod html;

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Tag};

use crate::markdown;
use html::HtmlComment;

/// What a comment begins with that is written as a definition.
const REFERENCE: &str = "[//]:";

/// `text` without its `<!-- … -->` comments and `[//]: # (…)` lines. Takes linear time.
///
/// A comment alone on its line takes the line with it. Markers of components, patches and proposals stay.
///
/// ```
/// use document::comment::strip_comments;
///
/// assert_eq!(strip_comments("one\n<!-- not yet -->\ntwo <!-- hm -->\n"), "one\ntwo \n");
/// assert_eq!(strip_comments("`<!--` opens and `-->` closes"), "`<!--` opens and `-->` closes");
/// ```
pub fn strip_comments(text: &str) -> String {
    let comments = html::comments_of_file(text);
    let mut removed: Vec<Range<usize>> = comments
        .iter()
        .filter(|comment| comment.closed && !is_ours(comment.inner(text)))
        .map(|comment: &HtmlComment| comment.range.clone())
        .collect();
    if memmem::find(text.as_bytes(), REFERENCE.as_bytes()).is_some() {
        removed.extend(reference_comments(text, &code(text)));
        removed.sort_by_key(|range| range.start);
    }
    without(text, &with_lines(text, removed))
}

/// Where code and raw HTML stand, in order.
fn code(text: &str) -> Vec<Range<usize>> {
    let is_code = |event: &Event<'_>| {
        matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Code(_))
    };
    let events = markdown::events(text).filter(|(event, _)| is_code(event));
    let mut code: Vec<Range<usize>> = events.map(|(_, range)| range).collect();
    code.sort_by_key(|range| range.start);
    code
}

/// Whether a comment is a marker of this program.
fn is_ours(inner: &str) -> bool {
    let word = inner.strip_prefix('/').unwrap_or(inner);
    let is_proposal = word
        .strip_prefix("proposal")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c == ':' || c.is_whitespace()));
    is_proposal || word.starts_with("agent:") || word.starts_with("patch:")
}

/// Lines `[//]: # (…)` after the frontmatter that are not in code or raw HTML.
fn reference_comments(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = markdown::body_start(text);
    let mut code = code.iter().peekable();
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if !is_reference_comment(line) {
            continue;
        }
        while code.next_if(|span| span.end <= range.start).is_some() {}
        if code.peek().is_none_or(|span| span.start >= range.end) {
            found.push(range.start..range.start + line.trim_end().len());
        }
    }
    found
}

fn is_reference_comment(line: &str) -> bool {
    let Some(rest) = line.trim().strip_prefix(REFERENCE) else {
        return false;
    };
    let Some(title) = rest.trim_start().strip_prefix('#') else {
        return false;
    };
    let title = title.trim();
    [('(', ')'), ('"', '"'), ('\'', '\'')]
        .into_iter()
        .any(|(open, close)| title.strip_prefix(open).is_some_and(|rest| rest.ends_with(close)))
}

/// Grows ranges that are all there is on their lines to those lines; ranges with only blanks between become one.
fn with_lines(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end || is_blank(text, last.end..range.start) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined.into_iter().map(|range| with_line(text, range)).collect()
}

fn with_line(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default().trim_end_matches([' ', '\t']);
    let after = text.get(range.end..).unwrap_or_default();
    let starts_line = before.is_empty() || before.ends_with(['\n', '\u{feff}']);
    match markdown::blank_line_rest(after) {
        Some(length) if starts_line => before.len()..range.end + length,
        None if starts_line && after.trim_matches([' ', '\t']).is_empty() => before.len()..text.len(),
        _ => range,
    }
}

fn is_blank(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|between| between.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
}

fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut kept = 0;
    for range in removed {
        result.push_str(text.get(kept..range.start).unwrap_or_default());
        kept = kept.max(range.end);
    }
    result.push_str(text.get(kept..).unwrap_or_default());
    result
}
