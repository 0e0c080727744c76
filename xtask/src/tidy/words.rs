//! Words that mark unfinished work. Never looks at prose: a page may speak of the words that code may not hold.

use super::violation::Violation;

/// The words, cut in two so that this file does not hold them.
const WORDS: &[(&str, &str)] = &[
    (concat!("FIX", "ME"), "finish it, or open an issue and name it in a comment"),
    (concat!("to", "do!("), "write the code or remove the branch"),
    (concat!("unimple", "mented!("), "write the code or remove the branch"),
    (concat!("#[ig", "nore"), "make the test run or remove it; a test that is skipped proves nothing"),
];

const CODE: &[&str] = &["rs", "ts", "tsx", "js", "mjs", "css", "html", "sh", "toml", "yml", "yaml"];

/// No code holds a word of unfinished work.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    if !path.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension)) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (word, remedy) in WORDS {
            if line.contains(word) {
                violations.push(Violation::new(path, index + 1, format!("`{word}` in the code"), remedy));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::{WORDS, check};

    #[test]
    fn each_word_is_heard_in_code() {
        for (word, remedy) in WORDS {
            let text = format!("fn a() {{\n    // {word}\n}}\n");
            assert_eq!(shown(&check("a.rs", &text)), [format!("a.rs:2: `{word}` in the code; {remedy}")]);
        }
    }

    #[test]
    fn a_page_may_speak_of_them() {
        assert_eq!(check("STYLE.md", WORDS[0].0), []);
        assert_eq!(check("a.rs", "// TODO(#12): later\n"), []);
    }
}
