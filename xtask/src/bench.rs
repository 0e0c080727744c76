//! Starts the program that measures, built as it should be for what is asked of it. Never measures anything itself: the
//! automation would have to be built with the whole product first.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::page::{self, Build};
use crate::process;

/// The program that session documents come from, in the version whose behaviour they describe.
const OLDER: &str = "agent-doc";
const OLDER_VERSION: &str = "0.17.6";
/// The benchmark of the Writer's page.
const PAGE: &str = "web";

/// The benchmark of the terminal.
const TERMINAL: &str = "tui";

/// `[NAME] [--smoke]`; without a name, the list. A number worth quoting comes from the optimised build.
pub(crate) fn bench(arguments: &[String]) -> Result<ExitCode> {
    let is_small = arguments.is_empty() || arguments.iter().any(|argument| argument == "--smoke");
    let is_asked = |name: &str| arguments.iter().any(|argument| argument == name);
    if !is_small && is_asked("session") {
        beside_the_older(arguments)?;
    } else if is_asked(TERMINAL) {
        with_program(is_small, arguments)?;
    } else if is_asked(PAGE) {
        with_page(if is_small { Build::Quick } else { Build::Release }, arguments)?;
    } else {
        start(if is_small { "dev" } else { "release" }, arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Our program and the one it comes from are measured, so both are built first.
fn beside_the_older(arguments: &[String]) -> Result<()> {
    let peers = process::root().join("target/peers");
    if !peers.join("bin").join(OLDER).is_file() {
        let mut install = process::cargo();
        install.args(["install", OLDER, "--version", OLDER_VERSION, "--locked", "--root"]).arg(&peers);
        process::stream(install.env("CARGO_TARGET_DIR", peers.join("build")))?;
    }
    with_program(false, arguments)
}

/// Our own program is measured from outside, so it is built beside the one that measures.
fn with_program(is_small: bool, arguments: &[String]) -> Result<()> {
    process::stream(&mut if is_small { quick(arguments)? } else { optimised(arguments)? })
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
    with_page(Build::Quick, &["--smoke".to_owned()])
}

/// The page is looked at in a browser, through the program that serves it.
fn with_page(build: Build, arguments: &[String]) -> Result<()> {
    let program = page::program(build)?;
    page::install()?;
    let mut command = match build {
        Build::Quick => quick(arguments)?,
        Build::Release => optimised(arguments)?,
    };
    process::stream(command.env("AGENT_DOC", program).env("CHROMIUM", page::chromium()?))
}

/// The program as the tests have built most of it: by itself it would have other features, and everything would be built anew.
fn quick(arguments: &[String]) -> Result<Command> {
    process::stream(process::cargo().args(["build", "--quiet", "--workspace", "--all-targets"]))?;
    let mut command = Command::new(process::root().join("target/debug/bench"));
    command.current_dir(process::root()).args(arguments);
    Ok(command)
}

/// The same, optimised, built together with our program.
fn optimised(arguments: &[String]) -> Result<Command> {
    page::program(Build::Release)?;
    let mut command = Command::new(process::root().join("target/release/bench"));
    command.args(arguments);
    Ok(command)
}

fn start(profile: &str, arguments: &[String]) -> Result<()> {
    process::stream(&mut started(profile, arguments))
}

fn started(profile: &str, arguments: &[String]) -> Command {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--package", "bench", "--profile", profile, "--"]).args(arguments);
    command
}
