//! What finding the sections of a long document costs, beside counting its lines. Never looks at what the sections hold.

use std::hint::black_box;
use std::time::Duration;

use anyhow::Result;

use super::Size;
use super::measure::median_of;
use super::page::page;
use super::table::{Table, bytes, ratio, time};

/// Prints one row, and whether the target is reached.
pub(crate) fn run(size: Size) -> Result<()> {
    let (length, rounds) = match size {
        Size::Full => (10_000_000, 7),
        Size::Smoke => (10_000, 1),
    };
    let text = page(length);
    let lines = median_of(rounds, || Ok(memchr::memchr_iter(b'\n', black_box(text.as_bytes())).count()))?;
    let scan = median_of(rounds, || Ok(document::section::find_sections(&text)))?;
    let mut table = Table::new(&["cpu", "sections", "count lines", "find sections", "slower"]);
    table.row([
        bytes(length),
        document::section::find_sections(&text).len().to_string(),
        time(lines.cpu),
        time(scan.cpu),
        ratio(scan.cpu, lines.cpu),
    ]);
    println!("{table}");
    if size == Size::Full {
        let is_reached = scan.cpu <= Duration::from_secs(1);
        println!("{:<11} 10 MB in at most 1 s", if is_reached { "reached" } else { "NOT reached" });
    }
    Ok(())
}
