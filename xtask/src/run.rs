//! Builds `agent-doc` for release and runs it where the caller stands. Never changes the arguments or the exit code.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::process;

/// Runs the binary with `arguments`; its exit code is ours.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let mut command = process::cargo();
    // Paths in the arguments are relative to where the person stands, not to the workspace.
    command.current_dir(std::env::current_dir().context("the current folder is gone")?);
    command.args(["run", "--quiet", "--release", "--package", "agent-doc", "--manifest-path"]);
    command.arg(process::root().join("Cargo.toml")).arg("--").args(arguments);
    let status = command.status().context("cannot start cargo")?;
    // A program ended by a signal has no code; the shell's habit is to call that a failure too.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
