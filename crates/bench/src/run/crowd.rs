//! Many at once: a crowd whose lines all come in the same moment, and a person who saves while a worker floods the document. Never
//! passes with a line that is missing.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tokio::task::JoinSet;
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::hub::Hub;

/// Who comes at once, and with how many lines.
const CROWD: usize = 100;
const LINES: usize = 10;
/// How many lines the flood has, and how many of them wait at a time.
const FLOOD: usize = 10_000;
const AT_ONCE: usize = 512;
/// How often the person saves during the flood.
const SAVES: usize = 20;

/// All lines of the crowd, and each of them.
pub(super) struct Crowd {
    pub(super) all: Duration,
    pub(super) each: Vec<Duration>,
}

/// A hundred workers add ten lines each to two sections, all at once.
pub(super) async fn crowd(hub: &Hub, path: &str) -> Result<Crowd> {
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for writer in 0..CROWD {
        let (hub, path) = (hub.clone(), path.to_owned());
        tasks.spawn(async move {
            let mut each = Vec::with_capacity(LINES);
            for number in 0..LINES {
                let words = format!("Crowd {writer} says {number}.");
                each.push(append(&hub, &path, writer % 2, words).await?);
            }
            anyhow::Ok(each)
        });
    }
    let mut each = Vec::new();
    while let Some(done) = tasks.join_next().await {
        each.extend(done.context("one of the crowd stopped")??);
    }
    let all = begun.elapsed();
    let text = hub.document(path).await?.read().text;
    let count = text.lines().filter(|line| line.starts_with("Crowd ")).count();
    ensure!(count == CROWD * LINES, "{count} lines of the crowd are there");
    Ok(Crowd { all, each })
}

/// How long each save of a person takes while one worker floods the document.
pub(super) async fn saves_in_a_flood(hub: &Hub, path: &str) -> Result<Vec<Duration>> {
    let mut flood = JoinSet::new();
    let mut took = Vec::new();
    for number in 0..FLOOD {
        if flood.len() >= AT_ONCE {
            flood.join_next().await.context("there is no flood")?.context("the flood stopped")??;
        }
        let (own_hub, own_path) = (hub.clone(), path.to_owned());
        flood.spawn(async move { append(&own_hub, &own_path, 0, format!("Flood {number}.")).await });
        if number % (FLOOD / SAVES) == 0 {
            took.push(saved(hub, path, number).await?);
        }
    }
    while let Some(done) = flood.join_next().await {
        done.context("the flood stopped")??;
    }
    let text = hub.document(path).await?.read().text;
    let count = text.lines().filter(|line| line.starts_with("Flood ")).count();
    ensure!(count == FLOOD, "{count} lines of the flood are there");
    Ok(took)
}

async fn append(hub: &Hub, path: &str, worker: usize, content: String) -> Result<Duration> {
    let section = format!("W{worker}");
    let append = FileCommand::AppendSection { path: path.to_owned(), section: section.clone(), content };
    let begun = Instant::now();
    let reply = hub.execute(append.by(Actor::Worker(section))).await;
    ensure!(matches!(reply.result, FileResult::Written { .. }), "a line failed: {:?}", reply.result);
    Ok(begun.elapsed())
}

/// The person adds a line to their own section.
async fn saved(hub: &Hub, path: &str, number: usize) -> Result<Duration> {
    let (section, content) = ("User".to_owned(), format!("Mine {number}."));
    let save = FileCommand::AppendSection { path: path.to_owned(), section, content };
    let begun = Instant::now();
    let reply = hub.execute(save.by(Actor::User("user".to_owned()))).await;
    ensure!(matches!(reply.result, FileResult::Written { .. }), "a save failed: {:?}", reply.result);
    Ok(begun.elapsed())
}
