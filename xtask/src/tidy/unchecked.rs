//! Code that the compiler cannot check stands in one file, so that one reader can audit all of it. Never looks into comments or
//! strings: words are free there.

use super::violation::Violation;

/// The one file.
const FILE: &str = "crates/workspace/src/kernel.rs";
const WORD: &str = concat!("un", "safe");

/// No other file holds such code.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    if path == FILE {
        return violations;
    }
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        // What stands between quotes is every second piece.
        let mut words = code
            .split('"')
            .step_by(2)
            .flat_map(|piece| piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        if words.any(|word| word == WORD) {
            let what = format!("holds `{WORD}` code, which only {FILE} may");
            violations.push(Violation::new(path, index + 1, what, "find a library that offers it safely"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::{FILE, WORD, check};

    #[test]
    fn one_file_holds_such_code_and_no_other() {
        let text = format!("//! No {WORD} word.\nlet x = {WORD} {{ y }};\n");
        assert_eq!(check(FILE, &text), []);
        assert_eq!(
            shown(&check("crates/document/src/merge.rs", &text)),
            [format!(
                "crates/document/src/merge.rs:2: holds `{WORD}` code, which only {FILE} may; find a library that offers it safely"
            )]
        );
    }

    #[test]
    fn words_in_comments_strings_and_longer_names_are_free() {
        let text = format!("let {WORD}ly = \"{WORD}\"; // {WORD}\n#![expect({WORD}_code)]\n");
        assert_eq!(check("xtask/src/main.rs", &text), []);
    }
}
