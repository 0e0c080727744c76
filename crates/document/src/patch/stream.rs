//! How much of an answer that is still streaming in can be written already.
//! Never lets through what later text could turn into something else: half a marker, an open comment, half a fence.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use crate::comment::html;
use crate::markdown::{fragment_events, line_start};

/// The length of the longest part of a partial answer that may be written now.
///
/// It grows as the answer grows and never shrinks. The part may leave a code fence open: that is what
/// [`closing_line`](crate::component::closing_line) is for.
///
/// ```
/// use document::patch::safe_prefix;
///
/// assert_eq!(safe_prefix("Done. <!-- pat"), "Done. ".len());
/// assert_eq!(safe_prefix("Code:\n``"), "Code:\n".len());
/// assert_eq!(safe_prefix("Nearly do"), "Nearly do".len());
/// ```
pub fn safe_prefix(partial: &str) -> usize {
    let mut end = partial.len();
    if partial.ends_with('\r') {
        end -= 1;
    }
    let text = partial.get(..end).unwrap_or_default();
    end = end - half_comment_start(text);
    let text = partial.get(..end).unwrap_or_default();
    end = end.min(half_fence_start(text).unwrap_or(end));
    let text = partial.get(..end).unwrap_or_default();
    end.min(unsettled_comment_start(text).unwrap_or(end))
}

/// How many bytes of a `<!--` that is not whole stand at the end.
fn half_comment_start(text: &str) -> usize {
    ["<!-", "<!", "<"]
        .into_iter()
        .find(|half| text.ends_with(half))
        .map_or(0, str::len)
}

/// Where the last line begins, if it may become a fence: it has no line break yet, and is only fence characters so far,
/// or three of them and half an info string.
fn half_fence_start(text: &str) -> Option<usize> {
    let start = line_start(text, text.len());
    let line = text.get(start..)?;
    let bare = line.trim_start_matches(|c: char| {
        matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+' | '.' | ')') || c.is_ascii_digit()
    });
    let is_half = ['`', '~'].into_iter().any(|sign| {
        let rest = bare.trim_start_matches(sign);
        let length = bare.len() - rest.len();
        length >= 3 || length > 0 && rest.is_empty()
    });
    is_half.then_some(start)
}

/// Where the first comment begins whose nature later text can still change: one that is open, or one in the last
/// paragraph after a backtick that may yet turn it into code.
fn unsettled_comment_start(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), html::OPEN.as_bytes())?;
    let mut paragraph: Option<Range<usize>> = None;
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (event, range) in fragment_events(text) {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                let mut found = Vec::new();
                html::comments_of_block(text, range, &mut found);
                open = found
                    .into_iter()
                    .find(|comment| !comment.closed)
                    .map(|comment| comment.range.start)
                    .or(open);
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::Item) => {
                paragraph = Some(range);
                code.clear();
            }
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => code.push(range),
            _ => {}
        }
    }
    let open = open.filter(|start| reaches_end(text, *start));
    let paragraph = paragraph.filter(|range| range.end >= text.len());
    let inline = paragraph.and_then(|range| unsettled_in(text, range, &code));
    [open, inline].into_iter().flatten().min()
}

/// Whether a comment that is open at `start` still waits for its end.
fn reaches_end(text: &str, start: usize) -> bool {
    text.get(start..).is_some_and(|rest| !rest.contains(html::CLOSE))
}

/// The first comment of a paragraph that is not in finished code and is either open or preceded by a lone backtick.
fn unsettled_in(text: &str, paragraph: Range<usize>, code: &[Range<usize>]) -> Option<usize> {
    let source = text.get(paragraph.clone())?;
    let outside = |offset: usize| !code.iter().any(|span| span.contains(&offset));
    memchr::memmem::find_iter(source.as_bytes(), html::OPEN.as_bytes())
        .map(|at| paragraph.start + at)
        .filter(|at| outside(*at))
        .find(|at| reaches_end(text, *at) || lone_backtick(text, paragraph.start..*at, &outside))
}

fn lone_backtick(text: &str, range: Range<usize>, outside: &impl Fn(usize) -> bool) -> bool {
    let source = text.get(range.clone()).unwrap_or_default();
    source.match_indices('`').any(|(at, _)| outside(range.start + at))
}
