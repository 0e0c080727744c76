//! Byte-exact text: line endings, lines, byte order mark, character boundaries, decoding.
//! Never rewrites a text that nobody asked it to change, and never decodes with loss.

mod decode;
mod insert;
mod position;

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter};

pub use decode::{InvalidText, check, decode, decode_owned};
pub use insert::insert_each;
pub(crate) use insert::{can_insert_each, joined, with_each};
pub(crate) use position::{LineCounter, line_end, line_number, line_start};
pub use position::{
    Position, ceil_char_boundary, floor_char_boundary, position, utf8_to_utf16, utf16_to_utf8,
};

/// The byte order mark as it stands in decoded text.
pub const BOM: char = '\u{feff}';

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineEnding {
    /// A line feed: Unix, and the default for a text without any line break.
    #[default]
    Lf,
    /// Carriage return and line feed: Windows.
    CrLf,
    /// A lone carriage return: files of very old programs.
    Cr,
}

impl LineEnding {
    /// The ending that most lines of `text` have.
    ///
    /// `Cr` is the answer only if there is no line feed at all: beside line feeds a lone carriage return is content,
    /// such as a progress bar. A tie, and a text of one line, give `Lf`.
    ///
    /// ```
    /// use document::text::LineEnding;
    ///
    /// assert_eq!(LineEnding::of("one\r\ntwo\r\nthree\n"), LineEnding::CrLf);
    /// assert_eq!(LineEnding::of("one"), LineEnding::Lf);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        // Most texts have no carriage return, which is seen much faster than their lines are counted.
        if memchr(b'\r', bytes).is_none() {
            return Self::Lf;
        }
        let (mut lf, mut crlf, mut cr) = (0_usize, 0_usize, 0_usize);
        let mut after_return = None;
        for at in memchr2_iter(b'\n', b'\r', bytes) {
            if bytes.get(at) == Some(&b'\r') {
                cr += 1;
                after_return = Some(at + 1);
            } else if after_return == Some(at) {
                cr -= 1;
                crlf += 1;
            } else {
                lf += 1;
            }
        }
        if lf == 0 && crlf == 0 && cr > 0 {
            Self::Cr
        } else if crlf > lf {
            Self::CrLf
        } else {
            Self::Lf
        }
    }

    /// The characters themselves.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// `text` with its line breaks turned into `ending`; borrowed if there is nothing to turn.
///
/// A lone carriage return is content, not a line break, and stays, except that it already is the ending if `ending` is
/// [`LineEnding::Cr`].
///
/// ```
/// use document::text::{LineEnding, with_line_ending};
///
/// assert_eq!(with_line_ending("one\ntwo\r\n", LineEnding::CrLf), "one\r\ntwo\r\n");
/// ```
#[must_use]
pub fn with_line_ending(text: &str, ending: LineEnding) -> Cow<'_, str> {
    let clean = match ending {
        LineEnding::Lf => !text.contains("\r\n"),
        LineEnding::CrLf => lines(text).all(|line| !line.ends_with('\n') || line.ends_with("\r\n")),
        LineEnding::Cr => memchr(b'\n', text.as_bytes()).is_none(),
    };
    if clean {
        return Cow::Borrowed(text);
    }
    let mut turned = String::with_capacity(text.len() + text.len() / 16);
    for line in lines(text) {
        let (content, found) = split_ending(line);
        // Returns left before a line feed would make it a Windows ending again.
        let content = if ending == LineEnding::Lf && !found.is_empty() {
            content.trim_end_matches('\r')
        } else {
            content
        };
        turned.push_str(content);
        if !found.is_empty() {
            turned.push_str(ending.as_str());
        }
    }
    Cow::Owned(turned)
}

/// The lines of `text`, each with its line feed; a `\r\n` line keeps both. Joined they are the text again.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// A line parted into what stands on it and the `\n` or `\r\n` that ends it.
#[must_use]
pub fn split_ending(line: &str) -> (&str, &str) {
    let content = line.strip_suffix('\n').map_or(line, |rest| rest.strip_suffix('\r').unwrap_or(rest));
    (content, line.get(content.len()..).unwrap_or_default())
}

/// Whether `text` opens with a byte order mark.
#[must_use]
pub fn has_bom(text: &str) -> bool {
    text.starts_with(BOM)
}

/// `text` after its byte order mark, if it has one.
#[must_use]
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// Whether the last line of `text` is ended. An empty text has no last line and so none that is open.
#[must_use]
pub fn has_final_newline(text: &str) -> bool {
    text.is_empty() || text.ends_with(['\n', '\r'])
}
