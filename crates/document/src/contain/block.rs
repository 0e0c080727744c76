//! Rewrites markdown so that it stays within its section. Never touches what is in code.

use std::ops::Range;

use memchr::memchr2;
use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::verify::markers;
use crate::markdown;

/// Escaping one thing may uncover another, so the text is read again until nothing is left to do, this often at most.
const ROUNDS_MAX: usize = 16;
/// Stands behind the text while it is read. If this is no heading there, the text left a block open.
const PROBE: &str = "\n\n# probe\n";

/// `text` with headings below `level`, blocks closed and markers escaped; none if that does not come to an end.
pub(super) fn contained(text: &str, level: u8) -> Option<String> {
    let mut text = text.to_owned();
    if is_prose(&text) {
        return Some(text);
    }
    for _ in 0..ROUNDS_MAX {
        let edits = edits(&text, level)?;
        if edits.is_empty() {
            return Some(text);
        }
        text = edited(&text, edits);
    }
    None
}

/// Whether each line is blank or begins with a letter, and none holds a tag: paragraphs, of which nothing can be a heading, a fence, a
/// marker or an open block. That is seen much faster than the text is read.
pub(super) fn is_prose(text: &str) -> bool {
    let begins_plainly = |line: &str| line.chars().next().is_none_or(char::is_alphabetic);
    memchr2(b'<', b'\r', text.as_bytes()).is_none() && text.split('\n').all(begins_plainly)
}

/// `text` as one code block, with a fence that nothing in it can close.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

/// A part of the text and what comes in its place.
type Edit = (Range<usize>, String);

/// What one reading of the text finds to change; none if a block is open that we do not know how to close.
fn edits(text: &str, level: u8) -> Option<Vec<Edit>> {
    let probed = [text, PROBE].concat();
    let reading = Reading::of(&probed, text.len());
    let mut edits: Vec<Edit> =
        markers(&probed, &reading.code).into_iter().map(|marker| escaped(marker.start)).collect();
    if !reading.is_closed {
        edits.push(closing(text, reading.last_block.as_ref()?)?);
    }
    // What an escape or a close uncovers is not known before the next reading.
    if edits.is_empty() {
        edits = demotions(&probed, &reading.headings, level);
    }
    if edits.is_empty() {
        edits = balance(&probed, &reading.html, text.len());
    }
    edits.sort_by_key(|(range, _)| range.start);
    Some(edits)
}

/// What one pass over the probed text finds.
#[derive(Debug, Default)]
struct Reading {
    /// Headings directly in the text, with their level.
    headings: Vec<(Range<usize>, u8)>,
    code: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    /// The last block directly in the text that is code or HTML.
    last_block: Option<Block>,
    is_closed: bool,
}

#[derive(Debug)]
enum Block {
    Fence(usize),
    Html(usize),
}

impl Reading {
    fn of(probed: &str, end: usize) -> Self {
        let mut reading = Self::default();
        let mut depth = 0_usize;
        for (event, range) in markdown::fragment_events(probed) {
            match event {
                Event::Start(tag) => {
                    reading.open(&tag, range, depth == 0, end);
                    depth += 1;
                }
                Event::End(_) => depth = depth.saturating_sub(1),
                Event::Code(_) => reading.code.push(range),
                Event::Html(_) | Event::InlineHtml(_) => reading.html.push(range),
                _ => {}
            }
        }
        reading
    }

    fn open(&mut self, tag: &Tag<'_>, range: Range<usize>, is_outermost: bool, end: usize) {
        match tag {
            Tag::Heading { .. } if is_outermost && range.start > end => self.is_closed = true,
            Tag::Heading { level, .. } if is_outermost => self.headings.push((range, *level as u8)),
            Tag::CodeBlock(kind) => {
                if is_outermost && matches!(kind, CodeBlockKind::Fenced(_)) {
                    self.last_block = Some(Block::Fence(range.start));
                }
                self.code.push(range);
            }
            Tag::HtmlBlock if is_outermost => self.last_block = Some(Block::Html(range.start)),
            _ => {}
        }
    }
}

/// Closes a fence, or escapes the `<` that opened an HTML block.
fn closing(text: &str, block: &Block) -> Option<Edit> {
    match block {
        Block::Fence(start) => {
            let fence = text.get(*start..)?.trim_start();
            let kind = fence.chars().next().filter(|kind| matches!(kind, '`' | '~'))?;
            let length = fence.len() - fence.trim_start_matches(kind).len();
            Some((text.len()..text.len(), format!("\n{}", String::from(kind).repeat(length))))
        }
        Block::Html(start) => {
            let indent = text.get(*start..)?.find('<')?;
            Some(escaped(start + indent))
        }
    }
}

fn escaped(at: usize) -> Edit {
    (at..at + 1, "&lt;".to_owned())
}

/// Sinks the headings below `level`, all by the same number of steps, so that their order of rank stays.
fn demotions(text: &str, headings: &[(Range<usize>, u8)], level: u8) -> Vec<Edit> {
    let highest = headings.iter().map(|&(_, level)| level).min().unwrap_or(7);
    let steps = (level.saturating_add(1)).saturating_sub(highest);
    if steps == 0 {
        return Vec::new();
    }
    let demoted = |(range, old): &(Range<usize>, u8)| {
        demotion(text, range, *old, old.saturating_add(steps).min(6).max(level.saturating_add(1)))
    };
    headings.iter().filter_map(demoted).collect()
}

/// Writes one heading at its new level; at a seventh level it is a line of text.
fn demotion(text: &str, range: &Range<usize>, old: u8, new: u8) -> Option<Edit> {
    let source = text.get(range.clone())?;
    let heading = source.trim_end_matches('\n');
    let end = range.start + heading.len();
    let Some((title, _underline)) = heading.rsplit_once('\n') else {
        let edit = match new {
            0..=6 => (range.start..range.start, "#".repeat(usize::from(new - old.min(new)))),
            _ => (range.start..end, format!("\\{heading}\n")),
        };
        return Some(edit);
    };
    // A paragraph of several lines over `---` is not meant as a title. A blank line makes the rule a rule.
    if title.contains('\n') || new > 6 {
        let at = range.start + title.len();
        return Some((at..at, "\n".to_owned()));
    }
    let title = title.trim();
    // A run of `#` at the end would be taken as decoration of the heading.
    let title = title.strip_suffix('#').map_or(title.to_owned(), |start| format!("{start}\\#"));
    Some((range.start..end, format!("{} {title}", "#".repeat(usize::from(new)))))
}

/// Closes `<details>` that stay open, and escapes ends that nothing opened.
fn balance(text: &str, html: &[Range<usize>], end: usize) -> Vec<Edit> {
    let mut open = 0_usize;
    let mut edits = Vec::new();
    for range in html {
        let tags = text.get(range.clone()).unwrap_or_default().to_ascii_lowercase();
        for (at, _) in tags.match_indices('<') {
            let tag = tags.get(at..).unwrap_or_default();
            if tag.starts_with("<details") {
                open += 1;
            } else if tag.starts_with("</details") {
                match open.checked_sub(1) {
                    Some(fewer) => open = fewer,
                    None => edits.push(escaped(range.start + at)),
                }
            }
        }
    }
    if open > 0 {
        edits.push((end..end, "\n\n</details>".repeat(open)));
    }
    edits
}

/// Applies edits that are sorted; one that begins inside the one before it is left for the next reading.
fn edited(text: &str, edits: Vec<Edit>) -> String {
    let mut result = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, new) in edits {
        let Some(kept) = text.get(at..range.start) else {
            continue;
        };
        result.push_str(kept);
        result.push_str(&new);
        at = range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::{edits, is_prose};

    #[test]
    fn in_prose_there_is_nothing_to_change() {
        let parts =
            ["a", "É ", "\n", " ", "#", "-", "=", "`", "~", "<b", "|", "1.", "[a]", "*", "\\", "&lt;"];
        let count = parts.len();
        let mut prose = 0;
        for number in 0..count.pow(4) {
            let text: String = (0..4).map(|place| parts[number / count.pow(place) % count]).collect();
            if is_prose(&text) {
                prose += 1;
                assert_eq!(edits(&text, 2), Some(Vec::new()), "{text:?}");
            }
        }
        assert!(prose > 1000, "{prose}");
        for special in ["# a", "a\n# b", "```", "a\n---", "a <!-- b", "a\r\nb", " a", "1. a", "- a"] {
            assert!(!is_prose(special), "{special:?}");
        }
    }
}
