//! Many insertions into one long text, for which it is moved once. Never cuts a character in two.

/// A text is taken to grow by this part of its length before it is made anew.
const GROWTH: usize = 32;

/// Parts of a document, one after another, with room for what a merge adds.
pub(crate) fn joined(parts: &[&str]) -> String {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut text = String::with_capacity(length + length / GROWTH);
    parts.iter().for_each(|part| text.push_str(part));
    text
}

/// Puts texts in as if one after another, each at a byte of `text` that is not behind the one before. Whether they fit; if not,
/// nothing is changed.
///
/// ```
/// let mut text = "one three".to_owned();
/// assert!(document::text::insert_each(&mut text, &[(9, " four"), (4, "two ")]));
/// assert_eq!(text, "one two three four");
/// ```
#[must_use]
pub fn insert_each(text: &mut String, insertions: &[(usize, &str)]) -> bool {
    if !can_insert_each(text, insertions) {
        return false;
    }
    let added: usize = insertions.iter().map(|(_, inserted)| inserted.len()).sum();
    let mut bytes = std::mem::take(text).into_bytes();
    let (mut from, mut to) = (bytes.len(), bytes.len() + added);
    bytes.resize(to, 0);
    // From the end on, so that each byte moves once, and in the room that the text has.
    for (at, inserted) in insertions {
        to -= from - at;
        bytes.copy_within(*at..from, to);
        to -= inserted.len();
        if let Some(room) = bytes.get_mut(to..to + inserted.len()) {
            room.copy_from_slice(inserted.as_bytes());
        }
        from = *at;
    }
    // All places are between characters, so this is a text.
    *text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    true
}

/// The text with others put in at places that never go back; nothing if one of them is no place of the text. Has room for `capacity`.
pub(crate) fn with_each<'i>(
    text: &str,
    insertions: impl Iterator<Item = (usize, &'i str)> + Clone,
    capacity: usize,
) -> Option<String> {
    let added: usize = insertions.clone().map(|(_, inserted)| inserted.len()).sum();
    let mut whole = String::with_capacity(capacity.max(text.len() + added));
    let mut from = 0;
    for (at, inserted) in insertions {
        whole.push_str(text.get(from..at)?);
        whole.push_str(inserted);
        from = at;
    }
    whole.push_str(text.get(from..)?);
    Some(whole)
}

/// Whether [`insert_each`] would put the texts in.
pub(crate) fn can_insert_each(text: &str, insertions: &[(usize, &str)]) -> bool {
    insertions.iter().all(|(at, _)| text.is_char_boundary(*at))
        && insertions.is_sorted_by(|(before, _), (next, _)| next <= before)
}

#[cfg(test)]
mod tests;
