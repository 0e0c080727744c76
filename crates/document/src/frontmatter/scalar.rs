//! A text as a YAML value on one line. Never writes quotes that are not needed.

use std::fmt::Write;

/// What a YAML reader would take a plain value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
}

/// `value` as it is written; `old` is the kind of the plain value it replaces, whose kind it may keep.
pub(super) fn written(value: &str, old: Option<Kind>) -> String {
    let kind = kind(value);
    let keeps_kind = kind == Kind::Text || (Some(kind) == old && kind != Kind::Null);
    if keeps_kind && is_plain(value) {
        value.to_owned()
    } else if value.chars().all(is_printable) {
        format!("'{}'", value.replace('\'', "''"))
    } else {
        escaped(value)
    }
}

pub(super) fn kind(value: &str) -> Kind {
    let lower = value.to_ascii_lowercase();
    let digits = lower.trim_start_matches(['+', '-']);
    match lower.as_str() {
        "" | "~" | "null" => Kind::Null,
        // Older readers take these for booleans, too.
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" => Kind::Boolean,
        ".inf" | "-.inf" | "+.inf" | ".nan" => Kind::Number,
        _ if digits.starts_with(|first: char| first.is_ascii_digit())
            && digits.chars().all(|next| next.is_ascii_hexdigit() || "xo._:+-".contains(next)) => Kind::Number,
        _ if digits.strip_prefix('.').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit())) => Kind::Number,
        _ => Kind::Text,
    }
}

/// Whether YAML reads `value` back as it is without quotes.
fn is_plain(value: &str) -> bool {
    let first_is_safe = value.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '/' | '.' | '(' | '+'))
        || (value.starts_with('-') && kind(value) == Kind::Number);
    first_is_safe
        && !value.starts_with("...")
        && !value.ends_with([':', ' '])
        && !value.contains(": ")
        && !value.contains(" #")
        && value.chars().all(|next| is_printable(next) && next != '\t')
}

/// Whether a reader takes the character as it is. Line breaks of any kind are not.
fn is_printable(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 8);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_printable(character) => quoted.push(character),
            // Writing into a string cannot fail.
            _ => write!(quoted, "\\u{:04x}", u32::from(character)).unwrap_or_default(),
        }
    }
    quoted.push('"');
    quoted
}
