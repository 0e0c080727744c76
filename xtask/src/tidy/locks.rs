//! What lock files may hold: not too much, and nothing about where it came from. Never resolves anything itself.

use super::violation::Violation;

/// Packages in the lock file of the workspace. Raise it in the commit that needs it, with the reason in
/// `docs/decisions/dependencies.md`; each package is code that users run and nobody here has read.
const PACKAGES_MAX: usize = 130;

/// The lock file of cargo stays under its limit; those of npm name no host.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    match path.rsplit('/').next() {
        Some("Cargo.lock") if path == "Cargo.lock" => check_count(path, text),
        Some("package-lock.json") => check_hosts(path, text),
        _ => Vec::new(),
    }
}

fn check_count(path: &str, text: &str) -> Vec<Violation> {
    let packages = text.lines().filter(|line| *line == "[[package]]").count();
    if packages <= PACKAGES_MAX {
        return Vec::new();
    }
    let what = format!("{packages} packages, and the limit is {PACKAGES_MAX}");
    vec![Violation::new(
        path,
        1,
        what,
        "do with fewer, or raise the limit with a reason",
    )]
}

fn check_hosts(path: &str, text: &str) -> Vec<Violation> {
    let names_host = |line: &str| line.trim_start().starts_with("\"resolved\"") && line.contains("://");
    let lines = text.lines().enumerate().filter(|(_, line)| names_host(line));
    let remedy = "set omit-lockfile-registry-resolved=true in .npmrc and write the lock file again";
    lines
        .map(|(index, _)| Violation::new(path, index + 1, "a package is bound to a host", remedy))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{PACKAGES_MAX, check};

    #[test]
    fn too_many_packages_are_heard() {
        let lock = |packages| "[[package]]\nname = \"a\"\n".repeat(packages);
        assert_eq!(check("Cargo.lock", &lock(PACKAGES_MAX)), []);
        assert_eq!(check("Cargo.lock", &lock(PACKAGES_MAX + 1)).len(), 1);
        assert_eq!(check("fuzz/Cargo.lock", &lock(PACKAGES_MAX + 1)), []);
    }

    #[test]
    fn a_lock_of_npm_names_no_host() {
        assert_eq!(
            check(
                "ui/package-lock.json",
                "{\n  \"resolved\": \"https://host/a.tgz\",\n}"
            )
            .len(),
            1
        );
        assert_eq!(
            check(
                "ui/package-lock.json",
                "{\n  \"resolved\": \"wire\",\n  \"link\": true\n}"
            ),
            []
        );
    }
}
