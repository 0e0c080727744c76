//! What a program printed for a terminal, as text. Never lets an escape sequence or a control character through.

use vte::{Params, Parser, Perform};

/// Turns bytes into text as they come.
pub(super) struct Plain {
    parser: Parser,
    page: Page,
}

impl Default for Plain {
    fn default() -> Self {
        Self { parser: Parser::new(), page: Page::default() }
    }
}

impl Plain {
    /// The text of what came.
    pub(super) fn take(&mut self, bytes: &[u8]) -> String {
        self.parser.advance(&mut self.page, bytes);
        std::mem::take(&mut self.page.text)
    }
}

/// A text without its escape sequences.
pub(super) fn plain(text: &str) -> String {
    Plain::default().take(text.as_bytes())
}

/// A text that is no terminal's: only control characters are taken out.
pub(super) fn without_controls(text: &str) -> std::borrow::Cow<'_, str> {
    let is_bad = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if text.contains(is_bad) { text.replace(is_bad, "").into() } else { text.into() }
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Perform for Page {
    fn print(&mut self, letter: char) {
        if !letter.is_control() {
            self.text.push(letter);
        }
    }

    fn execute(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\t') {
            self.text.push(char::from(byte));
        }
    }

    fn csi_dispatch(&mut self, _: &Params, _: &[u8], _: bool, _: char) {}
}

#[cfg(test)]
mod tests {
    use super::{Plain, plain, without_controls};

    #[test]
    fn colours_titles_and_bells_are_no_text() {
        assert_eq!(
            plain("\x1b[1;31mred\x1b[0m\x1b]0;title\x07 and\r\n\x1b]8;;x:y\x1b\\link\x1b]8;;\x1b\\\x07\t."),
            "red and\nlink\t."
        );
        assert_eq!(without_controls("a\u{1b}[31m\tb\r\n\u{9b}c"), "a[31m\tb\nc");
    }

    #[test]
    fn a_letter_or_a_sequence_may_come_in_pieces() {
        let mut reader = Plain::default();
        let said: Vec<String> = [&b"gr\xc3"[..], b"\xbcn\x1b[3", b"1mrot", b"\xff!"]
            .iter()
            .map(|piece| reader.take(piece))
            .collect();
        assert_eq!(said, ["gr", "ün", "rot", "\u{fffd}!"]);
    }
}
