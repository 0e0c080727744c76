//! Foreign text made fit to be read: no escape sequences, no characters that hide or turn around what stands there. Never
//! drops a visible letter.

use std::borrow::Cow;

/// `bytes` as text without escape sequences and control characters, and with everything invisible made visible.
pub fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_plain = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\t');
    let text = if text.chars().all(is_plain) { text } else { Cow::Owned(without_escapes(text.as_bytes())) };
    visible(&text).into_owned()
}

/// `text` with characters that cannot be seen, or that turn the reading around, as `<U+202E>`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        if hides(letter) {
            shown.push_str(&format!("<U+{:04X}>", u32::from(letter)));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Joiners stay: scripts and emoji need them, and alone they cannot carry much.
fn hides(letter: char) -> bool {
    let is_control = letter.is_control() && !matches!(letter, '\n' | '\t');
    is_control
        || matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

fn without_escapes(bytes: &[u8]) -> String {
    let mut printed = Printed::default();
    vte::Parser::new().advance(&mut printed, bytes);
    printed.text
}

/// What a terminal would print, without what it would do.
#[derive(Default)]
struct Printed {
    text: String,
}

impl vte::Perform for Printed {
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
}
