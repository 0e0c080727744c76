//! The rules that formatter, compiler and clippy together do not know, and a call of each of those.
//! Never repairs anything: it says where, what is wrong and what to do.

mod edges;
pub(crate) mod examples;
mod exceptions;
mod locks;
mod manifest;
mod module_doc;
mod names;
mod reasons;
mod size;
mod sole_namer;
mod source;
mod traces;
mod tree;
mod unchecked;
mod violation;
mod words;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::process;
use crate::report::{self, Step};
use source::Source;
use violation::Violation;

/// The parts of tidy, quick ones first; `cargo xtask test` runs them too.
pub(crate) const STEPS: [Step; 4] =
    [("format", format), ("rules", rules), ("clippy", clippy), ("docs", docs)];

/// Runs all parts.
pub(crate) fn tidy() -> Result<ExitCode> {
    Ok(report::run(&STEPS))
}

fn format() -> Result<()> {
    process::stream(process::cargo().args(["fmt", "--all", "--check"]))?;
    process::stream(process::cargo().args(["fmt", "--check", "--manifest-path", "fuzz/Cargo.toml"]))
}

fn clippy() -> Result<()> {
    process::stream(process::cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn docs() -> Result<()> {
    let mut command = process::cargo();
    command.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    process::stream(&mut command)
}

fn rules() -> Result<()> {
    let sources = source::tracked()?;
    let mut violations = of_files(&sources);
    violations.extend(edges::check()?);
    violations.extend(tree::check()?);
    let violations = exceptions::apply(source::text_of(&sources, exceptions::PATH), violations);
    for violation in &violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => println!("{} files keep the rules", sources.len()),
        1 => bail!("one rule is broken"),
        many => bail!("{many} rules are broken"),
    }
    Ok(())
}

/// Every rule that needs nothing but the files.
fn of_files(sources: &[Source]) -> Vec<Violation> {
    let mut violations = size::check_share(sources);
    violations.extend(locks::check_drift(sources));
    violations.extend(reasons::check(sources));
    for source in sources {
        let Source { path, text, bytes } = source;
        violations.extend(size::check_blob(path, *bytes));
        violations.extend(names::check(path, text));
        violations.extend(words::check(path, text));
        violations.extend(traces::check(path, text));
        violations.extend(locks::check(path, text));
        if path.ends_with(".rs") {
            violations.extend(size::check_lines(path, text));
            violations.extend(size::check_functions(path, text));
            violations.extend(module_doc::check(path, text));
            violations.extend(sole_namer::check(path, text));
            violations.extend(unchecked::check(path, text));
            violations.extend(examples::check(path, text));
        }
        if path.ends_with("Cargo.toml") {
            violations.extend(manifest::check(path, text));
        }
    }
    violations
}
