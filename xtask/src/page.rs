//! The Writer's page: its packages, its types, and its tests in a real browser. Never skips one because something is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;

/// The page's types are right, and a browser shows what it should; a step of `cargo xtask test`.
pub(crate) fn test() -> Result<()> {
    install()?;
    process::stream(npx().args(["tsc", "--noEmit"]))?;
    process::stream(Command::new("node").current_dir(ui()).arg("test.mjs"))?;
    let program = program(Build::Quick)?;
    let mut command = node(&program)?;
    // One after another: each starts a browser and a server.
    command.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    let mut files: Vec<PathBuf> = std::fs::read_dir(ui().join("e2e"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    if files.is_empty() {
        bail!("ui/e2e holds no test");
    }
    process::stream(command.args(files))
}

/// Takes the pictures of the README of the page as it is now.
pub(crate) fn pictures() -> Result<()> {
    install()?;
    let mut command = node(&program(Build::Quick)?)?;
    command.env("PICTURES", process::root().join("docs/pictures"));
    process::stream(command.args(["--test", "e2e/pictures.test.mjs"]))
}

/// Fetches the packages that the lock file names, unless they are there.
pub(crate) fn install() -> Result<()> {
    let time = |name: &str| ui().join(name).metadata().and_then(|found| found.modified()).ok();
    if let (Some(installed), Some(locked)) =
        (time("node_modules/.package-lock.json"), time("package-lock.json"))
        && installed >= locked
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.current_dir(ui()).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    process::stream(&mut npm)
}

/// How the program is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// As for the tests, so that nothing is built twice.
    Quick,
    /// As users get it.
    Release,
}

/// Builds the program, page included, and says where it lies.
pub(crate) fn program(build: Build) -> Result<PathBuf> {
    let mut cargo = process::cargo();
    let folder = match build {
        Build::Quick => {
            cargo.args(["test", "--workspace", "--all-targets", "--no-run", "--quiet"]);
            "debug"
        }
        Build::Release => {
            // Together with what measures it: alone it would have other features, and everything would be built anew.
            cargo.args(["build", "--release", "--package", "bench", "--package", "agent-doc"]);
            "release"
        }
    };
    process::stream(&mut cargo)?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| process::root().join("target"), PathBuf::from);
    Ok(target.join(folder).join("agent-doc"))
}

/// Node in the folder of the page, with the program and the browser named.
fn node(program: &Path) -> Result<Command> {
    let mut node = Command::new("node");
    node.current_dir(ui()).env("AGENT_DOC", program).env("CHROMIUM", chromium()?);
    Ok(node)
}

/// Where the browser is.
pub(crate) fn chromium() -> Result<PathBuf> {
    match process::find("chromium") {
        Some(chromium) => Ok(chromium),
        None => bail!("there is no chromium; 'cargo xtask test' installs it"),
    }
}

/// Writes the types of the wire for the page.
pub(crate) fn codegen() -> Result<()> {
    let mut test = process::cargo();
    // The package alone would have other features, and everything would be built anew.
    test.args(["test", "--workspace", "--test", "it", "the_page_knows_the_types_of_the_server"]);
    process::stream(test.env("UPDATE_EXPECT", "1"))
}

fn npx() -> Command {
    let mut npx = Command::new("npx");
    npx.current_dir(ui()).arg("--no-install");
    npx
}

fn ui() -> PathBuf {
    process::root().join("ui")
}
