//! Many workers append to one document, beside one bare write of the whole file for each append. Never counts an append that was
//! not acknowledged.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use tokio::task::JoinSet;
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::hub::Hub;
use workspace::owner::Options;

use super::super::Size;
use super::super::measure::median;
use super::super::page::page;
use super::super::table::time;
use super::{Figure, Wanted, bare, runtime, times};

const LENGTH: usize = 10_000;
const WORKERS: usize = 100;
const APPENDS: usize = 10;
/// Both ways take turns; a disk that is held up once decides nothing.
const ROUNDS: usize = 3;

pub(super) fn figure(folder: &Path, size: Size) -> Result<Figure> {
    fs::create_dir_all(folder)?;
    let (workers, rounds) = if size == Size::Full { (WORKERS, ROUNDS) } else { (4, 1) };
    let text = format!("{}\n## Log\n\n", page(LENGTH));
    let runtime = runtime()?;
    let hub = workspace::project::open(folder, Options::default())?;
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let name = format!("plan-{round}.md");
        let path = folder.join(&name);
        fs::write(&path, &text)?;
        let begun = Instant::now();
        runtime.block_on(append_all(&hub, &name, workers))?;
        ours.push(begun.elapsed());
        let written = fs::read_to_string(&path)?;
        let count = written.lines().filter(|line| line.starts_with("Worker ")).count();
        ensure!(count == workers * APPENDS, "{count} lines are there, not {}", workers * APPENDS);
        let begun = Instant::now();
        write_each(&folder.join("bare.md"), text.clone(), workers)?;
        others.push(begun.elapsed());
    }
    runtime.block_on(hub.shutdown());
    let (ours, other) = (median(ours).context("no rounds")?, median(others).context("no rounds")?);
    Ok(Figure {
        name: format!("a bare write for each append / {workers} workers × {APPENDS} appends"),
        ours: time(ours),
        other: time(other),
        ratio: times(other, ours),
        wanted: if size == Size::Full { Wanted::AtLeast(10.0) } else { Wanted::Shown },
    })
}

/// All workers at once, each waiting for the answer before it goes on.
async fn append_all(hub: &Hub, name: &str, workers: usize) -> Result<()> {
    let mut tasks = JoinSet::new();
    for worker in 0..workers {
        let (hub, name) = (hub.clone(), name.to_owned());
        tasks.spawn(async move {
            for number in 0..APPENDS {
                let (path, section) = (name.clone(), "Log".to_owned());
                let content = format!("Worker {worker} says line {number}.");
                let append = FileCommand::AppendSection { path, section, content };
                let reply = hub.execute(append.by(Actor::User("user".to_owned()))).await;
                let is_written = matches!(reply.result, FileResult::Written { .. });
                ensure!(is_written, "an append failed: {:?}", reply.result);
            }
            Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.context("a worker stopped")??;
    }
    Ok(())
}

/// As many appends, each with a bare write of the whole text.
fn write_each(path: &Path, mut text: String, workers: usize) -> Result<()> {
    fs::write(path, &text)?;
    for number in 0..workers * APPENDS {
        text.push_str(&format!("Worker 0 says line {number}.\n"));
        bare::exchange(path, &text)?;
    }
    Ok(())
}
