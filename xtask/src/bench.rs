//! The registry of benchmarks and what they share: measuring in `measure`, printing in `table`.
//! Never judges a number; a benchmark prints, and a person or a test with a stated limit decides.

mod age;
mod io;
mod measure;
mod merge;
mod page;
mod scan;
mod store;
mod table;
mod web;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::process;

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
    Bench { name: "scan", about: "finding the sections of a long document", run: scan::run },
    Bench { name: "age", about: "a document after ten thousand flushes beside a fresh one", run: age::run },
    Bench {
        name: "web",
        about: "what a person waits for in the Writer, beside a ping of its server",
        run: web::run,
    },
];

/// `[NAME] [--smoke]`; without a name, the list.
pub(crate) fn bench(arguments: &[String]) -> Result<ExitCode> {
    let size = if arguments.iter().any(|argument| argument == "--smoke") { Size::Smoke } else { Size::Full };
    let Some(name) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        println!("{}", list());
        return Ok(ExitCode::SUCCESS);
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("there is no benchmark {name}; there are:\n{}", list());
    };
    if size == Size::Full && cfg!(debug_assertions) {
        // `cargo xtask` builds quickly and runs slowly; a number worth quoting comes from the optimised build.
        let mut optimised = process::cargo();
        optimised.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", name]);
        process::stream(&mut optimised)?;
        return Ok(ExitCode::SUCCESS);
    }
    (bench.run)(size)?;
    Ok(ExitCode::SUCCESS)
}

/// Every benchmark once, small; a step of `cargo xtask test`.
pub(crate) fn smoke() -> Result<()> {
    for bench in BENCHES {
        println!("{}: {}", bench.name, bench.about);
        (bench.run)(Size::Smoke)?;
    }
    Ok(())
}

fn list() -> String {
    let lines: Vec<String> =
        BENCHES.iter().map(|bench| format!("  {:<10} {}", bench.name, bench.about)).collect();
    lines.join("\n")
}
