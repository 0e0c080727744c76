//! What a person waits for in the terminal: the real program behind a pseudo-terminal, and the fold under a flood. Never counts a
//! picture that did not arrive.

mod flood;
mod long;
mod moments;
mod program;

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::Size;
use super::table::{Table, time};

/// What each line may take at most.
const DIALOG: Duration = Duration::from_millis(100);
const CANCEL: Duration = Duration::from_millis(50);
const FRAME: Duration = Duration::from_millis(16);
const ECHO: Duration = Duration::from_millis(30);
/// By how much memory may grow or shrink, of a hundred.
const MEMORY: u64 = 10;

/// The lines that are printed, and those that promise more than was kept.
struct Report {
    table: Table,
    missed: Vec<String>,
}

impl Report {
    /// One line, whose 99th of a hundred must be within the limit.
    fn line(&mut self, name: &str, times: Vec<Duration>, limit: Duration) -> Result<()> {
        let most = self.row(name, times, limit)?.0;
        self.judge(name, most, limit);
        Ok(())
    }

    /// One line, all of which must be.
    fn whole(&mut self, name: &str, times: Vec<Duration>, limit: Duration) -> Result<()> {
        let longest = self.row(name, times, limit)?.1;
        self.judge(name, longest, limit);
        Ok(())
    }

    fn row(&mut self, name: &str, mut times: Vec<Duration>, limit: Duration) -> Result<(Duration, Duration)> {
        times.sort();
        let at =
            |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied();
        let (half, most) = (at(50).context("nothing was measured")?, at(99).context("nothing was measured")?);
        let longest = times.last().copied().unwrap_or_default();
        self.table.row([name.to_owned(), time(half), time(most), time(longest), time(limit)]);
        Ok((most, longest))
    }

    fn judge(&mut self, name: &str, took: Duration, limit: Duration) {
        if took > limit {
            self.missed.push(name.to_owned());
        }
    }

    /// What a long conversation did to memory.
    fn memory(&mut self, name: &str, turns: usize, early: u64, late: u64) -> String {
        let share = early.abs_diff(late) * 100 / early.max(1);
        if share > MEMORY {
            self.missed.push(format!("memory of {name}"));
        }
        format!(
            "{name}: {early} kB after {} turns, {late} kB after {turns}, which is {share} % of a difference",
            turns / 10
        )
    }
}

/// Prints the times, and whether they are what was promised. Where many were measured, a promise that was not kept is an error.
pub(crate) fn run(size: Size) -> Result<()> {
    let (rounds, turns) = match size {
        Size::Full => (200, 1000),
        Size::Smoke => (2, 10),
    };
    let columns = ["the terminal", "p50", "p99", "longest", "promised"];
    let mut report = Report { table: Table::new(&columns), missed: Vec::new() };
    let moments = moments::measured(rounds)?;
    report.line("the request of a tool to the question on the screen", moments.dialogs, DIALOG)?;
    report.line("escape at a question to the end on the screen", moments.cancels_at_dialogs, CANCEL)?;
    report.line("escape in a stream to the end on the screen", moments.cancels_in_streams, CANCEL)?;
    report.line("escape in a command to the end on the screen", moments.cancels_in_tools, CANCEL)?;
    report.line("key to letter, while 200 tokens/s arrive", moments.echoes, ECHO)?;
    let flood = long::flood(size)?;
    report.line("key to letter, while 10 MB of output and then 200 tokens/s arrive", flood, ECHO)?;
    let long = long::turns(turns)?;
    report.whole(&format!("key to letter, over {turns} turns"), long.echoes, ECHO)?;
    // Before the flood, which leaves this process larger than it was.
    let fold = flood::turns(turns)?;
    report.whole(&format!("the same in the fold alone, over {turns} turns"), fold.echoes, ECHO)?;
    let frames = flood::frames(size)?;
    report.line("a frame of the fold, while 10 MB of output and 200 tokens/s arrive", frames, FRAME)?;
    let memory = [
        report.memory("the program", turns, long.early, long.late),
        report.memory("the fold", turns, fold.early, fold.late),
    ];
    println!("{}", report.table);
    println!("{}", memory.join("\n"));
    for name in &report.missed {
        println!("NOT reached {name}");
    }
    if size == Size::Full && !report.missed.is_empty() {
        bail!("{} of the promises were not kept", report.missed.len());
    }
    Ok(())
}
