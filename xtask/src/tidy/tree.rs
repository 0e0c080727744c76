//! What the pure crate may bring along, as a closed list. Never trusts a manifest: it asks cargo for the whole tree.

use anyhow::Result;

use super::violation::Violation;
use crate::process;

/// All that may be built for `document`. It must stay a crate that others can embed and that can do nothing but compute,
/// so no async runtime, no file system and no network library may enter.
const DOCUMENT: &[&str] = &[
    "document",
    // Differences of texts.
    "imara-diff",
    "hashbrown",
    "foldhash",
    // Markdown.
    "memchr",
    "pulldown-cmark",
    "unicase",
    "bitflags",
    // Frontmatter.
    "saphyr-parser",
    "arraydeque",
    "smallvec",
    // The CRDT and what it needs. `async-lock` is a lock without a runtime, used in its blocking form.
    "yrs",
    "arc-swap",
    "async-lock",
    "async-trait",
    "cfg-if",
    "crossbeam-utils",
    "dashmap",
    "event-listener",
    "event-listener-strategy",
    "fastrand",
    "itoa",
    "libc",
    "lock_api",
    "once_cell",
    "parking",
    "parking_lot_core",
    "pin-project-lite",
    "scopeguard",
    "serde",
    "serde_core",
    "serde_json",
    "smallstr",
    "zmij",
    // Errors.
    "thiserror",
    // Macros; they run in the compiler.
    "proc-macro2",
    "quote",
    "rustversion",
    "serde_derive",
    "syn",
    "thiserror-impl",
    "unicode-ident",
];

/// Asks cargo for the tree of `document` on this system.
pub(super) fn check() -> Result<Vec<Violation>> {
    let mut cargo = process::cargo();
    cargo.args(["tree", "--package", "document", "--edges", "normal", "--prefix", "none", "--locked"]);
    Ok(check_tree(&process::capture(&mut cargo)?))
}

/// `tree` is one package a line: name, version, remarks.
fn check_tree(tree: &str) -> Vec<Violation> {
    let mut strangers: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    strangers.retain(|name| !DOCUMENT.contains(name));
    strangers.sort_unstable();
    strangers.dedup();
    let complain = |name| {
        let what = format!("`document` would bring along `{name}`");
        let remedy = "do without it, or show that it only computes and add it to xtask/src/tidy/tree.rs";
        Violation::new("crates/document/Cargo.toml", 1, what, remedy)
    };
    strangers.into_iter().map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::check_tree;

    #[test]
    fn a_runtime_below_the_line_is_heard_once() {
        assert_eq!(check_tree("document v0.1.0 (/x)\nyrs v0.28.0\nasync-lock v3.5.0\nyrs v0.28.0 (*)\n"), []);
        assert_eq!(
            shown(&check_tree("document v0.1.0\ntokio v1.0.0\ntokio v1.0.0 (*)\n")),
            ["crates/document/Cargo.toml:1: `document` would bring along `tokio`; \
              do without it, or show that it only computes and add it to xtask/src/tidy/tree.rs"]
        );
    }
}
