//! Words of a server, made fit to be shown to a person or a model. Never passes on a secret that we gave it.

use agent::permission::visible;

use crate::output::plain;
use crate::web::Key;

/// What is shown of a name or a complaint, in bytes.
const SHORT_MAX: usize = 500;
/// A shorter text is no secret, and would be found everywhere.
const SECRET_MIN: usize = 6;

/// A text with all that hides made visible, and cut if it is longer than `most`.
pub(super) fn bounded(text: &str, most: usize) -> String {
    // Cut first: whoever sends a lot does not get it looked through.
    let text = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let mut shown = visible(&plain(text.as_bytes()).replace('\t', " "));
    shown.truncate(shown.floor_char_boundary(most));
    shown
}

/// A name or a complaint on one line.
pub(super) fn short(text: &str) -> String {
    let words: Vec<String> = bounded(text, SHORT_MAX).split_whitespace().map(str::to_owned).collect();
    words.join(" ")
}

/// `text` without the secrets of a server, which it may have repeated.
pub(super) fn without_secrets(text: String, secrets: &[Key]) -> String {
    let known = secrets.iter().map(Key::reveal).filter(|secret| secret.len() >= SECRET_MIN);
    known.fold(
        text,
        |text, secret| if text.contains(secret) { text.replace(secret, "[secret]") } else { text },
    )
}

#[cfg(test)]
mod tests {
    use super::{bounded, short, without_secrets};
    use crate::web::Key;

    #[test]
    fn what_hides_is_shown_and_what_is_long_is_cut() {
        assert_eq!(bounded("a\u{202e}b\u{1b}[31mc\u{200d}", 100), "a<U+202E>bc\\u{200d}");
        assert_eq!(bounded(&"é".repeat(100), 9), "éééé");
        assert_eq!(short("one\n  two\ttail"), "one two tail");
    }

    #[test]
    fn a_secret_is_not_repeated() {
        let secrets = [Key::new("sk-canary".to_owned()), Key::new("a".to_owned())];
        assert_eq!(without_secrets("no sk-canary at all".to_owned(), &secrets), "no [secret] at all");
    }
}
