//! Replacing texts in a text. Never replaces what stands there more than once, unless told to.

use std::borrow::Cow;
use std::ops::Range;

/// One text in place of another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::tool) struct Change {
    /// The text to replace.
    pub(in crate::tool) old_string: String,
    /// The text to put there.
    pub(in crate::tool) new_string: String,
    /// Replace each place where `old_string` stands.
    #[serde(default)]
    pub(in crate::tool) replace_all: bool,
}

/// A text after its changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) text: String,
    /// Where the first change stands now.
    pub(super) first: Range<usize>,
    pub(super) places: usize,
}

/// One after the other; the first that does not fit undoes all.
pub(super) fn applied(text: &str, changes: &[Change]) -> Result<Changed, String> {
    let mut outcome = Changed { text: text.to_owned(), first: 0..0, places: 0 };
    for (index, change) in changes.iter().enumerate() {
        let which = if changes.len() == 1 { String::new() } else { format!("edits[{index}]: ") };
        let (text, first, places) = replaced(&outcome.text, change).map_err(|why| format!("{which}{why}"))?;
        if outcome.places == 0 || first.start < outcome.first.start {
            outcome.first = first;
        }
        outcome.text = text;
        outcome.places += places;
    }
    Ok(outcome)
}

fn replaced(text: &str, change: &Change) -> Result<(String, Range<usize>, usize), String> {
    if change.old_string.is_empty() {
        return Err("old_string is empty; give the text to replace, or use Write to make a file".to_owned());
    }
    if change.old_string == change.new_string {
        return Err("old_string and new_string are the same; nothing would change".to_owned());
    }
    let old = with_endings_of(text, &change.old_string);
    let new = with_endings_of(text, &change.new_string);
    let places: Vec<usize> = text.match_indices(&*old).map(|(place, _)| place).collect();
    match places.as_slice() {
        [] => Err(format!("String to replace not found in file.{}", near(text, &change.old_string))),
        [first, second, ..] if !change.replace_all => {
            let line_of = |place: &usize| text.get(..*place).unwrap_or_default().matches('\n').count() + 1;
            Err(format!(
                "Found {} matches of the string to replace, the first in lines {} and {}. \
                 Give more lines around it, or set replace_all.",
                places.len(),
                line_of(first),
                line_of(second)
            ))
        }
        [first, ..] => Ok((text.replace(&*old, &new), *first..*first + new.len(), places.len())),
    }
}

/// Models write plain line breaks; a file with the other kind keeps it.
fn with_endings_of<'a>(text: &str, given: &'a str) -> Cow<'a, str> {
    let (all, carriage) = (text.matches('\n').count(), text.matches("\r\n").count());
    if carriage * 2 > all && !given.contains('\r') && given.contains('\n') {
        return Cow::Owned(given.replace('\n', "\r\n"));
    }
    Cow::Borrowed(given)
}

/// A hint if only blanks are different.
fn near(text: &str, old: &str) -> String {
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(wanted) = old.lines().map(squeezed).find(|line| !line.is_empty()) else { return String::new() };
    match text.lines().position(|line| squeezed(line) == wanted) {
        Some(index) => {
            format!(" Line {} is like its first line, but not exactly; read it again and copy it.", index + 1)
        }
        None => " Read the file again and copy the text exactly.".to_owned(),
    }
}

#[cfg(test)]
mod tests;
