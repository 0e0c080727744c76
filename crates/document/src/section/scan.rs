//! One pass over a text that finds its headings and how far their sections reach. Never looks at what is in them.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::markdown;
use crate::text::{self, LineCounter};

/// A heading directly in the document, and the range of its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) level: u8,
    pub(crate) line: usize,
    /// Start of the heading's line.
    pub(crate) start: usize,
    /// Start of the line after the heading.
    pub(crate) content_start: usize,
    /// End of the section.
    pub(crate) end: usize,
    /// Index of the section that this one is nested in.
    pub(crate) parent: Option<usize>,
}

/// The headings of `text` in document order.
pub(crate) fn scan(text: &str) -> Vec<Heading> {
    scan_with(text, |_, _| ())
}

/// As [`scan`], for one who wants to see the events of the same pass.
pub(crate) fn scan_with(text: &str, see: impl FnMut(&Event<'_>, &Range<usize>)) -> Vec<Heading> {
    walk(text, markdown::events(text), see)
}

/// As [`scan_with`], for markdown that stands somewhere inside a text.
pub(crate) fn scan_fragment_with(text: &str, see: impl FnMut(&Event<'_>, &Range<usize>)) -> Vec<Heading> {
    walk(text, markdown::fragment_events(text), see)
}

fn walk<'t>(
    text: &str,
    events: impl Iterator<Item = (Event<'t>, Range<usize>)>,
    mut see: impl FnMut(&Event<'_>, &Range<usize>),
) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut lines = LineCounter::new(text);
    let mut depth = 0_usize;
    let mut open: Option<Heading> = None;
    for (event, range) in events {
        see(&event, &range);
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                open = Some(opened(text, level as u8, &range, &mut lines));
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if matches!(end, TagEnd::Heading(_)) && depth == 0 {
                    headings.extend(open.take().map(trimmed));
                }
            }
            inline => {
                if let Some(heading) = &mut open {
                    say(&mut heading.title, &inline);
                }
            }
        }
    }
    nest(&mut headings, text.len());
    headings
}

fn opened(text: &str, level: u8, range: &Range<usize>, lines: &mut LineCounter<'_>) -> Heading {
    // The parser reports the heading after its indent, with or without the line break that ends it.
    let last = range.end.saturating_sub(1).max(range.start);
    let start = text::line_start(text, range.start);
    Heading {
        title: String::new(),
        level,
        line: lines.line(start),
        start,
        content_start: text::line_end(text, text::floor_char_boundary(text, last)),
        end: text.len(),
        parent: None,
    }
}

/// Adds what a reader sees of an inline event to the title.
fn say(title: &mut String, event: &Event<'_>) {
    match event {
        Event::Text(part) | Event::Code(part) => title.push_str(part),
        Event::SoftBreak | Event::HardBreak => title.push(' '),
        _ => {}
    }
}

fn trimmed(mut heading: Heading) -> Heading {
    let title = heading.title.trim();
    if title.len() != heading.title.len() {
        heading.title = title.to_owned();
    }
    heading
}

/// Gives each heading its end and its parent. The open ones have strictly growing levels, so there are at most six.
pub(crate) fn nest(headings: &mut [Heading], text_end: usize) {
    let mut open: Vec<(usize, u8)> = Vec::new();
    for index in 0..headings.len() {
        let Some((level, start)) = headings.get(index).map(|heading| (heading.level, heading.start)) else {
            continue;
        };
        while let Some(&(closed, _)) = open.last().filter(|&&(_, outer)| outer >= level) {
            if let Some(heading) = headings.get_mut(closed) {
                heading.end = start;
            }
            open.pop();
        }
        if let Some(heading) = headings.get_mut(index) {
            heading.end = text_end;
            heading.parent = open.last().map(|&(parent, _)| parent);
        }
        open.push((index, level));
    }
}
