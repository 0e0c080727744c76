//! Many workers append to one document, beside one bare write of the whole file for each append. Never counts an append that was
//! not acknowledged.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use tokio::task::JoinSet;
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::owner::Options;

use super::super::Size;
use super::super::page::page;
use super::super::table::time;
use super::{Figure, Wanted, bare, runtime, times};

const LENGTH: usize = 10_000;
const WORKERS: usize = 100;
const APPENDS: usize = 10;

pub(super) fn figure(folder: &Path, size: Size) -> Result<Figure> {
    fs::create_dir_all(folder)?;
    let workers = if size == Size::Full { WORKERS } else { 4 };
    let text = format!("{}\n## Log\n\n", page(LENGTH));
    let path = folder.join("plan.md");
    fs::write(&path, &text)?;
    let runtime = runtime()?;
    let hub = workspace::project::open(folder, Options::default())?;
    let begun = Instant::now();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for worker in 0..workers {
            let hub = hub.clone();
            tasks.spawn(async move {
                for number in 0..APPENDS {
                    let (path, section) = ("plan.md".to_owned(), "Log".to_owned());
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
        anyhow::Ok(())
    })?;
    let ours = begun.elapsed();
    runtime.block_on(hub.shutdown());
    let written = fs::read_to_string(&path)?;
    let count = written.lines().filter(|line| line.starts_with("Worker ")).count();
    ensure!(count == workers * APPENDS, "{count} lines are there, not {}", workers * APPENDS);
    let (bare_path, mut whole) = (folder.join("bare.md"), text);
    fs::write(&bare_path, &whole)?;
    let begun = Instant::now();
    for number in 0..workers * APPENDS {
        whole.push_str(&format!("Worker 0 says line {number}.\n"));
        bare::exchange(&bare_path, &whole)?;
    }
    let other = begun.elapsed();
    Ok(Figure {
        name: format!("a bare write for each append / {workers} workers × {APPENDS} appends"),
        ours: time(ours),
        other: time(other),
        ratio: times(other, ours),
        wanted: if size == Size::Full { Wanted::AtLeast(10.0) } else { Wanted::Shown },
    })
}
