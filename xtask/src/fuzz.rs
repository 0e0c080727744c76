//! Coverage-guided fuzzing with libFuzzer on stable Rust: builds the package `fuzz` with counters and runs its targets.
//! Never writes into the committed corpus; what a run finds stays under `target/fuzz/`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::process;

/// How long each target runs as a part of `cargo xtask test`.
const SECONDS: u32 = 30;
/// How many targets run at once.
const PARALLEL: usize = 2;
/// Long enough for every construct of a document, short enough for thousands of runs a second.
const INPUT_BYTES_MAX: u32 = 4096;
/// One input may not take longer; parsing and merging are meant to be linear.
const INPUT_SECONDS_MAX: u32 = 10;
const MEMORY_MB_MAX: u32 = 4096;
const LOG_LINES_SHOWN: usize = 40;

/// What makes the compiler count edges and show comparisons to libFuzzer. All of it works on stable;
/// only the sanitizers would need more.
const FLAGS: &[&str] = &[
    "--cfg fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// `[TARGET] [--seconds N]`.
pub(crate) fn fuzz(arguments: &[String]) -> Result<ExitCode> {
    let (mut chosen, mut seconds) = (None, SECONDS);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let number = arguments.next().context("--seconds needs a number")?;
            seconds = number.parse().with_context(|| format!("{number} is no number of seconds"))?;
        } else {
            chosen = Some(argument.as_str());
        }
    }
    let mut targets = targets()?;
    if let Some(chosen) = chosen {
        let known = targets.join(", ");
        targets.retain(|target| target == chosen);
        if targets.is_empty() {
            bail!("there is no fuzz target {chosen}; there are {known}");
        }
    }
    run(&targets, seconds)?;
    Ok(ExitCode::SUCCESS)
}

/// Each target for a short while; a step of `cargo xtask test`.
pub(crate) fn every_target() -> Result<()> {
    check_package()?;
    run(&targets()?, SECONDS)
}

/// Lints and tests the package itself, which the steps of the workspace do not see. Built without counters: what the
/// targets share does not link libFuzzer.
fn check_package() -> Result<()> {
    let package = |command: &str| {
        let mut cargo = process::cargo();
        cargo
            .args([command, "--locked", "--manifest-path", "fuzz/Cargo.toml", "--target-dir"])
            .arg(scratch());
        cargo
    };
    process::stream(package("clippy").arg("--all-targets"))?;
    process::stream(package("test").arg("--lib"))
}

fn run(targets: &[String], seconds: u32) -> Result<()> {
    let binaries = build()?;
    let mut failed = Vec::new();
    for pair in targets.chunks(PARALLEL) {
        let results = std::thread::scope(|scope| {
            let binaries = &binaries;
            let running: Vec<_> =
                pair.iter().map(|target| scope.spawn(move || fuzz_one(binaries, target, seconds))).collect();
            running
                .into_iter()
                .map(|thread| thread.join().map_err(|_| anyhow!("the runner panicked"))?)
                .collect::<Vec<_>>()
        });
        for (target, result) in pair.iter().zip(results) {
            match result {
                Ok(summary) => println!("{target:<12} {summary}"),
                Err(error) => {
                    println!("{target:<12} FAILED: {error:#}");
                    failed.push(target.as_str());
                }
            }
        }
    }
    if !failed.is_empty() {
        bail!("fuzzing failed in {}", failed.join(", "));
    }
    Ok(())
}

/// The names of the targets: one per file, so that a new file is a new target.
fn targets() -> Result<Vec<String>> {
    let folder = process::root().join("fuzz/src/bin");
    let mut targets = Vec::new();
    for entry in fs::read_dir(&folder).context("cannot list the fuzz targets")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            targets.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    targets.sort();
    Ok(targets)
}

/// Builds all targets and gives the folder that holds them.
fn build() -> Result<PathBuf> {
    let host = host()?;
    let scratch = scratch();
    // With an explicit target the flags do not reach build scripts and macros, which could not link.
    let mut command = process::cargo();
    command.env("RUSTFLAGS", FLAGS.join(" "));
    command.args(["build", "--release", "--bins", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    command.args(["--target", &host, "--target-dir"]).arg(&scratch);
    process::stream(&mut command)?;
    Ok(scratch.join(host).join("release"))
}

fn host() -> Result<String> {
    let version = process::capture(Command::new("rustc").arg("-vV").current_dir(process::root()))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

fn scratch() -> PathBuf {
    process::root().join("target/fuzz")
}

/// Runs one target and gives its last words in short; a crash is an error that says where the input lies.
fn fuzz_one(binaries: &Path, target: &str, seconds: u32) -> Result<String> {
    let seeds = process::root().join("fuzz/corpus").join(target);
    if !seeds.is_dir() {
        bail!("fuzz/corpus/{target} is missing; write a few small inputs");
    }
    let found = scratch().join("corpus").join(target);
    let crashes = scratch().join("crashes").join(target);
    let log = scratch().join(format!("{target}.log"));
    fs::create_dir_all(&found)?;
    fs::create_dir_all(&crashes)?;
    let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let status = Command::new(binaries.join(target))
        .args([&found, &seeds])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
        .arg(format!("-rss_limit_mb={MEMORY_MB_MAX}"))
        .arg(format!("-max_len={INPUT_BYTES_MAX}"))
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()
        .with_context(|| format!("cannot start the target {target}"))?;
    let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    if status.success() {
        return Ok(summary(&said));
    }
    bail!("{}\n{}\nthe whole log is {}", crash(&said), tail(&said), log.display())
}

/// The line of libFuzzer that says where it put the input, or that it put none.
fn crash(log: &str) -> &str {
    log.lines().find(|line| line.contains("Test unit written to")).unwrap_or("no input was written")
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
}

/// What libFuzzer covered and how often it ran, from its own last two reports.
fn summary(log: &str) -> String {
    let covered = log.lines().rev().find(|line| line.contains(" cov: ")).unwrap_or_default();
    let covered = covered.split_whitespace().skip_while(|word| *word != "cov:").take(4);
    let runs = log.lines().rev().find(|line| line.starts_with("Done ")).unwrap_or("ran to the end");
    format!("{runs}, {}", covered.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{crash, summary};

    #[test]
    fn the_last_report_and_the_crash_are_found_in_the_log() {
        let log = "#2\tINITED cov: 3 ft: 4 corp: 1/1b\n#9\tDONE   cov: 8 ft: 9 corp: 2/5b\nDone 9 runs in 1 second(s)\n";
        assert_eq!(summary(log), "Done 9 runs in 1 second(s), cov: 8 ft: 9");
        assert_eq!(crash(log), "no input was written");
        let line = "artifact_prefix='c/'; Test unit written to c/crash-1";
        assert_eq!(crash(&format!("{log}{line}\n")), line);
    }
}
