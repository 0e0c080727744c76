//! From a title or a path to the one section it names. Never guesses between two.

use super::marker;
use super::scan::{Heading, scan};
use super::{Section, SectionError};

/// How many titles an error offers.
const NEAREST_MAX: usize = 3;
/// Characters of a title that are compared when looking for similar ones.
const COMPARED_MAX: usize = 64;

/// The section that `title` names, or none if there is none or more than one. See [`locate`] for the reason.
///
/// ```
/// let text = "## Researcher\nFound.\n";
/// let section = document::section::find_section(text, " reSEARCHer ");
/// assert_eq!(section.map(|section| section.content), Some("Found.\n".to_owned()));
/// ```
#[must_use]
pub fn find_section(markdown: &str, title: &str) -> Option<Section> {
    locate(markdown, title).ok()
}

/// The section that `title` names, by the rules of the [module](super).
///
/// # Errors
///
/// [`SectionError`] if no section or more than one has the title, or if an unclosed proposal marker hides it.
///
/// ```
/// use document::section::{SectionError, locate};
///
/// let twice = locate("## A\n## A\n", "a");
/// assert_eq!(twice, Err(SectionError::Multiple { title: "a".into(), count: 2, lines: vec![1, 2] }));
/// ```
pub fn locate(markdown: &str, title: &str) -> Result<Section, SectionError> {
    find(markdown, title).map(|heading| Section::of(markdown, &heading))
}

/// As [`locate`], without a copy of the content.
pub(crate) fn find(text: &str, title: &str) -> Result<Heading, SectionError> {
    find_among(text, &scan(text), title)
}

/// As [`find`], with the headings of the text at hand.
pub(crate) fn find_among(text: &str, headings: &[Heading], title: &str) -> Result<Heading, SectionError> {
    let wanted = folded(title);
    let chosen = choose(headings, &wanted);
    match chosen.as_slice() {
        [] => Err(missing(text, headings, title)),
        [one] => match marker::unclosed(text, one.content_start) {
            Some(line) => Err(SectionError::UnclosedMarker { line }),
            None => Ok((*one).clone()),
        },
        several => Err(SectionError::Multiple {
            title: title.to_owned(),
            count: several.len(),
            lines: several.iter().map(|heading| heading.line).collect(),
        }),
    }
}

/// All headings that the folded title names at the first of the three steps that names any.
fn choose<'h>(headings: &'h [Heading], wanted: &str) -> Vec<&'h Heading> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let titled: Vec<&Heading> = headings.iter().filter(|heading| is_folded(&heading.title, wanted)).collect();
    let second: Vec<&Heading> = titled.iter().copied().filter(|heading| heading.level == 2).collect();
    if !second.is_empty() {
        return second;
    }
    let outermost: Vec<&Heading> = titled.into_iter().filter(|heading| heading.parent.is_none()).collect();
    if !outermost.is_empty() || !wanted.contains('/') {
        return outermost;
    }
    headings.iter().filter(|heading| is_path_to(headings, heading, wanted)).collect()
}

/// Whether `path` ends in this heading's title and the rest leads to its parent. At most six levels deep.
fn is_path_to(headings: &[Heading], heading: &Heading, path: &str) -> bool {
    let title = folded(&heading.title);
    if title.is_empty() {
        return false;
    }
    if path == title && (heading.level == 2 || heading.parent.is_none()) {
        return true;
    }
    let rest = path.strip_suffix(title.as_str()).and_then(|rest| rest.trim_end().strip_suffix('/'));
    let parent = heading.parent.and_then(|index| headings.get(index));
    match (rest, parent) {
        (Some(rest), Some(parent)) => is_path_to(headings, parent, rest.trim_end()),
        _ => false,
    }
}

/// Whether the title is the folded one, without a copy of a title of plain letters.
fn is_folded(title: &str, folded_title: &str) -> bool {
    // Most titles are plain, and each is compared with each that is asked for.
    title.eq_ignore_ascii_case(folded_title)
        || (title.len() > folded_title.len() && title.trim_ascii().eq_ignore_ascii_case(folded_title))
        || (!title.is_ascii() && folded(title) == folded_title)
}

fn folded(title: &str) -> String {
    title.trim().to_lowercase()
}

/// An unclosed marker anywhere may be what hides the section, so it is the better message.
fn missing(text: &str, headings: &[Heading], title: &str) -> SectionError {
    match headings.iter().find_map(|heading| marker::unclosed(text, heading.content_start)) {
        Some(line) => SectionError::UnclosedMarker { line },
        None => SectionError::NotFound { title: title.to_owned(), nearest: nearest(headings, title) },
    }
}

fn nearest(headings: &[Heading], title: &str) -> Vec<String> {
    let wanted = comparable(title);
    let mut ranked: Vec<(usize, &str)> = headings
        .iter()
        .filter(|heading| !heading.title.is_empty())
        .map(|heading| (distance(&wanted, &comparable(&heading.title)), heading.title.as_str()))
        .collect();
    ranked.sort_by_key(|&(distance, _)| distance);
    ranked.dedup_by_key(|&mut (_, title)| title);
    ranked.into_iter().take(NEAREST_MAX).map(|(_, title)| title.to_owned()).collect()
}

/// A title without what the eye does not see, cut to a length that is cheap to compare.
fn comparable(title: &str) -> Vec<char> {
    let seen = title
        .trim()
        .chars()
        .filter(|character| !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'));
    seen.flat_map(char::to_lowercase).take(COMPARED_MAX).collect()
}

/// How many characters must be added, removed or changed to make one title the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, character) in one.iter().enumerate() {
        let mut corner = above;
        let mut left = above + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, against) in row.iter_mut().skip(1).zip(other) {
            let changed = corner + usize::from(character != against);
            corner = *cell;
            left = changed.min(left + 1).min(*cell + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}
