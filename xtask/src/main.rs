//! All automation of the project, in Rust: run, test, tidy, bench, fuzz, soak, conformance. Never holds product logic.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a person or a CI log reads what the commands print"
)]

mod bench;
mod conformance;
mod coverage;
mod fuzz;
mod needs;
mod page;
mod process;
mod report;
mod run;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  run [ARGS…]                     build for release and run `agent-doc` with ARGS
  test [FILTER…]                  everything CI runs; with FILTER, only the tests whose name contains it
  tidy                            format, lints, docs, and the project's own rules
  bench [NAME] [--smoke]          one benchmark, or the list of them
  coverage                        how many lines of agent, models, tools and tui the tests run through
  fuzz [TARGET] [--seconds N]     one fuzz target, or all of them
  codegen                         write the types that the page shares with the server
  pictures                        take the pictures of the README anew
  soak saves|kill|turns [--count N]
                                  saves that race the writer, a writer that is killed, turns of a conversation: many times over
  conformance [NAME]              checks against programs of others, which are fetched; sse, sdk, llama, shell, mcp, join, agents, yjs";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The message names what failed; a backtrace of the automation helps nobody.
    perform(&arguments).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn perform(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        bail!("which command?\n\n{USAGE}");
    };
    match command.as_str() {
        "run" => run::run(rest),
        "test" => test::test(rest),
        "tidy" => tidy::tidy(),
        "bench" => bench::bench(rest),
        "coverage" => coverage::coverage(rest),
        "fuzz" => fuzz::fuzz(rest),
        "codegen" => page::codegen().map(|()| ExitCode::SUCCESS),
        "pictures" => page::pictures().map(|()| ExitCode::SUCCESS),
        "soak" => bench::soak(rest),
        "conformance" => conformance::conformance(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        unknown => bail!("there is no command {unknown}\n\n{USAGE}"),
    }
}
