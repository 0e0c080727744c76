//! The registry of benchmarks and long runs, and what they share: measuring in `measure`, printing in `table`.
//! Never judges a number; a benchmark prints, and a person or a test with a stated limit decides.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a person or a CI log reads what is printed")]

mod abort;
mod age;
mod gate;
mod io;
mod measure;
mod merge;
mod page;
mod run;
mod scan;
mod session;
mod soak;
mod store;
mod table;
mod talk;
mod tools;
mod tui;
mod web;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

/// How much work a benchmark does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Enough rounds for a number worth quoting.
    Full,
    /// One small round that shows the benchmark still runs.
    Smoke,
}

struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn(Size) -> Result<()>,
}

/// A new benchmark is a file in `bench/` and a line here.
const BENCHES: &[Bench] = &[
    Bench {
        name: "io",
        about: "what reading, replacing and durably replacing a file costs at least",
        run: io::run,
    },
    Bench {
        name: "merge",
        about: "a merge and a live flush beside copying, reading and writing, and git",
        run: merge::run,
    },
    Bench {
        name: "store",
        about: "the owner of documents beside bare writes: flushes, appends, watching, many workers",
        run: store::run,
    },
    Bench {
        name: "run",
        about: "the document of a run with 64 workers that append, beside a flush that nobody else wants anything from",
        run: run::run,
    },
    Bench { name: "scan", about: "finding the sections of a long document", run: scan::run },
    Bench {
        name: "tools",
        about: "searches beside ripgrep, and the memory that a long output of a command takes",
        run: tools::run,
    },
    Bench { name: "gate", about: "a verdict of the command gate", run: gate::run },
    Bench {
        name: "abort",
        about: "from a person's stop to the end of a turn, with a server that holds the connection",
        run: abort::run,
    },
    Bench {
        name: "session",
        about: "session documents beside the older agent-doc, and the flushes of a long stream",
        run: session::run,
    },
    Bench { name: "age", about: "a document after ten thousand flushes beside a fresh one", run: age::run },
    Bench {
        name: "tui",
        about: "what a person waits for in the terminal, with the real program and under a flood",
        run: tui::run,
    },
    Bench {
        name: "web",
        about: "what a person waits for in the Writer, beside a ping of its server",
        run: web::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    perform(&arguments).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn perform(arguments: &[&str]) -> Result<ExitCode> {
    match arguments {
        [] => println!("{}", list()),
        ["soak", rest @ ..] => return soak::soak(rest),
        ["--smoke"] => BENCHES.iter().try_for_each(|bench| measured(bench, Size::Smoke))?,
        [name, "--smoke"] => measured(named(name)?, Size::Smoke)?,
        [name] => measured(named(name)?, Size::Full)?,
        [_, unknown, ..] => bail!("a benchmark takes --smoke and nothing else, not {unknown}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn measured(bench: &Bench, size: Size) -> Result<()> {
    println!("{}: {}", bench.name, bench.about);
    (bench.run)(size)
}

fn named(name: &str) -> Result<&'static Bench> {
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("there is no benchmark {name}; there are:\n{}", list());
    };
    Ok(bench)
}

/// A folder for what benchmark `name` writes: on the disk of the project, where a temporary folder may be in memory.
fn folder(name: &str) -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../../target").join(format!("bench-{name}"))
}

fn list() -> String {
    let lines: Vec<String> =
        BENCHES.iter().map(|bench| format!("  {:<10} {}", bench.name, bench.about)).collect();
    lines.join("\n")
}
