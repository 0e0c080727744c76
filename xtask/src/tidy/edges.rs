//! Which crate of the workspace may know which. Never allows an edge that is not in the table.

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::manifest::line_of;
use super::violation::Violation;
use crate::process;

/// A crate and those it may know, for its tests too. A new line or a new name here is an architecture decision.
const EDGES: &[(&str, &[&str])] = &[
    // The two pure crates are strangers; they meet in `workspace`.
    ("document", &[]),
    ("agent", &[]),
    ("models", &["agent"]),
    // Files are written through a port that the workspace stands behind.
    ("tools", &["agent"]),
    ("workspace", &["document", "agent"]),
    ("conductor", &["workspace", "agent", "document"]),
    // Guests write as workers do, through the same tools.
    ("join", &["workspace", "conductor", "agent"]),
    // Front ends see nothing below. The terminal knows nobody at all: it folds what the binary tells it.
    ("tui", &[]),
    ("web", &["agent", "workspace", "conductor"]),
    // The only crate that knows every other one.
    ("agent-doc", &["document", "agent", "models", "tools", "workspace", "conductor", "join", "tui", "web"]),
    // The automation stays quick to build: it starts what needs the product.
    ("xtask", &[]),
    // What is measured is called directly, each part where it stands.
    ("bench", &["agent", "document", "loopback", "models", "tools", "tui", "web", "workspace"]),
    ("fuzz", &["document"]),
    // A server for tests. It knows nobody, and no product code knows it.
    ("loopback", &[]),
];

/// Crates that all others may know, but for their tests only.
const FOR_TESTS: &[&str] = &["loopback"];

/// Checks the workspace and the package outside it, as cargo itself reads their manifests.
pub(super) fn check() -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        let mut cargo = process::cargo();
        cargo.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path", manifest]);
        violations.extend(check_metadata(&process::capture(&mut cargo)?, &read_manifest)?);
    }
    Ok(violations)
}

fn read_manifest(path: &str) -> String {
    std::fs::read_to_string(process::root().join(path)).unwrap_or_default()
}

/// `metadata` is what `cargo metadata --no-deps` prints; `read` gives the text of a manifest, to find the line.
fn check_metadata(metadata: &str, read: &dyn Fn(&str) -> String) -> Result<Vec<Violation>> {
    let metadata: Value = serde_json::from_str(metadata).context("cargo metadata is no JSON")?;
    let mut violations = Vec::new();
    for package in array(&metadata, "packages") {
        let name = string(package, "name");
        let path = relative(string(package, "manifest_path"));
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            let what = format!("crate `{name}` is not in the table of edges");
            violations.push(Violation::new(
                &path,
                1,
                what,
                "decide what it may know, in xtask/src/tidy/edges.rs",
            ));
            continue;
        };
        // Only dependencies inside the project have a path.
        let inside = array(package, "dependencies")
            .filter(|dependency| dependency.get("path").is_some_and(Value::is_string));
        for dependency in inside {
            let for_tests = string(dependency, "kind") == "dev";
            let dependency = string(dependency, "name");
            let is_allowed = allowed.contains(&dependency) || (for_tests && FOR_TESTS.contains(&dependency));
            if !is_allowed {
                let what = format!("`{name}` may not know `{dependency}`");
                let line = line_of(&read(&path), dependency);
                violations.push(Violation::new(&path, line, what, "move the code to where both are known"));
            }
        }
    }
    Ok(violations)
}

fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn relative(manifest: &str) -> String {
    let root = process::root().display().to_string();
    manifest.strip_prefix(&root).unwrap_or(manifest).trim_start_matches(['/', '\\']).replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check_metadata;

    fn check(name: &str, dependency: &str, kind: &str) -> Vec<String> {
        let metadata = format!(
            r#"{{"packages": [{{"name": "{name}", "manifest_path": "crates/{name}/Cargo.toml", "dependencies": [
                {{"name": "{dependency}", "kind": {kind}, "path": "x"}}, {{"name": "elsewhere", "kind": null}}
            ]}}]}}"#
        );
        shown(
            &check_metadata(&metadata, &|_| format!("[dependencies]\n{dependency}.workspace = true\n"))
                .unwrap(),
        )
    }

    #[test]
    fn an_edge_of_the_table_is_allowed() {
        assert_eq!(check("workspace", "document", "null"), [""; 0]);
        assert_eq!(check("fuzz", "document", "null"), [""; 0]);
    }

    #[test]
    fn any_other_edge_is_refused_in_tests_too() {
        let refused = [
            "crates/document/Cargo.toml:2: `document` may not know `agent`; move the code to where both are known",
        ];
        assert_eq!(check("document", "agent", "null"), refused);
        assert_eq!(check("document", "agent", "\"dev\""), refused);
    }

    #[test]
    fn a_crate_for_tests_is_known_by_tests_alone() {
        assert_eq!(check("workspace", "loopback", "\"dev\""), [""; 0]);
        assert_eq!(check("workspace", "loopback", "null").len(), 1);
    }

    #[test]
    fn a_crate_without_a_line_is_refused() {
        assert_eq!(check("shared", "document", "null").len(), 1);
    }
}
