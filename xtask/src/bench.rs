//! Starts the program that measures, built as it should be for what is asked of it. Never measures anything itself: the
//! automation would have to be built with the whole product first.

use std::process::ExitCode;

use anyhow::Result;

use crate::process;

/// `[NAME] [--smoke]`; without a name, the list. A number worth quoting comes from the optimised build.
pub(crate) fn bench(arguments: &[String]) -> Result<ExitCode> {
    let is_small = arguments.is_empty() || arguments.iter().any(|argument| argument == "--smoke");
    start(if is_small { "dev" } else { "release" }, arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// `saves|kill|turns [--count N]`.
pub(crate) fn soak(arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<String> =
        std::iter::once("soak".to_owned()).chain(arguments.iter().cloned()).collect();
    start("release", &arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Every benchmark once, small; a step of `cargo xtask test`.
pub(crate) fn smoke() -> Result<()> {
    start("dev", &["--smoke".to_owned()])
}

fn start(profile: &str, arguments: &[String]) -> Result<()> {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--package", "bench", "--profile", profile, "--"]).args(arguments);
    process::stream(&mut command)
}
