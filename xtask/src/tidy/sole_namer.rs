//! Libraries that only one file may name, so that they can be exchanged. Never looks into comments: words are free there.

use super::violation::Violation;

/// A library, the one file that may name it, and the one test that may.
struct Rule {
    library: &'static str,
    file: &'static str,
    test: &'static str,
}

const RULES: &[Rule] = &[
    // The types of the CRDT never appear in an API, and its traps with overlapping transactions reach nobody.
    Rule {
        library: "yrs",
        file: "crates/document/src/replica/session.rs",
        // A test plays the browser, with a replica of its own.
        test: "crates/document/tests/it/web_peer.rs",
    },
];

/// No product code names such a library, except the one file.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !path.starts_with("crates/") {
        return violations;
    }
    for Rule { library, file, .. } in RULES.iter().filter(|rule| rule.file != path && rule.test != path) {
        for (index, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            if words.any(|word| word == *library) {
                let what = format!("names `{library}`, which only {file} may");
                violations.push(Violation::new(path, index + 1, what, "add what you need to that file"));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check;

    #[test]
    fn one_file_names_the_library_and_no_other() {
        let text = "//! Wraps yrs.\nuse yrs::Doc;\n";
        assert_eq!(check("crates/document/src/replica/session.rs", text), []);
        assert_eq!(
            shown(&check("crates/document/src/merge.rs", text)),
            [
                "crates/document/src/merge.rs:2: names `yrs`, which only crates/document/src/replica/session.rs may; add what you need to that file"
            ]
        );
        assert_eq!(check("crates/document/src/merge.rs", "let years = yrs_since; // yrs\n"), []);
    }
}
