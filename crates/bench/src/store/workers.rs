//! Many workers write lines at a steady pace, each in its own section of one document. Never passes with a line that is missing,
//! doubled or out of order.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::hub::Hub;
use workspace::owner::Options;

use super::super::Size;
use super::super::table::time;
use super::{Figure, Wanted, runtime, times};

const WORKERS: usize = 64;
const LINES_PER_SECOND: usize = 20;
const SECONDS: usize = 30;

pub(super) fn figures(folder: &Path, size: Size) -> Result<[Figure; 2]> {
    fs::create_dir_all(folder)?;
    let (workers, seconds) = if size == Size::Full { (WORKERS, SECONDS) } else { (8, 1) };
    let lines = LINES_PER_SECOND * seconds;
    let mut text = "# Run\n".to_owned();
    for worker in 0..workers {
        text.push_str(&format!("\n## W{worker}\n<!-- proposal -->\n"));
    }
    let path = folder.join("plan.md");
    fs::write(&path, text)?;
    let runtime = runtime()?;
    let hub = workspace::project::open(folder, Options::default())?;
    let begun = Instant::now();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for worker in 0..workers {
            tasks.spawn(work(hub.clone(), worker, lines));
        }
        while let Some(done) = tasks.join_next().await {
            done.context("a worker stopped")??;
        }
        anyhow::Ok(())
    })?;
    let took = begun.elapsed();
    runtime.block_on(hub.shutdown());
    let written = fs::read_to_string(&path)?;
    let (total, wanted) = (workers * lines, Duration::from_secs(seconds as u64));
    let right = (0..workers).map(|worker| in_order(&written, worker)).sum::<usize>();
    let all = written.lines().filter(|line| line.starts_with('W')).count();
    ensure!((right, all) == (total, total), "{right} of {all} lines are right, and there should be {total}");
    let name = format!("{workers} workers × {LINES_PER_SECOND} lines a second");
    Ok([
        Figure {
            name: format!("{name}: each line once"),
            ours: right.to_string(),
            other: total.to_string(),
            ratio: right as f64 / total as f64,
            wanted: Wanted::AtLeast(1.0),
        },
        Figure {
            name: format!("{name}: time taken"),
            ours: time(took),
            other: time(wanted),
            ratio: times(took, wanted),
            wanted: if size == Size::Full { Wanted::AtMost(1.05) } else { Wanted::Shown },
        },
    ])
}

/// One worker at its pace. What is late is made up for.
async fn work(hub: Hub, worker: usize, lines: usize) -> Result<()> {
    let mut pace = interval(Duration::from_millis(1000 / LINES_PER_SECOND as u64));
    pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0..lines {
        pace.tick().await;
        let (path, section) = ("plan.md".to_owned(), format!("W{worker}"));
        let content = format!("W{worker} line {number}");
        let append = FileCommand::AppendSection { path, section: section.clone(), content };
        let request = append.by(Actor::Worker(section)).named(format!("{worker}-{number}"));
        let reply = hub.execute(request).await;
        ensure!(matches!(reply.result, FileResult::Written { .. }), "a line failed: {:?}", reply.result);
    }
    Ok(())
}

/// How many lines of a worker stand in their order.
fn in_order(text: &str, worker: usize) -> usize {
    let start = format!("W{worker} line ");
    let numbers = text.lines().filter_map(|line| line.strip_prefix(&start));
    numbers.enumerate().take_while(|(index, number)| index.to_string() == *number).count()
}
