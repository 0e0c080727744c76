//! What a person waits for in the terminal: the real program behind a pseudo-terminal, and the fold under a flood. Never counts a
//! picture that did not arrive.

mod flood;
mod program;

use std::time::Duration;

use anyhow::{Context as _, Result};

use super::Size;
use super::table::{Table, time};

/// What each line may take at most.
const DIALOG: Duration = Duration::from_millis(100);
const CANCEL: Duration = Duration::from_millis(50);
const FRAME: Duration = Duration::from_millis(16);
const ECHO: Duration = Duration::from_millis(30);

/// Prints the times, and whether they are what was promised.
pub(crate) fn run(size: Size) -> Result<()> {
    let (rounds, turns) = match size {
        Size::Full => (200, 1000),
        Size::Smoke => (3, 20),
    };
    let mut table = Table::new(&["the terminal", "p50", "p99", "longest", "promised"]);
    let mut missed = Vec::new();
    let mut line = |name: &str, mut times: Vec<Duration>, limit: Duration| -> Result<()> {
        times.sort();
        let at =
            |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied();
        let (half, most) = (at(50).context("nothing was measured")?, at(99).context("nothing was measured")?);
        let longest = times.last().copied().unwrap_or_default();
        table.row([name.to_owned(), time(half), time(most), time(longest), time(limit)]);
        if most > limit {
            missed.push(name.to_owned());
        }
        Ok(())
    };
    let program = program::measured(rounds)?;
    line("the request of a tool to the question on the screen", program.dialogs, DIALOG)?;
    line("escape to the end of the turn on the screen", program.cancels, CANCEL)?;
    line("key to letter, while an answer streams", program.echoes, ECHO)?;
    let flood = flood::frames(size)?;
    line("a frame, while 10 MB of output and 200 tokens/s arrive", flood, FRAME)?;
    let long = flood::turns(turns)?;
    line(&format!("key to letter, over {turns} turns"), long.echoes, ECHO)?;
    println!("{table}");
    let share =
        |kilobytes: u64| format!("{:.1} MB", f64::from(u32::try_from(kilobytes).unwrap_or(u32::MAX)) / 1e3);
    println!(
        "memory after {} turns {}, after {turns} turns {}",
        turns / 10,
        share(long.early),
        share(long.late)
    );
    let grown = long.late.saturating_sub(long.early) * 100 / long.early.max(1);
    let word = if grown <= 10 { "reached" } else { "NOT reached" };
    println!("{word:<11} memory grows by {grown} %, at most 10 %");
    for name in missed {
        println!("NOT reached {name}");
    }
    Ok(())
}
