//! The one place where text of others is made harmless for a terminal. Never lets through what moves the cursor, hides, or turns the
//! direction of reading, and never drops a letter that a person could see.

/// Marks that may stand on one letter. More of them only cover the lines around.
const MARKS_MAX: usize = 3;
/// Columns between two stops of the tabulator.
const TAB: usize = 4;

/// A text to be read: what cannot be seen is written as an escape, line breaks stay. Sequences that only set colours are left out.
pub fn shown(text: &str) -> String {
    let lines = text.split('\n').map(|line| clean(line.strip_suffix('\r').unwrap_or(line), Colours::LeftOut));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text that somebody decides about: all that is in it is shown or written out, also sequences that only set colours and the
/// other half of a line break.
pub fn exact(text: &str) -> String {
    text.split('\n').map(|line| clean(line, Colours::WrittenOut)).collect::<Vec<_>>().join("\n")
}

/// What becomes of sequences that only set colours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colours {
    LeftOut,
    WrittenOut,
}

/// A text as a terminal would have printed it: of a line that was written over again and again, the last state stays.
pub fn printed(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        clean(line.rsplit('\r').find(|state| !state.is_empty()).unwrap_or_default(), Colours::LeftOut)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    clean(&words.join(" "), Colours::LeftOut)
}

fn clean(line: &str, colours: Colours) -> String {
    let mut cleaned = String::with_capacity(line.len());
    let (mut marks, mut rest) = (0, line);
    while let Some(letter) = rest.chars().next() {
        if colours == Colours::LeftOut
            && let Some(after) = colour_sequence(rest)
        {
            rest = after;
            continue;
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        marks = if is_mark(letter) { marks + 1 } else { 0 };
        match letter {
            '\t' => {
                let column = crate::wrap::width(&cleaned);
                cleaned.extend(std::iter::repeat_n(' ', TAB - column % TAB));
            }
            '\0'..='\u{1f}' => cleaned.push(char::from_u32(0x2400 + u32::from(letter)).unwrap_or('?')),
            '\u{7f}' => cleaned.push('␡'),
            // Widths of joined and coloured pictures differ between terminals; each picture alone has a known one.
            '\u{200d}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' if is_picture(cleaned.chars().last()) => {}
            _ if letter.is_control() || hides(letter) => cleaned.extend(letter.escape_unicode()),
            _ if marks > MARKS_MAX && colours == Colours::WrittenOut => {
                cleaned.extend(letter.escape_unicode());
            }
            _ if marks > MARKS_MAX => {}
            _ if marks > 0 && cleaned.is_empty() => cleaned.extend(['◌', letter]),
            _ => cleaned.push(letter),
        }
    }
    cleaned
}

/// What stands behind a sequence that only sets colours.
fn colour_sequence(text: &str) -> Option<&str> {
    let body = text.strip_prefix("\u{1b}[")?;
    let end = body.find(|letter: char| !(letter.is_ascii_digit() || letter == ';' || letter == ':'))?;
    body.get(end..)?.strip_prefix('m')
}

fn is_mark(letter: char) -> bool {
    unicode_width::UnicodeWidthChar::width(letter) == Some(0) && !hides(letter)
}

fn is_picture(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'))
}

/// Letters that take no room, turn the direction, or look like a blank; and those that belong to nobody.
fn hides(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}
