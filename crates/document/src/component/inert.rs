//! Makes a text safe to stand inside a component: markers in it lose their force, what it leaves open is closed.
//! Never touches what is in code, and never drops a word.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use crate::comment::html::{self, HtmlComment};
use crate::markdown;
use crate::marker::{self, AGENT};

/// Taking the force from one marker can wake another that stood inside it; each pass must take at least one.
const PASSES_MAX: usize = 8;

/// What stands for `<!--` where a comment must not begin.
const ESCAPED_OPEN: &str = "&lt;!--";

/// `text` with component markers outside code made visible text, so that it opens and closes nothing.
///
/// ```
/// use document::component::inert;
///
/// assert_eq!(inert("see <!-- /agent:x --> and `<!-- agent:x -->`"), "see &lt;!-- /agent:x --> and `<!-- agent:x -->`");
/// ```
pub fn inert(text: &str) -> Cow<'_, str> {
    let mut result = Cow::Borrowed(text);
    for _ in 0..PASSES_MAX {
        let live: Vec<Range<usize>> = html::comments_of_fragment(&result)
            .into_iter()
            .filter(|comment| marker::is_marker_like(&result, comment, AGENT))
            .map(|comment| comment.range)
            .collect();
        if live.is_empty() {
            return result;
        }
        result = Cow::Owned(escaped_in(&result, &live));
    }
    Cow::Owned(without_comments(&result))
}

/// `text` with every `<!--` made visible text, in code too. For text whose surroundings decide what is code.
pub(super) fn without_comments(text: &str) -> String {
    text.replace(html::OPEN, ESCAPED_OPEN)
}

/// `text` as plain words: no HTML and no code fence begins in it.
pub(super) fn without_html_and_fences(text: &str) -> String {
    text.replace('<', "&lt;").replace("```", "\\`\\`\\`").replace("~~~", "\\~\\~\\~")
}

/// `text` in a code fence of its own, below a blank line that ends whatever HTML comes before.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}\n{text}\n{fence}")
}

/// The line that must follow `text` so that what comes after it is not swallowed: the end of an open code fence,
/// comment or raw HTML block. It is empty where a blank line is enough. A writer that streams keeps this line after its
/// anchor.
///
/// ```
/// use document::component::closing_line;
///
/// assert_eq!(closing_line("~~~~rust\nlet x = 1;\n").as_deref(), Some("~~~~"));
/// assert_eq!(closing_line("<!-- later").as_deref(), Some("-->"));
/// assert_eq!(closing_line("All said.\n"), None);
/// ```
pub fn closing_line(text: &str) -> Option<String> {
    closing_line_after(text, 0)
}

/// Like [`closing_line`], for a whole file.
pub(crate) fn closing_line_of_file(text: &str) -> Option<String> {
    closing_line_after(text, markdown::body_start(text))
}

/// What the markdown of `text` that begins at `start` leaves open.
fn closing_line_after(text: &str, start: usize) -> Option<String> {
    let text = text.get(markdown::last_piece(text, start)..)?;
    // A container ends by itself where a line without its indentation follows, so only its own level counts.
    let mut depth = 0_usize;
    let mut last = None;
    for (event, range) in markdown::fragment_events(text) {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    last = Some((tag, range));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let (tag, range) = last?;
    if range.end < text.trim_end().len() {
        return None;
    }
    let block = text.get(range)?;
    match tag {
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => fence_end(block),
        Tag::HtmlBlock => html_end(block).map(str::to_owned),
        _ => None,
    }
}

/// The fence that ends `block`, if the block has not ended.
fn fence_end(block: &str) -> Option<String> {
    let block = block.trim_start_matches(' ');
    let sign = block.chars().next()?;
    let length = block.chars().take_while(|c| *c == sign).count();
    let last = block.trim_end_matches(['\n', '\r']).rsplit_once('\n').map(|(_, line)| line);
    let is_end = last.is_some_and(|line| {
        let unindented = line.trim_start_matches(' ');
        let line_end = unindented.trim_end();
        line.len() - unindented.len() < 4 && line_end.len() >= length && line_end.chars().all(|c| c == sign)
    });
    if is_end { None } else { Some(String::from(sign).repeat(length)) }
}

/// What ends the raw HTML `block`, if it does not end with the next blank line and has not ended.
fn html_end(block: &str) -> Option<&'static str> {
    let block = block.trim_start_matches(' ');
    let end = if block.starts_with(html::OPEN) {
        html::CLOSE
    } else if block.starts_with("<?") {
        "?>"
    } else if block.starts_with("<![CDATA[") {
        "]]>"
    } else if block.starts_with("<!") {
        ">"
    } else {
        return raw_element_end(block).unwrap_or_else(|| Some(comment_end(block)));
    };
    if block.contains(end) { None } else { Some(end) }
}

/// The end tag that an element still needs whose content is not markdown, if `block` begins with such an element.
fn raw_element_end(block: &str) -> Option<Option<&'static str>> {
    const ELEMENTS: [(&str, &str); 4] =
        [("script", "</script>"), ("pre", "</pre>"), ("style", "</style>"), ("textarea", "</textarea>")];
    let lower = block.to_ascii_lowercase();
    let inner = lower.strip_prefix('<')?;
    let (_, end) = ELEMENTS.into_iter().find(|(name, _)| {
        inner
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '>'))
    })?;
    Some(Some(end).filter(|end| !lower.contains(end)))
}

/// What ends an ordinary HTML block: a blank line, after the end of a comment that is still open.
fn comment_end(block: &str) -> &'static str {
    let mut found: Vec<HtmlComment> = Vec::new();
    html::comments_of_block(block, 0..block.len(), &mut found);
    if found.last().is_some_and(|comment| !comment.closed) { "-->\n" } else { "" }
}

/// `text` with every `<!--` inside `ranges` made visible text.
fn escaped_in(text: &str, ranges: &[Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len() + ranges.len() * ESCAPED_OPEN.len());
    let mut written = 0;
    for range in ranges {
        result.push_str(text.get(written..range.start).unwrap_or_default());
        result.push_str(&without_comments(text.get(range.clone()).unwrap_or_default()));
        written = range.end;
    }
    result.push_str(text.get(written..).unwrap_or_default());
    result
}
