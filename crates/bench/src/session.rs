//! Session documents beside the program that they come from: the same documents, the same agent, both taking turns.
//! Never judges the programs by wall time, which other work on the machine moves; only the first text is a matter of the clock.

mod beside;
mod first_text;
mod floor;
mod flushes;
mod stage;

use std::time::Duration;

use anyhow::Result;

use super::Size;
use super::io::Scratch;
use super::table::{Table, ratio, time};
use beside::{Pair, Programs};

/// The bytes of the documents that the targets are stated for.
const LENGTH: usize = 1_000_000;
const LENGTH_SMOKE: usize = 20_000;
/// How often a streamed answer is written, in milliseconds.
const INTERVAL: u64 = 200;

/// Prints what both programs cost, what a flush costs, and whether the targets are reached.
pub(crate) fn run(size: Size) -> Result<()> {
    // Not the folder for temporary files: that is often memory, where syncing costs nothing.
    let scratch = Scratch::new(crate::folder("session"))?;
    let folder = scratch.folder().canonicalize()?;
    if size == Size::Smoke {
        // The programs are built and fetched only for a number worth quoting.
        println!("{}", flushes::measure(&folder.join("flushes"), LENGTH_SMOKE, 20)?);
        return Ok(());
    }
    let programs = Programs::find(&folder)?;
    let diff = programs.diff(LENGTH)?;
    let write = programs.write(LENGTH)?;
    let answered = programs.run(LENGTH / 10)?;
    let first = programs.first_text(LENGTH)?;
    let mut table = Table::new(&["", "ours cpu", "peer cpu", "peer/ours", "ours wall", "peer wall"]);
    for (name, pair) in [
        ("diff, 1 MB", &diff),
        ("write --stream, 1 MB, merged", &write),
        ("run, 100 KB, without its agent", &answered),
        ("stream, 1 MB, to the first text", &first),
    ] {
        table.row(cells(name, pair));
    }
    println!("{table}");
    println!("{}", programs.floor(LENGTH)?.beside(&write.ours));
    let flushed = flushes::measure(&folder.join("flushes"), LENGTH, 2000)?;
    println!("{flushed}");
    say("diff: no more cpu than the peer", diff.ours.cpu <= diff.peer.cpu);
    say("a merged write of 1 MB: at least 20 times less cpu", write.peer.cpu >= write.ours.cpu * 20);
    say("run: no more cpu than the peer", answered.ours.cpu <= answered.peer.cpu);
    say("run: at most 50 ms of cpu", answered.ours.cpu <= Duration::from_millis(50));
    say("the first text no later than the peer's", first.ours.wall <= first.peer.wall);
    say("the first text within one interval", first.ours.wall <= Duration::from_millis(INTERVAL));
    say("a flush in at most 20 ms of cpu", flushed.middle <= Duration::from_millis(20));
    Ok(())
}

fn say(target: &str, is_reached: bool) {
    println!("{:<11} {target}", if is_reached { "reached" } else { "NOT reached" });
}

fn cells(name: &str, pair: &Pair) -> [String; 6] {
    let Pair { ours, peer } = pair;
    [
        name.to_owned(),
        time(ours.cpu),
        time(peer.cpu),
        ratio(peer.cpu, ours.cpu),
        time(ours.wall),
        time(peer.wall),
    ]
}
