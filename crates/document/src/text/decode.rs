//! From the bytes of a file to text. Never replaces a byte it cannot read: it says where that byte is.

use memchr::memchr;

use super::position::line_of;

/// Why bytes are not a text that we may write back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// The bytes open with a UTF-16 byte order mark.
    #[error("the file is UTF-16; save it as UTF-8 and try again")]
    Utf16,
    /// A byte sequence that UTF-8 does not allow.
    #[error("byte {offset} (line {line}) is not UTF-8; save the file as UTF-8 or remove that byte")]
    InvalidUtf8 {
        /// Where the first bad byte is.
        offset: usize,
        /// Its line, counted from one.
        line: usize,
    },
    /// A NUL, which no editor writes into markdown: the file is binary or damaged.
    #[error("byte {offset} (line {line}) is NUL, so this is no text file; restore it or remove that byte")]
    Nul {
        /// Where the first NUL is.
        offset: usize,
        /// Its line, counted from one.
        line: usize,
    },
}

/// The text that `bytes` are, byte for byte.
///
/// # Errors
///
/// [`InvalidText`] if they are UTF-16, are not UTF-8, or hold a NUL. A lossy reading would be written back one day.
///
/// ```
/// use document::text::{InvalidText, decode};
///
/// assert_eq!(decode("é\n".as_bytes()), Ok("é\n"));
/// assert_eq!(decode(b"one\n\xff"), Err(InvalidText::InvalidUtf8 { offset: 4, line: 2 }));
/// ```
pub fn decode(bytes: &[u8]) -> Result<&str, InvalidText> {
    if is_utf16(bytes) {
        return Err(InvalidText::Utf16);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| invalid(bytes, error.valid_up_to()))?;
    check(text)?;
    Ok(text)
}

/// The text that `bytes` are, as [`decode`] has it, without a copy of them.
///
/// # Errors
///
/// [`InvalidText`], as [`decode`] has it.
pub fn decode_owned(bytes: Vec<u8>) -> Result<String, InvalidText> {
    if is_utf16(&bytes) {
        return Err(InvalidText::Utf16);
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| invalid(error.as_bytes(), error.utf8_error().valid_up_to()))?;
    check(&text)?;
    Ok(text)
}

fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

fn invalid(bytes: &[u8], offset: usize) -> InvalidText {
    InvalidText::InvalidUtf8 { offset, line: line_of(bytes, offset) }
}

/// Refuses a text that holds a NUL.
///
/// # Errors
///
/// [`InvalidText::Nul`] with the place of the first one.
pub fn check(text: &str) -> Result<(), InvalidText> {
    match memchr(0, text.as_bytes()) {
        Some(offset) => Err(InvalidText::Nul { offset, line: line_of(text.as_bytes(), offset) }),
        None => Ok(()),
    }
}
