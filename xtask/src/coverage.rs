//! How much of the code the tests run through, by the compiler's own counters. Never judges a test by it: a line that was run through
//! may still be wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{needs, process};

/// The crates that are measured.
const CRATES: &[&str] = &["agent", "models", "tools", "tui"];
/// Lines of a hundred that must be run through.
const LINES_MIN: u64 = 90;

/// `coverage`: runs the tests with counters, and prints the lines of each crate that they ran through.
pub(crate) fn coverage(arguments: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = arguments.first() {
        bail!("coverage takes nothing, not {unknown}");
    }
    let tools = llvm_tools()?;
    let folder = process::root().join("target/coverage");
    let profiles = folder.join("profiles");
    if profiles.exists() {
        std::fs::remove_dir_all(&profiles)?;
    }
    std::fs::create_dir_all(&profiles)?;
    let binaries = tested(&folder, &profiles)?;
    let merged = folder.join("all.profdata");
    let mut merge = Command::new(tools.join("llvm-profdata"));
    // A process that a test killed in the middle left half a file.
    merge.args(["merge", "-sparse", "-failure-mode=all", "-o"]).arg(&merged);
    for entry in std::fs::read_dir(&profiles)? {
        merge.arg(entry?.path());
    }
    process::capture(&mut merge)?;
    report(&tools, &merged, &binaries)
}

/// Runs the tests of the crates. Gives back the binaries that they are in.
fn tested(folder: &Path, profiles: &Path) -> Result<Vec<PathBuf>> {
    // Some tests start a program of their crate that is an example.
    let mut built = process::cargo();
    built.args(["build", "--quiet", "--examples"]).args(CRATES.iter().flat_map(|name| ["--package", name]));
    process::stream(built.env("CARGO_TARGET_DIR", folder).env("RUSTFLAGS", "-C instrument-coverage"))?;
    let mut command = process::cargo();
    command.args(["test", "--quiet", "--no-fail-fast", "--lib", "--tests"]);
    command.args(CRATES.iter().flat_map(|name| ["--package", name]));
    command.env("CARGO_TARGET_DIR", folder).env("RUSTFLAGS", "-C instrument-coverage");
    command.env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
    process::stream(&mut command)?;
    let mut listed = process::cargo();
    listed.args([
        "test",
        "--quiet",
        "--no-run",
        "--lib",
        "--tests",
        "--examples",
        "--message-format",
        "json",
    ]);
    listed.args(CRATES.iter().flat_map(|name| ["--package", name]));
    listed.env("CARGO_TARGET_DIR", folder).env("RUSTFLAGS", "-C instrument-coverage");
    let lines = process::capture(&mut listed)?;
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let binaries = messages.filter_map(|message| message.get("executable")?.as_str().map(PathBuf::from));
    Ok(binaries.collect())
}

/// Prints a line for each crate. Fails if one is below the limit.
fn report(tools: &Path, merged: &Path, binaries: &[PathBuf]) -> Result<ExitCode> {
    let mut export = Command::new(tools.join("llvm-cov"));
    export.args(["export", "-summary-only", "-instr-profile"]).arg(merged);
    for binary in binaries {
        export.arg("-object").arg(binary);
    }
    let whole: Value =
        serde_json::from_str(&process::capture(&mut export)?).context("llvm-cov prints no JSON")?;
    let files =
        whole.pointer("/data/0/files").and_then(Value::as_array).context("llvm-cov lists no files")?;
    let mut is_enough = true;
    for name in CRATES {
        let source = process::root().join("crates").join(name).join("src");
        let of = |file: &&Value| {
            file["filename"].as_str().is_some_and(|path| Path::new(path).starts_with(&source))
        };
        let sum = |part: &str| -> u64 {
            files.iter().filter(of).filter_map(|file| file.pointer(part)?.as_u64()).sum()
        };
        let (count, covered) = (sum("/summary/lines/count"), sum("/summary/lines/covered"));
        let permille = covered * 1000 / count.max(1);
        println!("{name:<8} {}.{} % of {count} lines", permille / 10, permille % 10);
        is_enough &= permille >= LINES_MIN * 10;
    }
    println!("{} {LINES_MIN} % of the lines of each", if is_enough { "reached" } else { "NOT reached" });
    Ok(if is_enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where tools are that know the format of the compiler's counters: its own, or those of the same LLVM, which are installed if need be.
fn llvm_tools() -> Result<PathBuf> {
    let sysroot = process::capture(Command::new("rustc").args(["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    let hosts = std::fs::read_dir(&libraries).context("the toolchain is not where rustc says")?;
    let mut folders = hosts.filter_map(|host| Some(host.ok()?.path().join("bin")));
    if let Some(own) = folders.find(|folder| folder.join("llvm-cov").is_file()) {
        return Ok(own);
    }
    let told = process::capture(Command::new("rustc").arg("-vV"))?;
    let version = told.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = version.and_then(|version| version.split('.').next()).context("rustc names no LLVM")?;
    let same = PathBuf::from(format!("/usr/lib/llvm-{major}/bin"));
    if !same.join("llvm-cov").is_file() {
        needs::bring(&[&format!("llvm-{major}")])
            .context("or 'rustup component add llvm-tools' brings what is needed")?;
    }
    Ok(same)
}
