//! What the pure crates may bring along, as closed lists. Never trusts a manifest: it asks cargo for the whole tree.

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

/// All that may be built for `agent`: it decides, and whoever decides must not be able to act.
const AGENT: &[&str] = &[
    "agent",
    // A trait for streams, without a runtime.
    "futures-core",
    // Dates of HTTP.
    "httpdate",
    // Paths in rules; matches text and looks at no file.
    "globset",
    "aho-corasick",
    "bstr",
    "memchr",
    "regex-automata",
    "regex-syntax",
    // JSON.
    "itoa",
    "serde",
    "serde_core",
    "serde_json",
    "zmij",
    // JSON with its keys in the order in which they were written.
    "equivalent",
    "foldhash",
    "hashbrown",
    "indexmap",
    // The schema of a tool's arguments from their type, and the field that is wrong in them.
    "schemars",
    "dyn-clone",
    "ref-cast",
    "serde_path_to_error",
    // Errors.
    "thiserror",
    // Macros; they run in the compiler.
    "proc-macro2",
    "quote",
    "ref-cast-impl",
    "schemars_derive",
    "serde_derive",
    "serde_derive_internals",
    "syn",
    "thiserror-impl",
    "unicode-ident",
];

/// Asks cargo for the trees of the pure crates on this system.
pub(super) fn check() -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for (name, allowed) in [("document", DOCUMENT), ("agent", AGENT)] {
        let mut cargo = process::cargo();
        cargo.args(["tree", "--package", name, "--edges", "normal", "--prefix", "none", "--locked"]);
        violations.extend(check_tree(name, allowed, &process::capture(&mut cargo)?));
    }
    Ok(violations)
}

/// `tree` is one package a line: name, version, remarks.
fn check_tree(krate: &str, allowed: &[&str], tree: &str) -> Vec<Violation> {
    let mut strangers: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    strangers.retain(|name| !allowed.contains(name));
    strangers.sort_unstable();
    strangers.dedup();
    let complain = |name| {
        let what = format!("`{krate}` would bring along `{name}`");
        let remedy = "do without it, or show that it only computes and add it to xtask/src/tidy/tree.rs";
        Violation::new(&format!("crates/{krate}/Cargo.toml"), 1, what, remedy)
    };
    strangers.into_iter().map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::super::violation::shown;
    use super::{AGENT, DOCUMENT, check_tree};

    #[test]
    fn a_runtime_below_the_line_is_heard_once() {
        let tree = "document v0.1.0 (/x)\nyrs v0.28.0\nasync-lock v3.5.0\nyrs v0.28.0 (*)\n";
        assert_eq!(check_tree("document", DOCUMENT, tree), []);
        assert_eq!(
            shown(&check_tree("document", DOCUMENT, "document v0.1.0\ntokio v1.0.0\ntokio v1.0.0 (*)\n")),
            ["crates/document/Cargo.toml:1: `document` would bring along `tokio`; \
              do without it, or show that it only computes and add it to xtask/src/tidy/tree.rs"]
        );
    }

    #[test]
    fn each_pure_crate_has_a_list_of_its_own() {
        assert_eq!(check_tree("agent", AGENT, "agent v0.1.0\nglobset v0.4.21\n"), []);
        assert_eq!(check_tree("agent", AGENT, "agent v0.1.0\nyrs v0.28.0\n").len(), 1);
    }
}
