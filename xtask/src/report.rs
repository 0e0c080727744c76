//! Runs named steps, all of them, and says at the end which failed and how long each took.
//! Never stops at the first failure and never skips: a person wants to see every failure of a run at once.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

/// A part of a run: what to call it, and what it does.
pub(crate) type Step = (&'static str, fn() -> Result<()>);

/// Runs `steps` in order and prints the summary; the last line counts them.
pub(crate) fn run(steps: &[Step]) -> ExitCode {
    let outcomes: Vec<Outcome> = steps.iter().map(perform).collect();
    println!("\n{}", summary(&outcomes));
    if outcomes.iter().all(|outcome| outcome.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Outcome {
    name: &'static str,
    took: Duration,
    passed: bool,
}

fn perform((name, work): &Step) -> Outcome {
    println!("\n== {name}");
    let start = Instant::now();
    let result = work();
    if let Err(error) = &result {
        println!("{name} failed: {error:#}");
    }
    Outcome { name, took: start.elapsed(), passed: result.is_ok() }
}

fn summary(outcomes: &[Outcome]) -> String {
    let width = outcomes.iter().map(|outcome| outcome.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Outcome { name, took, passed } in outcomes {
        let word = if *passed { "passed" } else { "FAILED" };
        // Writing to a String cannot fail.
        writeln!(text, "{name:<width$}  {:>7.1} s  {word}", took.as_secs_f64()).ok();
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    write!(text, "{passed} passed, {} failed", outcomes.len() - passed).ok();
    text
}

#[cfg(test)]
mod tests {
    use super::{Outcome, summary};
    use std::time::Duration;

    #[test]
    fn the_last_line_counts_the_steps() {
        let outcome = |name, passed| Outcome { name, took: Duration::from_millis(1500), passed };
        assert_eq!(
            summary(&[outcome("tidy", true), outcome("doctests", false)]),
            "tidy          1.5 s  passed\ndoctests      1.5 s  FAILED\n1 passed, 1 failed"
        );
    }
}
