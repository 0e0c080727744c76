//! What the owner of documents costs and holds: each figure beside a bare way of doing the same, or a stated limit, in one run.
//! Never judges by one round; where time is compared, both ways take turns.

mod appends;
mod bare;
mod flush;
mod watched;
mod workers;

use std::time::Duration;

use anyhow::Result;
use tokio::runtime::{Builder, Runtime};

use super::Size;
use super::io::Scratch;
use super::table::Table;

/// One line of the table.
pub(super) struct Figure {
    name: String,
    ours: String,
    /// The other way, or the limit.
    other: String,
    ratio: f64,
    wanted: Wanted,
}

/// What the ratio should be.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    AtMost(f64),
    AtLeast(f64),
    /// Only shown.
    Shown,
}

impl Figure {
    fn cells(&self) -> [String; 6] {
        let (wanted, is_reached) = match self.wanted {
            Wanted::AtMost(limit) => (format!("≤ {limit}"), Some(self.ratio <= limit)),
            Wanted::AtLeast(limit) => (format!("≥ {limit}"), Some(self.ratio >= limit)),
            Wanted::Shown => (String::new(), None),
        };
        let verdict = match is_reached {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "",
        };
        let ratio = format!("{:.2}", self.ratio);
        [self.name.clone(), self.ours.clone(), self.other.clone(), ratio, wanted, verdict.to_owned()]
    }
}

/// Prints one row for each figure.
pub(crate) fn run(size: Size) -> Result<()> {
    // Not the folder for temporary files: that is often memory, where syncing costs nothing.
    let scratch = Scratch::new(crate::folder("store"))?;
    let mut figures = Vec::new();
    // First, while this process holds nothing else.
    figures.extend(watched::figures(&scratch.folder().join("watched"), size)?);
    figures.extend(flush::figures(&scratch.folder().join("flush"), size)?);
    figures.push(appends::figure(&scratch.folder().join("appends"), size)?);
    figures.extend(workers::figures(&scratch.folder().join("workers"), size)?);
    let mut table = Table::new(&["name", "ours", "peer or limit", "ratio", "wanted", ""]);
    for figure in figures {
        table.row(figure.cells());
    }
    println!("{table}");
    Ok(())
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_multi_thread().enable_all().build()?)
}

/// How many times `base` fits into `duration`.
fn times(duration: Duration, base: Duration) -> f64 {
    duration.as_secs_f64() / base.as_secs_f64().max(f64::MIN_POSITIVE)
}
