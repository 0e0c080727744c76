//! Finds the one passage that an edit means, or says helpfully why there is none. Never takes the first of two.

use std::ops::Range;

use document::section::Section;
use document::text;

use crate::command::{FileErrorKind, Refusal};

/// How many lines a message names.
const LINES_MAX: usize = 10;
/// How many characters of a line a message shows, and of a passage are compared.
const SHOWN_MAX: usize = 120;

/// Where `old` stands in the section's content, as a range of the whole text.
pub(super) fn find(whole: &str, section: &Section, old: &str, path: &str) -> Result<Range<usize>, Refusal> {
    let places = places(&section.content, old);
    match places.as_slice() {
        [] => Err(missing(section, old, path)),
        [at] => {
            let start = section.content_start + at;
            Ok(start..start + old.len())
        }
        several => Err(ambiguous(whole, section, several, path)),
    }
}

/// All places of `old`, overlapping ones too.
fn places(content: &str, old: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    let step = old.chars().next().map_or(1, char::len_utf8);
    while let Some(found) = content.get(from..).and_then(|rest| rest.find(old)) {
        places.push(from + found);
        from += found + step;
    }
    places
}

fn ambiguous(whole: &str, section: &Section, places: &[usize], path: &str) -> Refusal {
    let line = |at: &usize| text::position(whole, section.content_start + at).line.to_string();
    let mut lines: Vec<String> = places.iter().take(LINES_MAX).map(line).collect();
    if places.len() > LINES_MAX {
        lines.push("more".to_owned());
    }
    let count = places.len();
    let message = format!(
        "{path}: the passage stands {count} times in section {:?}, on lines {}; give more of the text around the one \
         you mean",
        section.title,
        lines.join(", ")
    );
    Refusal::new(FileErrorKind::MultipleMatches { count }, message)
}

fn missing(section: &Section, old: &str, path: &str) -> Refusal {
    let mut message = format!("{path}: the passage does not stand in section {:?}", section.title);
    if let Some(difference) = difference(&section.content, old) {
        message.push_str("; ");
        message.push_str(difference);
    }
    if let Some((offset, line)) = closest(&section.content, old) {
        let number = section.line + text::position(&section.content, offset).line;
        message.push_str(&format!("; the closest line is {number}: {:?}", shown(line)));
    }
    message.push_str("; read the section again and copy the passage exactly (headings cannot be edited)");
    Refusal::new(FileErrorKind::NoMatch, message)
}

/// What kind of difference keeps the passage from being found.
fn difference(content: &str, old: &str) -> Option<&'static str> {
    let feeds = |text: &str| text.replace("\r\n", "\n");
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    if feeds(content).contains(&feeds(old)) {
        return Some("only the line ends differ (CRLF and LF)");
    }
    let wanted = squeezed(old);
    (!wanted.is_empty() && squeezed(content).contains(&wanted)).then_some("only blanks or line breaks differ")
}

/// The line most like the first line of the passage, and where it begins.
fn closest<'t>(content: &'t str, old: &str) -> Option<(usize, &'t str)> {
    let wanted = pairs(old.trim().lines().next()?);
    let mut best: Option<(usize, usize, &str)> = None;
    let mut offset = 0;
    for line in text::lines(content) {
        let own = pairs(line.trim());
        let shared = own.iter().filter(|pair| wanted.contains(pair)).count();
        let score = 1000 * 2 * shared / (own.len() + wanted.len()).max(1);
        if score > best.map_or(300, |(score, _, _)| score) {
            best = Some((score, offset, text::split_ending(line).0));
        }
        offset += line.len();
    }
    best.map(|(_, offset, line)| (offset, line))
}

fn pairs(line: &str) -> Vec<(char, char)> {
    let characters: Vec<char> = line.chars().take(SHOWN_MAX).collect();
    characters.iter().zip(characters.iter().skip(1)).map(|(one, two)| (*one, *two)).collect()
}

fn shown(line: &str) -> String {
    line.chars().take(SHOWN_MAX).collect()
}
