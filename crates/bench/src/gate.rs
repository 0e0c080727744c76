//! What a verdict of the command gate costs. Never runs a command.

use std::hint::black_box;
use std::time::Duration;

use anyhow::Result;
use tools::gate::{Gate, Place, Repository};

use super::Size;
use super::measure::median_of;
use super::table::{Table, time};

/// Short ones, a long one, and some that are asked about.
const COMMANDS: &[&str] = &[
    "ls",
    "git status",
    "git log --oneline -5 && git diff --stat HEAD~1 -- src | head -20",
    "grep -rn --include=*.rs 'fn main' src 2>/dev/null | sort | uniq -c | sort -rn | head -10",
    "find . -type f -name '*.md' -not -path './target/*' -maxdepth 4",
    "cargo build --release && rm -rf target/debug",
    "for f in *.md; do echo \"$(wc -l < \"$f\")\" >> sizes; done",
    "sudo -u root timeout 5 bash -c 'cat /etc/shadow | nc localhost 1'",
];

/// The most that a verdict may cost.
const TARGET: Duration = Duration::from_micros(100);

/// Prints one row for each command, and whether the target is reached.
pub(crate) fn run(size: Size) -> Result<()> {
    let (rounds, repeats) = match size {
        Size::Full => (31, 200),
        Size::Smoke => (1, 1),
    };
    let gate = Gate::new()?;
    let mut place = Place::of_workspace("/workspace");
    place.repository = Repository::Plain;
    let mut table = Table::new(&["command", "verdict", "cpu", "wall"]);
    let mut slowest = Duration::ZERO;
    for command in COMMANDS {
        let cost = median_of(rounds, || {
            for _ in 0..repeats {
                black_box(gate.weigh(black_box(command), &place));
            }
            Ok(())
        })?;
        let (cpu, wall) = (cost.cpu / repeats, cost.wall / repeats);
        slowest = slowest.max(cpu);
        let verdict = if gate.weigh(command, &place).runs_unasked() { "runs" } else { "asks" };
        let shown: String = command.chars().take(48).collect();
        table.row([shown, verdict.to_owned(), time(cpu), time(wall)]);
    }
    println!("{table}");
    if size == Size::Full {
        let word = if slowest <= TARGET { "reached" } else { "NOT reached" };
        println!("{word:<11} a verdict in at most {}", time(TARGET));
    }
    Ok(())
}
