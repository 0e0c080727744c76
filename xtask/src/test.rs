//! Everything that must hold before a change is merged; CI runs this and nothing else.
//! Never skips a part because something is missing: what cannot run has failed.

use std::process::ExitCode;

use anyhow::Result;

use crate::report::{self, Step};
use crate::{bench, fuzz, needs, page, process, tidy};

/// Without a filter runs every step; with one, only the tests whose name contains it.
pub(crate) fn test(filter: &[String]) -> Result<ExitCode> {
    if !filter.is_empty() {
        tests(filter)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut steps: Vec<Step> = vec![("needs", needs::install)];
    steps.extend(tidy::STEPS);
    steps.extend::<[Step; 5]>([
        ("tests", || tests(&[])),
        ("page", page::test),
        ("doctests", doctests),
        ("bench smoke", bench::smoke),
        ("fuzz", fuzz::every_target),
    ]);
    Ok(report::run(&steps))
}

fn tests(filter: &[String]) -> Result<()> {
    let mut command = process::cargo();
    if process::find("cargo-nextest").is_some() {
        command.args(["nextest", "run", "--workspace"]).args(filter);
    } else {
        // The plain runner takes one filter before `--` and any number after it.
        command.args(["test", "--workspace", "--all-targets", "--no-fail-fast", "--"]).args(filter);
    }
    process::stream(&mut command)
}

fn doctests() -> Result<()> {
    let crates = tidy::examples::CRATES.iter().flat_map(|name| ["--package", name]);
    process::stream(process::cargo().args(["test", "--doc"]).args(crates))
}
