//! How much of an answer that is still streaming in can be written already.
//! Never lets through what later text could turn into something else: half a marker, an open comment, half a fence.

use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::{Event, Tag};

use crate::comment::html;
use crate::diff::line_start;
use crate::markdown::fragment_events;

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
    end -= half_comment_length(text);
    let text = partial.get(..end).unwrap_or_default();
    end = end.min(half_fence_start(text).unwrap_or(end));
    let text = partial.get(..end).unwrap_or_default();
    // Backticks at the end may be joined by more, and then they close no code that fewer of them would. And a line that
    // has no end yet may still turn from a block of its own into more of the paragraph above.
    let views = [text.trim_end_matches('`'), text.get(..line_start(text, end)).unwrap_or_default()];
    views.into_iter().filter_map(unsettled_comment_start).min().unwrap_or(end)
}

/// As [`safe_prefix`], but without a last line that may yet turn into a heading, or turn the line above it into one.
///
/// ```
/// use document::patch::steady_prefix;
///
/// assert_eq!(steady_prefix("Done.\n##"), "Done.\n".len());
/// assert_eq!(steady_prefix("Done.\n## Next"), "Done.\n## Next".len());
/// ```
pub fn steady_prefix(partial: &str) -> usize {
    let safe = safe_prefix(partial);
    let line = partial.get(..safe).and_then(|shown| shown.rsplit('\n').next()).unwrap_or_default();
    let may_turn = line.chars().all(|c| matches!(c, '#' | '=' | '-' | ' ' | '\t'));
    if may_turn { safe - line.len() } else { safe }
}

/// How many bytes of a `<!--` that is not whole stand at the end.
fn half_comment_length(text: &str) -> usize {
    ["<!-", "<!", "<"].into_iter().find(|half| text.ends_with(half)).map_or(0, str::len)
}

/// Where the last line's text begins, if it may become a fence: it has no line break yet, and is only fence characters so far,
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
    is_half.then_some(text.len() - bare.len())
}

/// Where the first comment begins whose nature later text can still change: one that is open, or one in the last
/// paragraph after a backtick that may yet turn it into code.
fn unsettled_comment_start(text: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), html::OPEN.as_bytes())?;
    let last_end = memmem::rfind(text.as_bytes(), html::CLOSE.as_bytes());
    let is_open = |start: usize| last_end.is_none_or(|end| end < start);
    let mut paragraph: Option<Range<usize>> = None;
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut comments = Vec::new();
    for (event, range) in fragment_events(text) {
        match event {
            Event::Start(Tag::HtmlBlock) => html::comments_of_block(text, range, &mut comments),
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Table(_) | Tag::Item) => {
                paragraph = Some(range);
                code.clear();
            }
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => code.push(range),
            _ => {}
        }
    }
    let in_block = comments.into_iter().map(|comment| comment.range.start).find(|start| is_open(*start));
    let in_paragraph = paragraph.filter(|range| is_last(text, range)).and_then(|range| {
        let backtick = outside_code(text, &range, "`", &code).next();
        outside_code(text, &range, html::OPEN, &code)
            .find(|start| is_open(*start) || backtick.is_some_and(|backtick| backtick < *start))
    });
    [in_block, in_paragraph].into_iter().flatten().min()
}

/// Whether the paragraph at `range` can still grow: nothing follows it, not even a blank line.
fn is_last(text: &str, range: &Range<usize>) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let lines = lines.strip_suffix('\r').unwrap_or(lines);
    range.end >= lines.len() && !lines.ends_with('\n')
}

/// Where `needle` stands in `range`, except in `code`, which is in order.
fn outside_code<'t>(
    text: &'t str,
    range: &Range<usize>,
    needle: &'t str,
    code: &'t [Range<usize>],
) -> impl Iterator<Item = usize> {
    let start = range.start;
    let mut code = code.iter().peekable();
    memmem::find_iter(text.as_bytes().get(range.clone()).unwrap_or_default(), needle)
        .map(move |at| start + at)
        .filter(move |at| {
            while code.next_if(|span| span.end <= *at).is_some() {}
            code.peek().is_none_or(|span| span.start > *at)
        })
}
