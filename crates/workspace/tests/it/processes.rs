//! Several processes that open one document in turn, as commands do, while a person saves it. The children are this test binary,
//! started again.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::child;
use crate::editor::{Habits, Style, Wording, missing, work};
use crate::site::{PLAN, append, is_written, log, options};

const CHILDREN: usize = 4;
const OPENINGS: usize = 25;
const APPENDS: usize = 50;

#[tokio::test]
async fn child_that_opens_and_writes() {
    if !child::is_child() {
        return;
    }
    let told = child::told();
    let (number, folder) = told.split_once(' ').unwrap();
    println!("ready");
    for opening in 0..OPENINGS {
        let hub = workspace::project::open(&PathBuf::from(folder), options()).unwrap();
        // While another process has the document, this one waits for its turn.
        let handle = loop {
            match hub.document("plan.md").await {
                Ok(handle) => break handle,
                Err(refusal) => assert!(refusal.message.contains("another agent-doc"), "{}", refusal.message),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let mut writing = JoinSet::new();
        for line in 0..APPENDS {
            let (handle, line) = (handle.clone(), format!("p{number} o{opening} l{line}"));
            writing.spawn(async move { handle.execute(append("plan.md", &line).by(log())).await });
        }
        while let Some(reply) = writing.join_next().await {
            let reply = reply.unwrap();
            assert!(is_written(&reply), "{reply:?}");
        }
        hub.shutdown().await;
    }
}

// DS-26
#[test]
fn processes_that_open_one_document_in_turn_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    fs::write(&path, PLAN).unwrap();
    let start = |number| {
        let tell = format!("{number} {}", folder.path().display());
        child::start("processes::child_that_opens_and_writes", &tell)
    };
    let children: Vec<_> = (0..CHILDREN).map(start).collect();
    let habits = Habits {
        saves: 100,
        reloads: 100,
        deletes: 0,
        pause_max: Duration::from_millis(20),
        wording: Wording::Sentences,
    };
    let done = work(&path, Style::Rename, habits, 4);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let hub = workspace::project::open(folder.path(), options()).unwrap();
    let text = runtime.block_on(hub.document("plan.md")).unwrap().read().text;
    runtime.block_on(hub.shutdown());
    let mut lines: Vec<&str> =
        text.lines().filter(|line| line.starts_with('p') && line.contains(" o")).collect();
    let written = lines.len();
    lines.sort_unstable();
    lines.dedup();
    let lost = CHILDREN * OPENINGS * APPENDS - lines.len();
    let lost_saves = missing(&text, &done.written).len();
    println!(
        "{} writes of {CHILDREN} processes: {lost} lost, {} doubled; {} saves: {lost_saves} lost",
        CHILDREN * OPENINGS * APPENDS,
        written - lines.len(),
        done.written.len()
    );
    assert_eq!((lost, written - lines.len(), lost_saves), (0, 0, 0));
}
