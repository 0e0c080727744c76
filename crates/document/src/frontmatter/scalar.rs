//! A text as a YAML value on one line. Never writes quotes that are not needed.

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
    match lower.as_str() {
        "" | "~" | "null" => Kind::Null,
        // Older readers take these for booleans, too.
        "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" => Kind::Boolean,
        ".inf" | "-.inf" | "+.inf" | ".nan" => Kind::Number,
        lower if is_number(lower) => Kind::Number,
        _ => Kind::Text,
    }
}

/// Whether some reader takes this for a number, a date or a time.
fn is_number(lower: &str) -> bool {
    let digits = lower.trim_start_matches(['+', '-']).replace('_', "");
    let starts_with_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let is_decimal = digits.parse::<f64>().is_ok() && starts_with_digit(digits.trim_start_matches('.'));
    let is_based = digits.starts_with("0x") || digits.starts_with("0o") || digits.starts_with("0b");
    let is_time = digits.chars().all(|next| next.is_ascii_digit() || "-:.+tz ".contains(next));
    is_decimal || is_based || (starts_with_digit(&digits) && is_time)
}

/// Whether YAML reads `value` back as it is without quotes.
fn is_plain(value: &str) -> bool {
    let first_is_safe = value
        .starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '/' | '.' | '(' | '+'))
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
    !character.is_control()
        && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
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
            _ => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    quoted.push('"');
    quoted
}
