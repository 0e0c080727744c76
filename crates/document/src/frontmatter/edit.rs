//! Changes one key of the frontmatter. Never touches another line, and never writes what it cannot read back.

use std::ops::Range;

use super::Diagnostic;
use super::read::{Block, Entry, Shape, Value, is_name, read};
use super::scalar::{kind, written};
use crate::markdown;
use crate::text::{self, LineEnding};

/// Why the frontmatter was not changed, named by what the person must do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrontmatterError {
    /// The block cannot be read, so that a change could do harm.
    #[error("line {line}: {reason}; correct that and try again")]
    Broken {
        /// The line in the whole file, counted from one.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The key stands there more than once.
    #[error("`{key}` is set again on line {line}; remove one of them")]
    Duplicate {
        /// The key.
        key: String,
        /// The line of the second one.
        line: usize,
    },
    /// The block is written in a way that cannot be changed key by key.
    #[error(
        "the frontmatter has no lines of the form `key: value` that could be changed; write `{key}` by hand"
    )]
    Unsupported {
        /// The key.
        key: String,
    },
    /// A key of letters, digits, `_` and `-` is all we write.
    #[error("{key:?} is not a name for a key; use letters, digits, `_` and `-`")]
    InvalidKey {
        /// The key.
        key: String,
    },
}

/// `text` with the top-level `key` set to `value`, all other bytes as they are.
///
/// A key that is there keeps its place and the comment on its line; a new one becomes the last line of the block; a
/// text without frontmatter gets a block. Setting the value that is there changes nothing.
///
/// # Errors
///
/// [`FrontmatterError`] if the block cannot be read or changed safely. Nothing is changed then.
///
/// ```
/// use document::frontmatter::set_key;
///
/// let text = set_key("---\nmodel: old # fast\n---\n", "model", "new")?;
/// assert_eq!(text, "---\nmodel: new # fast\n---\n");
/// # Ok::<(), document::frontmatter::FrontmatterError>(())
/// ```
pub fn set_key(text: &str, key: &str, value: &str) -> Result<String, FrontmatterError> {
    let block = editable(text, key)?;
    let edited = match position(&block, key) {
        Some(at) => changed(text, &block, at, value),
        None => inserted(text, &block, key, value),
    };
    verified(&block, text, edited, key, Some(value))
}

/// `text` without the top-level `key`: its lines are gone, all other bytes are as they are.
///
/// # Errors
///
/// As [`set_key`]. A key that is not there is no error.
pub fn remove_key(text: &str, key: &str) -> Result<String, FrontmatterError> {
    let block = editable(text, key)?;
    let Some(at) = position(&block, key) else {
        return Ok(text.to_owned());
    };
    let edited = replaced(text, lines_of(text, &block, at), "");
    verified(&block, text, edited, key, None)
}

/// `text` with the top-level `key` there and without a value, as in a fresh template.
///
/// # Errors
///
/// As [`set_key`].
///
/// ```
/// use document::frontmatter::clear_key;
///
/// assert_eq!(clear_key("---\nsession: abc\n---\n", "session")?, "---\nsession:\n---\n");
/// # Ok::<(), document::frontmatter::FrontmatterError>(())
/// ```
pub fn clear_key(text: &str, key: &str) -> Result<String, FrontmatterError> {
    // A value of one plain word can be taken away without touching anything else.
    let set = set_key(text, key, "x")?;
    let block = editable(&set, key)?;
    let entry = position(&block, key).and_then(|at| block.entries.get(at));
    let Some(Entry { range: name, value: Value::Scalar { range, .. }, .. }) = entry else {
        return Err(FrontmatterError::Unsupported { key: key.to_owned() });
    };
    let colon = set.get(name.end..range.start).and_then(|between| between.find(':'));
    let start = colon.map_or(range.start, |colon| name.end + colon + 1);
    Ok(replaced(&set, start..range.end, ""))
}

/// The block, if it can be changed key by key.
fn editable(text: &str, key: &str) -> Result<Block, FrontmatterError> {
    if !is_name(key) {
        return Err(FrontmatterError::InvalidKey { key: key.to_owned() });
    }
    let block = read(text);
    if let Some(Diagnostic { line, message }) = &block.broken {
        return Err(FrontmatterError::Broken { line: *line, reason: message.clone() });
    }
    if let Some(second) = block.entries.iter().filter(|entry| entry.key == key).nth(1) {
        return Err(FrontmatterError::Duplicate { key: key.to_owned(), line: second.line });
    }
    match block.shape {
        Shape::Absent | Shape::Empty | Shape::Lines => Ok(block),
        Shape::Unclosed | Shape::Braces | Shape::Other => {
            Err(FrontmatterError::Unsupported { key: key.to_owned() })
        }
    }
}

fn position(block: &Block, key: &str) -> Option<usize> {
    block.entries.iter().position(|entry| entry.key == key)
}

fn inserted(text: &str, block: &Block, key: &str, value: &str) -> String {
    let ending = LineEnding::of(text).as_str();
    let value = written(value, None);
    if block.shape == Shape::Absent {
        let at = markdown::bom_length(text);
        return replaced(text, at..at, &format!("---{ending}{key}: {value}{ending}---{ending}"));
    }
    let indent = block.entries.first().and_then(|first| {
        let start = text::line_start(text, first.range.start);
        text.get(start..first.range.start).filter(|indent| indent.trim().is_empty())
    });
    let line = format!("{}{key}: {value}{ending}", indent.unwrap_or_default());
    replaced(text, block.inner.end..block.inner.end, &line)
}

fn changed(text: &str, block: &Block, at: usize, value: &str) -> String {
    let Some(entry) = block.entries.get(at) else {
        return text.to_owned();
    };
    match &entry.value {
        Value::Scalar { text: old, .. } if old == value => text.to_owned(),
        Value::Scalar { text: old, is_plain, range } if is_bare(text, entry, range) => {
            let new = written(value, is_plain.then(|| kind(old)));
            replaced(text, range.clone(), &new)
        }
        Value::Null(range) if !range.is_empty() => replaced(text, range.clone(), &written(value, None)),
        Value::Null(_) | Value::Scalar { .. } | Value::Map(_) | Value::Sequence | Value::Alias => {
            let (rest, comment) = after_colon(text, block, at, entry);
            replaced(text, rest, &format!(" {}{comment}", written(value, None)))
        }
    }
}

/// Whether a value is on one line and has no anchor or tag, which would not fit the new one.
fn is_bare(text: &str, entry: &Entry, range: &Range<usize>) -> bool {
    let between = text.get(entry.range.end..range.start).unwrap_or_default();
    let source = text.get(range.clone()).unwrap_or_default();
    !between.contains(['&', '!', '#']) && !source.is_empty() && !source.contains(['\n', '\r'])
}

/// The range from behind the colon to the end of the value's last line, and the comment on the key's line that stays.
fn after_colon<'t>(text: &'t str, block: &Block, at: usize, entry: &Entry) -> (Range<usize>, &'t str) {
    let lines = lines_of(text, block, at);
    let source = text.get(lines.clone()).unwrap_or_default();
    let end = lines.start + source.trim_end_matches(['\n', '\r']).len();
    let first_end = text::line_end(text, entry.range.end).min(end);
    let key_line = text.get(entry.range.end..first_end).unwrap_or_default();
    let colon = key_line.find(':').map_or(entry.range.end, |colon| entry.range.end + colon + 1);
    let rest = text.get(colon..first_end).unwrap_or_default().trim_end();
    // With a value on the same line we cannot tell a comment from a part of it.
    let comment = if rest.trim_start().starts_with('#') { rest } else { "" };
    (colon..end, comment)
}

/// The lines of an entry with the line break of the last. Blank lines and comments before the next key are not of it.
fn lines_of(text: &str, block: &Block, at: usize) -> Range<usize> {
    let start_of = |entry: &Entry| text::line_start(text, entry.range.start);
    let start = block.entries.get(at).map_or(block.inner.end, start_of);
    let limit = block.entries.get(at + 1).map_or(block.inner.end, start_of).max(start);
    let first_end = text::line_end(text, start).min(limit);
    let mut end = first_end;
    let mut next = first_end;
    while next < limit {
        let line_end = text::line_end(text, next).min(limit);
        let line = text.get(next..line_end).unwrap_or_default();
        next = line_end;
        if !line.trim().is_empty() && !line.starts_with('#') {
            end = line_end;
        }
    }
    start..end
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    [before, new, after].concat()
}

/// Reads the result and compares: the key as wanted, the others as they were, the body byte for byte.
fn verified(
    before: &Block,
    text: &str,
    edited: String,
    key: &str,
    value: Option<&str>,
) -> Result<String, FrontmatterError> {
    let after = read(&edited);
    let found = after.entries.iter().find(|entry| entry.key == key).map(|entry| match &entry.value {
        Value::Scalar { text, .. } => Some(text.as_str()),
        Value::Null(_) | Value::Map(_) | Value::Sequence | Value::Alias => None,
    });
    let is_kept = after.broken.is_none()
        && found == value.map(Some)
        && others(before, key).eq(others(&after, key))
        && text.get(markdown::body_start(text)..) == edited.get(markdown::body_start(&edited)..);
    if is_kept { Ok(edited) } else { Err(FrontmatterError::Unsupported { key: key.to_owned() }) }
}

/// The other keys and what they mean, without their places.
fn others<'b>(block: &'b Block, key: &str) -> impl Iterator<Item = (&'b str, Meaning<'b>)> {
    let entries = block.entries.iter().filter(move |entry| entry.key != key);
    entries.map(|entry| (entry.key.as_str(), meaning(&entry.value)))
}

#[derive(Debug, PartialEq, Eq)]
enum Meaning<'b> {
    Null,
    Scalar(&'b str),
    Map(Vec<(&'b str, Meaning<'b>)>),
    Sequence,
    Alias,
}

fn meaning(value: &Value) -> Meaning<'_> {
    match value {
        Value::Null(_) => Meaning::Null,
        Value::Scalar { text, .. } => Meaning::Scalar(text),
        Value::Map(map) => {
            Meaning::Map(map.iter().map(|entry| (entry.key.as_str(), meaning(&entry.value))).collect())
        }
        Value::Sequence => Meaning::Sequence,
        Value::Alias => Meaning::Alias,
    }
}
