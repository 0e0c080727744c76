//! Examples in documentation are compiled and run for the crates that others can embed, and stand nowhere else: for all crates together
//! everything would be built once more. Never looks at examples that are marked as text.

use super::violation::Violation;

/// The crates whose examples `cargo xtask test` runs.
pub(crate) const CRATES: [&str; 2] = ["agent", "document"];

/// Nothing that looks like an example which runs, and does not.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let is_run = CRATES.iter().any(|name| path.starts_with(&format!("crates/{name}/")));
    let mut violations = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines().enumerate().filter(|_| !is_run) {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(kind) = comment.and_then(|words| words.trim_start().strip_prefix("```")) else { continue };
        is_open = !is_open;
        if is_open && kind.trim() != "text" {
            let what = "holds an example that no test runs";
            violations.push(Violation::new(path, index + 1, what, "make it a test, or mark it as text"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check;

    const FENCE: &str = concat!("``", "`");

    #[test]
    fn an_example_stands_where_it_is_run() {
        let text = format!("//! {FENCE}text\n//! x\n//! {FENCE}\n\n/// {FENCE}no_run\n/// y\n/// {FENCE}\n");
        assert_eq!(check("crates/document/src/merge.rs", &text), []);
        assert_eq!(
            shown(&check("crates/web/src/lib.rs", &text)),
            [
                "crates/web/src/lib.rs:5: holds an example that no test runs; make it a test, or mark it as text"
            ]
        );
    }
}
