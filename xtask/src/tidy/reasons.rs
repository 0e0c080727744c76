//! Each library has a written reason. Never judges the reason; a reviewer does.

use toml::{Table, Value};

use super::manifest::line_of;
use super::source::{Source, text_of};
use super::violation::Violation;

const PAGE: &str = "docs/decisions/dependencies.md";

/// The manifests that name versions, and the table in each that does.
const TABLES: &[(&str, &[&str])] =
    &[("Cargo.toml", &["workspace", "dependencies"]), ("fuzz/Cargo.toml", &["dependencies"])];

/// Every library has a row in the page, and every row has a library.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let text = |path: &str| text_of(sources, path);
    let page = text(PAGE);
    let mut violations = Vec::new();
    let mut known = Vec::new();
    for (manifest, table) in TABLES {
        for library in libraries(text(manifest), table) {
            if !page.contains(&row(&library)) {
                let (line, what) =
                    (line_of(text(manifest), &library), format!("`{library}` has no reason in {PAGE}"));
                violations.push(Violation::new(manifest, line, what, "add a row, or do without it"));
            }
            known.push(library);
        }
    }
    for (index, line) in page.lines().enumerate() {
        let Some((name, _)) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`')) else {
            continue;
        };
        if !known.iter().any(|library| library == name) {
            let what = format!("`{name}` is no library of ours");
            violations.push(Violation::new(PAGE, index + 1, what, "remove the row"));
        }
    }
    violations
}

fn row(library: &str) -> String {
    format!("\n| `{library}` |")
}

/// The names in a table of dependencies, without those inside the project.
fn libraries(manifest: &str, table: &[&str]) -> Vec<String> {
    let root = Value::Table(manifest.parse::<Table>().unwrap_or_default());
    let found = table.iter().try_fold(&root, |value, key| value.get(*key)).and_then(Value::as_table);
    let outside = found.into_iter().flatten().filter(|(_, value)| value.get("path").is_none());
    outside.map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::super::violation::shown;
    use super::{PAGE, check};

    #[test]
    fn libraries_and_rows_match_one_to_one() {
        let source =
            |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned(), bytes: 0 };
        let sources = [
            source(
                "Cargo.toml",
                "[workspace.dependencies]\ndocument = { path = \"a\" }\nyrs = \"1\"\ntokio = \"1\"\n",
            ),
            source(PAGE, "\n| `yrs` | `document` | why | 1 |\n| `gone` | `document` | why | 1 |\n"),
        ];
        assert_eq!(
            shown(&check(&sources)),
            [
                "Cargo.toml:4: `tokio` has no reason in docs/decisions/dependencies.md; add a row, or do without it",
                "docs/decisions/dependencies.md:3: `gone` is no library of ours; remove the row",
            ]
        );
    }
}
