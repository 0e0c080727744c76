//! A thousand documents open and watched: how long the start takes, what they hold in memory, what they cost while nothing
//! happens, and whether every one of as many saves at once is seen. Never counts a save that the owner did not take in.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use tokio::task::JoinSet;
use workspace::event::{ChangeKind, Event, Subscription};
use workspace::hub::Hub;
use workspace::owner;
use workspace::watch::{Options, Watched, Watcher};

use super::super::Size;
use super::super::age::resident;
use super::super::page::page;
use super::super::table::{bytes, time};
use super::{Figure, Wanted, runtime};

const DOCUMENTS: usize = 1_000;
const LENGTH: usize = 4_000;
/// How long the saves may take to be seen.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many documents are opened at the same time.
const OPENING: usize = 32;

pub(super) fn figures(folder: &Path, size: Size) -> Result<Vec<Figure>> {
    fs::create_dir_all(folder)?;
    let (documents, idle) = match size {
        Size::Full => (DOCUMENTS, Duration::from_secs(5)),
        Size::Smoke => (20, Duration::from_millis(50)),
    };
    let text = page(LENGTH);
    let names: Vec<String> = (0..documents).map(|number| format!("notes-{number}.md")).collect();
    for name in &names {
        fs::write(folder.join(name), &text)?;
    }
    runtime()?.block_on(measure(folder, &names, &text, idle))
}

async fn measure(folder: &Path, names: &[String], text: &str, idle: Duration) -> Result<Vec<Figure>> {
    let begun = Instant::now();
    let hub = workspace::project::open(folder, owner::Options::default())?;
    let (mut watcher, mut heard) = Watcher::start(Options::default(), Arc::new(|_: &Path| false))?;
    watcher.watch_root(hub.root())?;
    open_all(&hub, names).await?;
    let start = begun.elapsed();
    let mut tasks = JoinSet::new();
    let listening = hub.clone();
    tasks.spawn(async move {
        while let Some(watched) = heard.recv().await {
            match watched {
                Watched::FileChanged(path) => listening.file_changed(&path),
                Watched::Rescan => listening.rescan(),
            }
        }
    });
    let memory = resident()?;
    let before = cpu()?;
    tokio::time::sleep(idle).await;
    let busy = cpu()?.saturating_sub(before).as_secs_f64() / idle.as_secs_f64() * 100.0;
    let mut events = hub.subscribe();
    let begun = Instant::now();
    for name in names {
        fs::write(folder.join(name), format!("{text}A person typed this.\n"))?;
    }
    let seen = seen(&hub, &mut events, names.len()).await?;
    let took = begun.elapsed();
    hub.shutdown().await;
    let count = names.len();
    let figure = |name: String, ours: String, other: String, ratio: f64, wanted| Figure {
        name,
        ours,
        other,
        ratio,
        wanted,
    };
    let limit = Duration::from_secs(2);
    Ok(vec![
        figure(
            format!("{count} documents: start"),
            time(start),
            time(limit),
            super::times(start, limit),
            Wanted::AtMost(1.0),
        ),
        figure(
            format!("{count} documents: memory of the process"),
            bytes(memory),
            bytes(150_000_000),
            memory as f64 / 150e6,
            Wanted::AtMost(1.0),
        ),
        figure(
            format!("{count} documents: processor while idle"),
            format!("{busy:.2} %"),
            "1 %".to_owned(),
            busy,
            Wanted::AtMost(1.0),
        ),
        figure(
            format!("{count} saves at once: seen, in {}", time(took)),
            seen.to_string(),
            count.to_string(),
            seen as f64 / count as f64,
            Wanted::AtLeast(1.0),
        ),
    ])
}

async fn open_all(hub: &Hub, names: &[String]) -> Result<()> {
    let mut opening = JoinSet::new();
    for name in names {
        if opening.len() >= OPENING
            && let Some(opened) = opening.join_next().await
        {
            opened??;
        }
        let (hub, name) = (hub.clone(), name.clone());
        opening.spawn(async move { hub.document(&name).await.map(drop) });
    }
    while let Some(opened) = opening.join_next().await {
        opened??;
    }
    Ok(())
}

/// How many documents took in a save.
async fn seen(hub: &Hub, events: &mut Subscription, count: usize) -> Result<usize> {
    let mut paths = HashSet::new();
    let all = async {
        while paths.len() < count {
            match events.next().await {
                Some(Event::Changed(changed)) if changed.kind == ChangeKind::Saved => {
                    paths.insert(changed.path);
                }
                Some(Event::Changed(_)) => {}
                // More at once than a listener is kept waiting for: it reads the documents anew.
                Some(Event::Resync) => {
                    for path in hub.documents() {
                        let handle = hub.document(&path).await?;
                        if handle.read().text.ends_with("A person typed this.\n") {
                            paths.insert(path.as_str().into());
                        }
                    }
                }
                None => bail!("the hub was closed"),
            }
        }
        Ok(())
    };
    match tokio::time::timeout(PATIENCE, all).await {
        Ok(result) => result?,
        Err(_) => println!("not all saves were seen within {}", time(PATIENCE)),
    }
    Ok(paths.len())
}

/// What this process has used of the processor so far.
fn cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).context("the system does not tell")?;
    let of = |value: nix::sys::time::TimeVal| -> Result<Duration> {
        let (seconds, micros) = (u64::try_from(value.tv_sec())?, u32::try_from(value.tv_usec())?);
        Ok(Duration::new(seconds, micros * 1000))
    };
    Ok(of(usage.user_time())? + of(usage.system_time())?)
}
