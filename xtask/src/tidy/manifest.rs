//! What every manifest of a crate must say. Never reads the workspace manifest's own choices.

use toml::{Table, Value};

use super::violation::Violation;

/// Keys of `[package]` that have one value for the whole workspace.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "publish"];

/// Not a member of the workspace and so unable to inherit from it; its manifest says why.
const OUTSIDE: &str = "fuzz/Cargo.toml";

/// The crate inherits versions and lints, has the name of its folder, takes dependencies from the workspace, and has no
/// features: what ships is what is tested.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let Some((folder, _)) = path.rsplit_once('/') else {
        return Vec::new();
    };
    if path == OUTSIDE {
        return Vec::new();
    }
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => {
            return vec![Violation::new(
                path,
                1,
                format!("no valid manifest: {error}"),
                "make it valid TOML",
            )];
        }
    };
    let mut violations = Vec::new();
    let mut complain = |key: &str, what: String, remedy| {
        violations.push(Violation::new(path, line_of(text, key), what, remedy));
    };
    let package = manifest.get("package");
    let name = package.and_then(|package| package.get("name")).and_then(Value::as_str).unwrap_or_default();
    let folder = folder.rsplit('/').next().unwrap_or_default();
    if name != folder {
        complain("name", format!("package `{name}` lives in folder `{folder}`"), "give both one name");
    }
    for key in INHERITED {
        if !is_inherited(package.and_then(|package| package.get(*key))) {
            complain(key, format!("`{key}` is not that of the workspace"), "write `KEY.workspace = true`");
        }
    }
    if !is_inherited(manifest.get("lints")) {
        complain(
            "[lints]",
            "the lints are not those of the workspace".to_owned(),
            "write `[lints] workspace = true`",
        );
    }
    if manifest.contains_key("features") {
        complain(
            "[features]",
            "the crate has features".to_owned(),
            "remove them; what ships is what is tested",
        );
    }
    for dependency in own_versions(&manifest) {
        let what = format!("`{dependency}` has a version of its own");
        complain(&dependency, what, "put it into `[workspace.dependencies]` and inherit it");
    }
    violations
}

fn is_inherited(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}

/// Dependencies that do not come from the workspace, in all tables of the manifest.
fn own_versions(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(tables)
        .flat_map(|table| {
            ["dependencies", "dev-dependencies", "build-dependencies"].map(|kind| table.get(kind))
        })
        .filter_map(|dependencies| dependencies?.as_table())
        .flatten()
        .filter(|(_, value)| !is_inherited(Some(value)))
        .map(|(name, _)| name.clone())
        .collect()
}

/// The first line that begins with `key`, or the first of all.
pub(super) fn line_of(text: &str, key: &str) -> usize {
    let begins = |line: &str| {
        line.strip_prefix(key)
            .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-'))
    };
    text.lines().position(begins).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n\
        [lints]\nworkspace = true\n\n[dependencies]\nb.workspace = true\nc = { workspace = true }\n";

    #[test]
    fn a_crate_that_inherits_is_fine() {
        assert_eq!(check("crates/a/Cargo.toml", GOOD), []);
        assert_eq!(check("Cargo.toml", "[workspace]\n"), []);
    }

    #[test]
    fn each_departure_is_named() {
        for (good, bad, line) in [
            ("name = \"a\"", "name = \"z\"", 2),
            ("version.workspace = true", "version = \"1.0.0\"", 3),
            ("edition.workspace = true", "edition = \"2021\"", 4),
            ("[lints]\nworkspace = true\n", "", 1),
            ("b.workspace = true", "b = \"1\"", 13),
            ("[lints]", "[features]\nx = []\n[lints]", 9),
            ("[dependencies]", "[target.'cfg(unix)'.dev-dependencies]\nz = \"1\"\n[dependencies]", 13),
        ] {
            let text = GOOD.replacen(good, bad, 1);
            let shown = shown(&check("crates/a/Cargo.toml", &text));
            assert_eq!(shown.len(), 1, "{bad}: {shown:?}");
            assert!(shown[0].starts_with(&format!("crates/a/Cargo.toml:{line}: ")), "{shown:?}");
        }
    }
}
