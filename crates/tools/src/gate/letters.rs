//! Which characters a command may hold, and how the others are shown. Never changes the text that runs.

use super::reason::Reason;

/// More blanks than this in a row push text out of sight.
const BLANKS_MAX: usize = 40;

/// Letters that are neither ASCII nor any of these are asked about. A closed list: what is invisible, turns the direction of
/// writing, or only looks like a letter is endless.
const LETTERS: &[(char, char)] = &[
    ('\u{00C0}', '\u{00D6}'), // Latin with accents, without the signs between them.
    ('\u{00D8}', '\u{00F6}'),
    ('\u{00F8}', '\u{017F}'),
    ('\u{0386}', '\u{03CE}'), // Greek.
    ('\u{0400}', '\u{045F}'), // Cyrillic.
    ('\u{3041}', '\u{3096}'), // Kana.
    ('\u{30A1}', '\u{30FA}'),
    ('\u{4E00}', '\u{9FFF}'), // Han.
    ('\u{AC00}', '\u{D7A3}'), // Hangul.
];

/// Scripts with letters that look like Latin ones.
const LOOK_ALIKE: &[(char, char)] = &[('\u{0386}', '\u{03CE}'), ('\u{0400}', '\u{045F}')];

/// What in the text a person could not see, or could mistake for something else.
pub(super) fn strange(text: &str) -> Option<Reason> {
    if text.is_ascii() {
        let hidden =
            text.bytes().find(|byte| !(b' '..=b'~').contains(byte) && !matches!(byte, b'\n' | b'\t'));
        return hidden.map(|byte| Reason::Hidden(char::from(byte))).or_else(|| padding(text));
    }
    let hidden = text.chars().find(|letter| !is_plain(*letter));
    hidden.map(Reason::Hidden).or_else(|| look_alike(text)).or_else(|| padding(text))
}

fn padding(text: &str) -> Option<Reason> {
    let mut run = 0;
    for byte in text.bytes() {
        run = if matches!(byte, b' ' | b'\t' | b'\n') { run + 1 } else { 0 };
        if run > BLANKS_MAX {
            return Some(Reason::Padded);
        }
    }
    None
}

/// A stretch of letters from two scripts that look alike: `сat` with a Cyrillic letter is not `cat`.
fn look_alike(text: &str) -> Option<Reason> {
    let mut stretches = text.split(|letter: char| !letter.is_alphabetic());
    let mixed = stretches.find(|stretch| {
        stretch.chars().any(|letter| letter.is_ascii())
            && stretch.chars().any(|letter| within(letter, LOOK_ALIKE))
    });
    mixed.map(|stretch| Reason::LookAlike(stretch.to_owned()))
}

fn is_plain(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\n' | '\t') || within(letter, LETTERS)
}

fn within(letter: char, ranges: &[(char, char)]) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter))
}

/// The text with all that could hide or deceive written out, for a person to read before they decide.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ' ' {
            let mut run = 1;
            while letters.next_if_eq(&' ').is_some() {
                run += 1;
            }
            shown.push_str(&blanks(run));
        } else if letter == '\n' || (is_plain(letter) && letter != '\t') {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

/// A long run of blanks is counted, so that nothing stands out of sight behind it.
fn blanks(run: usize) -> String {
    if run > BLANKS_MAX { format!(" \\u{{20}}*{run} ") } else { " ".repeat(run) }
}
