//! What one word of a command is after the shell has removed its quotes. Never expands anything; what only the shell can
//! tell stays unknown.

use std::iter::Peekable;
use std::str::Chars;

use super::part::{Value, Word};

/// Reads a stretch of text that must be exactly one word of the shell. `None` if it is not: the stretch comes from a grammar,
/// and a grammar that disagrees with the shell must not decide what runs.
pub(super) fn read(text: &str, home: Option<&str>) -> Option<Word> {
    let mut reader = Reader::new(text);
    reader.tilde(home);
    while let Some(letter) = reader.letters.next() {
        reader.bare(letter)?;
        if reader.unknown {
            // What follows may be nested at will. Whoever needs the inside asks the grammar.
            break;
        }
    }
    Some(Word { text: text.to_owned(), value: reader.value()? })
}

struct Reader<'a> {
    letters: Peekable<Chars<'a>>,
    /// Quotes removed.
    literal: String,
    /// Likewise, with a backslash before quoted letters that would otherwise be those of a pattern.
    pattern: String,
    is_pattern: bool,
    /// A variable is all that is unknown: nothing runs to find its value.
    is_variable: bool,
    unknown: bool,
    brace: bool,
    /// What makes braces expand: a comma or two dots.
    choice: bool,
    previous: Option<char>,
    empty: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            letters: text.chars().peekable(),
            literal: String::with_capacity(text.len()),
            pattern: String::new(),
            is_pattern: false,
            is_variable: false,
            unknown: false,
            brace: false,
            choice: false,
            previous: None,
            empty: text.is_empty(),
        }
    }

    fn value(self) -> Option<Value> {
        if self.empty {
            return None;
        }
        Some(if self.unknown || (self.brace && self.choice) {
            Value::Unknown
        } else if self.is_variable {
            Value::Variable
        } else if self.is_pattern {
            Value::Pattern(self.pattern)
        } else {
            Value::Static(self.literal)
        })
    }

    /// A leading tilde stands for a home folder. Only the person's own is known here.
    fn tilde(&mut self, home: Option<&str>) {
        if self.letters.next_if_eq(&'~').is_none() {
            return;
        }
        match (self.letters.peek(), home) {
            (None | Some('/'), Some(home)) => self.quoted_text(home),
            _ => self.unknown = true,
        }
    }

    /// One letter outside of quotes.
    fn bare(&mut self, letter: char) -> Option<()> {
        match letter {
            '\\' => {
                let next = self.letters.next().filter(|next| *next != '\n')?;
                self.quoted(next);
            }
            '\'' => self.single()?,
            '"' => self.double()?,
            '$' => self.dollar(false)?,
            '`' => self.unknown = true,
            '|' | '&' | ';' | '(' | ')' | '<' | '>' | ' ' | '\t' | '\n' => return None,
            '#' if self.literal.is_empty() && self.previous.is_none() => return None,
            // After a colon or an equals sign a tilde may expand, or not: it depends on the command.
            '~' if matches!(self.previous, Some(':' | '=')) => self.unknown = true,
            _ => self.plain(letter),
        }
        self.previous = Some(letter);
        Some(())
    }

    fn plain(&mut self, letter: char) {
        match letter {
            '*' | '?' | '[' => self.is_pattern = true,
            '{' => self.brace = true,
            ',' => self.choice = true,
            '.' if self.previous == Some('.') => self.choice = true,
            _ => {}
        }
        self.literal.push(letter);
        self.pattern.push(letter);
    }

    fn quoted(&mut self, letter: char) {
        self.literal.push(letter);
        if matches!(letter, '*' | '?' | '[' | ']' | '\\') {
            self.pattern.push('\\');
        }
        self.pattern.push(letter);
    }

    fn quoted_text(&mut self, text: &str) {
        text.chars().for_each(|letter| self.quoted(letter));
    }

    fn single(&mut self) -> Option<()> {
        loop {
            match self.letters.next()? {
                '\'' => return Some(()),
                letter => self.quoted(letter),
            }
        }
    }

    fn double(&mut self) -> Option<()> {
        while !self.unknown {
            match self.letters.next()? {
                '"' => return Some(()),
                '$' => self.dollar(true)?,
                '`' => self.unknown = true,
                '\\' => match self.letters.next()? {
                    '\n' => return None,
                    next @ ('$' | '`' | '"' | '\\') => self.quoted(next),
                    next => {
                        self.quoted('\\');
                        self.quoted(next);
                    }
                },
                letter => self.quoted(letter),
            }
        }
        Some(())
    }

    /// What follows a dollar sign.
    fn dollar(&mut self, in_quotes: bool) -> Option<()> {
        match self.letters.peek() {
            Some('\'') if !in_quotes => {
                self.letters.next();
                self.ansi()?;
            }
            Some('"') if !in_quotes => self.unknown = true,
            Some('(' | '[') => self.unknown = true,
            Some('{') => {
                self.letters.next();
                self.braced();
            }
            Some(letter) if letter.is_ascii_alphabetic() || *letter == '_' => {
                while self.letters.next_if(|next| next.is_ascii_alphanumeric() || *next == '_').is_some() {}
                self.is_variable = true;
            }
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!' | '0'..='9') => {
                self.letters.next();
                self.is_variable = true;
            }
            _ => self.quoted('$'),
        }
        Some(())
    }

    /// `${NAME}` is a variable; any operator inside may run something.
    fn braced(&mut self) {
        let mut length = 0;
        while self.letters.next_if(|next| next.is_ascii_alphanumeric() || *next == '_').is_some() {
            length += 1;
        }
        if length > 0 && self.letters.next_if_eq(&'}').is_some() {
            self.is_variable = true;
        } else {
            self.unknown = true;
        }
    }

    /// `$'…'`: escapes as in C.
    fn ansi(&mut self) -> Option<()> {
        loop {
            match self.letters.next()? {
                '\'' => return Some(()),
                '\\' => {
                    let decoded = self.escape()?;
                    self.quoted(decoded);
                }
                letter => self.quoted(letter),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.letters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1B}',
            'f' => '\u{C}',
            'v' => '\u{B}',
            letter @ ('\\' | '\'' | '"' | '?') => letter,
            'x' => self.digits(16, 2).filter(char::is_ascii)?,
            'u' => self.digits(16, 4)?,
            'U' => self.digits(16, 8)?,
            letter @ '0'..='7' => {
                let first = letter.to_digit(8)?;
                let rest = self.number(8, 2);
                let value = rest.map_or(first, |(value, length)| (first << (3 * length)) + value);
                char::from_u32(value).filter(char::is_ascii)?
            }
            _ => return None,
        })
        // The shell cuts a word at NUL.
        .filter(|letter| *letter != '\0')
    }

    fn digits(&mut self, radix: u32, length_max: u32) -> Option<char> {
        char::from_u32(self.number(radix, length_max)?.0)
    }

    /// A number of at most so many digits, and how many it has.
    fn number(&mut self, radix: u32, length_max: u32) -> Option<(u32, u32)> {
        let (mut value, mut length) = (0_u32, 0);
        while length < length_max {
            let Some(digit) =
                self.letters.next_if(|next| next.is_digit(radix)).and_then(|next| next.to_digit(radix))
            else {
                break;
            };
            value = value.checked_mul(radix)?.checked_add(digit)?;
            length += 1;
        }
        (length > 0).then_some((value, length))
    }
}
