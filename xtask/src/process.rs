//! Starts other programs and shows what was started. Never goes through a shell, so no argument is ever interpreted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// The folder that holds the workspace manifest.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The cargo that started us, so that one toolchain does everything; it works in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.current_dir(root());
    // Some build scripts look at these and would build half of the workspace anew: they name this package, not theirs.
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| is_ours(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

/// What cargo tells a program about its own package when it runs it.
fn is_ours(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// Runs to the end with the output streaming through; a failure is an error that names the command.
pub(crate) fn stream(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} failed with {status}");
    }
    Ok(())
}

/// Runs to the end and gives what it printed; a failure is an error that carries what it complained about.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.output().with_context(|| format!("cannot start {shown}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{shown} failed with {}\n{complaint}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{shown} printed bytes that are no text"))
}

/// Where `program` is installed, if it is.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}
