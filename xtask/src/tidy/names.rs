//! Names that say nothing about what is inside. Never looks at the content beyond the names of modules.

use super::violation::Violation;

const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "helper", "types", "misc"];

/// Neither files and folders nor modules inside a file have an empty name, and no file is a `mod.rs`.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for part in path.split('/') {
        let stem = part.split('.').next().unwrap_or_default();
        if EMPTY_NAMES.contains(&stem) {
            let what = format!("the name `{stem}` says nothing");
            violations.push(Violation::new(path, 1, what, "name it after its reason to change"));
        }
    }
    if path.ends_with("/mod.rs") {
        violations.push(Violation::new(path, 1, "a file is named `mod.rs`", "put `name.rs` beside `name/`"));
    }
    if path.ends_with(".rs") {
        for (index, line) in text.lines().enumerate() {
            let Some(name) = module_name(line).filter(|name| EMPTY_NAMES.contains(name)) else {
                continue;
            };
            let what = format!("the module name `{name}` says nothing");
            violations.push(Violation::new(path, index + 1, what, "name it after its reason to change"));
        }
    }
    violations
}

/// The name in a line such as `pub(crate) mod name;` or `mod name {`.
fn module_name(line: &str) -> Option<&str> {
    let (before, after) = line.trim().split_once("mod ")?;
    let is_declaration = before.is_empty() || before.starts_with("pub");
    is_declaration.then(|| after.trim_end_matches([';', '{', ' ', '}']))
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check;

    #[test]
    fn empty_names_are_heard_in_paths_and_in_modules() {
        assert_eq!(
            shown(&check("crates/a/src/utils.rs", "")),
            ["crates/a/src/utils.rs:1: the name `utils` says nothing; name it after its reason to change"]
        );
        assert_eq!(check("crates/common/src/lib.rs", "").len(), 1);
        assert_eq!(check("ui/helpers/a.ts", "").len(), 1);
        assert_eq!(check("a/mod.rs", "").len(), 1);
        assert_eq!(check("a/b.rs", "//! Doc.\npub(crate) mod types {\n}\nmod utils;\n").len(), 2);
    }

    #[test]
    fn names_that_only_resemble_them_are_fine() {
        assert_eq!(
            check("crates/document/src/commonmark.rs", "mod section;\nlet modern = mod_of(types);\n"),
            []
        );
    }
}
