//! What a terminal would show of a program's output, as plain text. Never interprets markdown.

use std::iter::Peekable;
use std::str::Chars;

/// `text` without escape sequences and control characters, with line feeds only. A line that was drawn again and again with
/// carriage returns is what it was in the end.
///
/// ```
/// assert_eq!(document::contain::plain("\u{1b}[32mok\u{1b}[0m\r\n10%\r100%\n"), "ok\n100%\n");
/// ```
#[must_use]
pub fn plain(text: &str) -> String {
    let visible = without_controls(text);
    if !visible.contains('\r') {
        return visible;
    }
    let mut settled = String::with_capacity(visible.len());
    for line in visible.split_inclusive('\n') {
        let (drawn, ending) = line.strip_suffix('\n').map_or((line, ""), |drawn| (drawn, "\n"));
        settled.push_str(drawn.rsplit('\r').find(|state| !state.is_empty()).unwrap_or_default());
        settled.push_str(ending);
    }
    settled
}

fn without_controls(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\t' | '\n' | '\r' => visible.push(character),
            // A byte order mark inside a text is an invisible character with no job left.
            '\u{feff}' => {}
            _ if character.is_control() => {}
            _ => visible.push(character),
        }
    }
    visible
}

/// Skips what follows an escape character. Something that is no escape sequence is text and stays.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|next| matches!(next, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Parameters, then one final character.
fn skip_control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// A title, a link or the like, up to its terminator. One that is never ended takes no more than its line.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(next) = rest.next_if(|next| !matches!(next, '\n' | '\r')) {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}
