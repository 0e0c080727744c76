//! What thousands of flushes leave behind in a living document: time, memory and size beside a fresh one with the same text.
//! Never counts single allocations: memory is what the system says this process holds.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use document::Document;

use super::Size;
use super::measure::{median, once};
use super::merge::{Live, Peers};
use super::page::{page, three_lines_changed};
use super::table::{Table, bytes, ratio, time};

/// So many bytes an agent adds in each flush that the text ends at about a megabyte.
const ADDED_BYTES: usize = 90;

/// Prints a row without peers and one with them.
pub(crate) fn run(size: Size) -> Result<()> {
    let (length, flushes, sample) = match size {
        Size::Full => (100_000, 10_000, 200),
        Size::Smoke => (5_000, 8, 2),
    };
    let mut table = Table::new(&[
        "cpu of a flush",
        "text",
        "first",
        "last",
        "fresh",
        "last/fresh",
        "memory",
        "fresh memory",
        "state",
        "state/text",
        "decode",
    ]);
    for (name, peers) in [("no peers", Peers::None), ("peers", Peers::Some)] {
        let mut cells = vec![format!("{name}, {flushes} flushes")];
        cells.extend(row(length, flushes, sample, peers)?);
        table.row(cells);
    }
    println!("{table}");
    Ok(())
}

fn row(length: usize, flushes: usize, sample: usize, peers: Peers) -> Result<[String; 10]> {
    let before = resident()?;
    let mut aged = Live::open(&page(length), peers)?;
    let added = format!("{}\n", "w".repeat(ADDED_BYTES - 1));
    let mut costs = Vec::with_capacity(flushes);
    for stamp in 0..flushes {
        let saved = three_lines_changed(aged.document().text(), stamp);
        costs.push(once(|| aged.flush(&saved, &added))?.0.cpu);
    }
    let memory = resident()?.saturating_sub(before);
    let before = resident()?;
    let mut fresh = Live::open(aged.document().text(), peers)?;
    let fresh_costs = (0..sample)
        .map(|stamp| {
            let saved = three_lines_changed(fresh.document().text(), stamp);
            Ok(once(|| fresh.flush(&saved, &added))?.0.cpu)
        })
        .collect::<Result<Vec<Duration>>>()?;
    let fresh_memory = resident()?.saturating_sub(before);
    let middle = |costs: &[Duration]| median(costs.to_vec()).context("no rounds");
    let first = middle(costs.get(..sample).unwrap_or_default())?;
    let last = middle(costs.get(flushes - sample..).unwrap_or_default())?;
    let fresh_cost = middle(&fresh_costs)?;
    let state = aged.document().encode();
    let (decode, _) = once(|| Ok(Document::decode(&state)?))?;
    let text = aged.document().text().len();
    Ok([
        bytes(text),
        time(first),
        time(last),
        time(fresh_cost),
        ratio(last, fresh_cost),
        bytes(memory),
        bytes(fresh_memory),
        bytes(state.len()),
        format!("{:.2}×", state.len() as f64 / text as f64),
        time(decode.cpu),
    ])
}

/// The memory that this process holds.
pub(super) fn resident() -> Result<usize> {
    let status =
        fs::read_to_string("/proc/self/status").context("this system does not tell what a process holds")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS")?;
    Ok(kilobytes.parse::<usize>()? * 1024)
}
