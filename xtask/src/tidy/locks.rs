//! What lock files may hold: not too much, and nothing about where it came from. Never resolves anything itself.

use super::source::{Source, text_of};
use super::violation::Violation;

/// Packages in the lock file of the workspace. Raise it in the commit that needs it, with the reason in
/// `docs/decisions/dependencies.md`; each package is code that users run and nobody here has read.
const PACKAGES_MAX: usize = 450;

/// The fuzz targets have a lock file of their own.
const FUZZ: &str = "fuzz/Cargo.lock";

/// The lock file of cargo stays under its limit; those of npm name no host.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    match path.rsplit('/').next() {
        Some("Cargo.lock") if path == "Cargo.lock" => check_count(path, text),
        Some("package-lock.json") => check_hosts(path, text),
        _ => Vec::new(),
    }
}

/// What is fuzzed is what ships: a package that both lock files hold has one version.
pub(super) fn check_drift(sources: &[Source]) -> Vec<Violation> {
    let text = |path: &str| text_of(sources, path);
    let shipped = packages(text("Cargo.lock"));
    let mut violations = Vec::new();
    for (line, name, version) in packages(text(FUZZ)) {
        let mut versions = shipped
            .iter()
            .filter(|(_, shipped, _)| *shipped == name)
            .map(|(_, _, version)| version)
            .peekable();
        if versions.peek().is_some() && !versions.any(|shipped| *shipped == version) {
            let what = format!("fuzzes {name} {version}, which is not what ships");
            let remedy = "run `cargo update --manifest-path fuzz/Cargo.toml PACKAGE --precise VERSION`";
            violations.push(Violation::new(FUZZ, line, what, remedy));
        }
    }
    violations
}

/// Line, name and version of each package in a lock file of cargo.
fn packages(lock: &str) -> Vec<(usize, &str, &str)> {
    let lines: Vec<&str> = lock.lines().collect();
    let pairs = lines.windows(2).enumerate();
    pairs
        .filter_map(|(index, pair)| Some((index + 1, quoted(pair[0], "name")?, quoted(pair[1], "version")?)))
        .collect()
}

/// The text of a line such as `key = "text"`.
fn quoted<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}

fn check_count(path: &str, text: &str) -> Vec<Violation> {
    let packages = text.lines().filter(|line| *line == "[[package]]").count();
    if packages <= PACKAGES_MAX {
        return Vec::new();
    }
    let what = format!("{packages} packages, and the limit is {PACKAGES_MAX}");
    vec![Violation::new(path, 1, what, "do with fewer, or raise the limit with a reason")]
}

fn check_hosts(path: &str, text: &str) -> Vec<Violation> {
    let names_host = |line: &str| line.trim_start().starts_with("\"resolved\"") && line.contains("://");
    let lines = text.lines().enumerate().filter(|(_, line)| names_host(line));
    let remedy = "set omit-lockfile-registry-resolved=true in .npmrc and write the lock file again";
    lines.map(|(index, _)| Violation::new(path, index + 1, "a package is bound to a host", remedy)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::super::violation::shown;
    use super::{PACKAGES_MAX, check, check_drift};

    #[test]
    fn what_is_fuzzed_is_what_ships() {
        let lock = |path: &str, version: &str| {
            let own = format!("[[package]]\nname = \"{}\"\nversion = \"9\"\n", path.len());
            let text = format!("{own}[[package]]\nname = \"yrs\"\nversion = \"{version}\"\n");
            Source { path: path.to_owned(), text, bytes: 0 }
        };
        assert_eq!(check_drift(&[lock("Cargo.lock", "0.28.0"), lock("fuzz/Cargo.lock", "0.28.0")]), []);
        assert_eq!(
            shown(&check_drift(&[lock("Cargo.lock", "0.28.0"), lock("fuzz/Cargo.lock", "0.29.0")])),
            ["fuzz/Cargo.lock:5: fuzzes yrs 0.29.0, which is not what ships; \
              run `cargo update --manifest-path fuzz/Cargo.toml PACKAGE --precise VERSION`"]
        );
    }

    #[test]
    fn too_many_packages_are_heard() {
        let lock = |packages| "[[package]]\nname = \"a\"\n".repeat(packages);
        assert_eq!(check("Cargo.lock", &lock(PACKAGES_MAX)), []);
        assert_eq!(check("Cargo.lock", &lock(PACKAGES_MAX + 1)).len(), 1);
        assert_eq!(check("fuzz/Cargo.lock", &lock(PACKAGES_MAX + 1)), []);
    }

    #[test]
    fn a_lock_of_npm_names_no_host() {
        assert_eq!(check("ui/package-lock.json", "{\n  \"resolved\": \"https://host/a.tgz\",\n}").len(), 1);
        assert_eq!(check("ui/package-lock.json", "{\n  \"resolved\": \"wire\",\n  \"link\": true\n}"), []);
    }
}
