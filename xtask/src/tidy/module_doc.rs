//! Each module opens with its job and its refusal. Never judges whether the words are good; a reviewer does.

use super::violation::Violation;

/// A sentence with one of these words says what the module does not do.
const REFUSALS: &[&str] =
    &["never", "no", "not", "cannot", "nothing", "nobody", "none", "neither", "nor", "nowhere", "refuses"];

/// Every module of ours has a doc: two sentences, one of them a refusal. Modules of tests need only say what they test.
pub(super) fn check(path: &str, text: &str) -> Option<Violation> {
    if !is_module(path) {
        return None;
    }
    let doc = text.lines().map_while(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n");
    let sentences = sentences(&doc);
    let what = if sentences.is_empty() {
        "the module does not open with a doc"
    } else if is_test(path) {
        return None;
    } else if sentences.len() < 2 {
        "the doc of the module has fewer than two sentences"
    } else if !sentences.iter().any(|sentence| refuses(sentence)) {
        "the doc of the module names no refusal"
    } else {
        return None;
    };
    Some(Violation::new(path, 1, what, "say in `//!` what it does and what it never does"))
}

fn is_module(path: &str) -> bool {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates") => parts.nth(1) == Some("src"),
        Some("xtask" | "fuzz") => parts.next() == Some("src"),
        _ => false,
    }
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.ends_with("_tests.rs")
}

/// A sentence ends with a full stop or its like before a blank or the end; `lib.rs` inside one does not end it.
fn sentences(doc: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (index, mark) in doc.match_indices(['.', '!', '?']) {
        let end = index + mark.len();
        if doc[end..].chars().next().is_none_or(char::is_whitespace) {
            sentences.push(doc[start..end].trim());
            start = end;
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn refuses(sentence: &str) -> bool {
    sentence
        .split(|letter: char| !letter.is_alphabetic())
        .any(|word| REFUSALS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check;

    fn complaint(path: &str, text: &str) -> Option<String> {
        let violation = check(path, text)?;
        let shown = shown(&[violation]).remove(0);
        Some(shown.split("; ").next()?.rsplit(": ").next()?.to_owned())
    }

    #[test]
    fn a_job_and_a_refusal_are_enough() {
        for doc in [
            "Merges texts. Never writes.",
            "It is pure:\n//! it does no IO. See `lib.rs` too.",
            "Reads. Cannot fail!",
        ] {
            assert_eq!(complaint("crates/a/src/b.rs", &format!("//! {doc}\n\nfn a() {{}}\n")), None, "{doc}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let says = |text| complaint("xtask/src/a/b.rs", text).unwrap_or_default();
        assert_eq!(says("use std::fs;\n//! Never.\n"), "the module does not open with a doc");
        assert_eq!(
            says("//! Never writes `a.b` files.\n"),
            "the doc of the module has fewer than two sentences"
        );
        assert_eq!(says("//! Merges. Knows much.\n"), "the doc of the module names no refusal");
    }

    #[test]
    fn tests_say_only_what_they_test_and_other_files_are_free() {
        assert_eq!(complaint("crates/a/src/b/tests.rs", "//! Edges.\n"), None);
        assert!(complaint("crates/a/src/b/tests.rs", "use super::b;\n").is_some());
        assert_eq!(complaint("crates/a/tests/it/b.rs", "mod b;\n"), None);
        assert_eq!(complaint("crates/a/build.rs", "fn main() {}\n"), None);
    }
}
