//! Saves that race a writer: the store, and beside it the usual way, which reads, merges and renames. Never judges the usual way; its
//! losses are printed to compare with.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use document::{Author, Document};
use workspace::keeper::KeeperError;
use workspace::store::{Options, StoredFile, flush};

use super::editor::{Dice, START, STYLES, Style, missing, work};

/// So many saves go into one file, so that it stays as long as documents are.
const SAVES_PER_FILE: usize = 1_000;

#[derive(Debug, Clone, Copy)]
enum Way {
    Store,
    Usual,
}

#[derive(Default)]
struct Tally {
    saves: usize,
    lost: usize,
    agent_lines: usize,
    agent_lost: usize,
}

/// `count` saves of each style against each way.
pub(super) fn run(count: usize) -> Result<()> {
    let mut lost = 0;
    for style in STYLES {
        for way in [Way::Store, Way::Usual] {
            let begun = Instant::now();
            let mut tally = Tally::default();
            while tally.saves < count {
                race(style, way, SAVES_PER_FILE.min(count - tally.saves), &mut tally)?;
            }
            let Tally { saves, lost: saves_lost, agent_lines, agent_lost } = tally;
            println!(
                "{style:?}, {way:?}: {saves} saves, {saves_lost} lost; {agent_lines} agent lines, {agent_lost} lost; {:.1?}",
                begun.elapsed()
            );
            if matches!(way, Way::Store) {
                lost += saves_lost + agent_lost;
            }
        }
    }
    ensure!(lost == 0, "the store lost {lost} lines");
    Ok(())
}

fn race(style: Style, way: Way, count: usize, tally: &mut Tally) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.md");
    std::fs::write(&path, START)?;
    let is_over = AtomicBool::new(false);
    let (person, agent) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let lines = work(&path, style, count);
            is_over.store(true, Ordering::SeqCst);
            lines
        });
        let agent = stream(&path, way, &is_over);
        let person = editor.join().map_err(|_| anyhow!("the editor stopped"))?;
        anyhow::Ok((person?, agent?))
    })?;
    let text = std::fs::read_to_string(&path)?;
    tally.saves += person.len();
    tally.lost += missing(&text, &person);
    tally.agent_lines += agent.len();
    tally.agent_lost += missing(&text, &agent);
    Ok(())
}

/// An agent that writes a line about every two milliseconds until the editor is done.
fn stream(path: &Path, way: Way, is_over: &AtomicBool) -> Result<Vec<String>> {
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let opened = StoredFile::open(path, Options::default())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&*in_file, &person);
    let end = document.text().rfind("end\n").context("the document has no end")?;
    let anchor = document.anchor_at(end)?;
    let (mut dice, mut lines) = (Dice(0xa9e7), Vec::new());
    loop {
        let is_last = is_over.load(Ordering::SeqCst);
        if !is_last {
            let line = dice.line("agent", lines.len());
            document.insert_at(anchor, &format!("{line}\n"), &agent)?;
            lines.push(line);
        }
        match way {
            Way::Store => match flush(&mut document, &mut in_file, &mut file, &person) {
                Ok(_) if is_last => return Ok(lines),
                Ok(_) | Err(KeeperError::Busy | KeeperError::Gone) => {}
                Err(error) => return Err(error.into()),
            },
            Way::Usual => {
                rename_over(path, &mut document, &person)?;
                if is_last {
                    return Ok(lines);
                }
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The usual way: read, merge, write another file, rename it over.
fn rename_over(path: &Path, document: &mut Document, person: &Author) -> Result<()> {
    if let Ok(saved) = std::fs::read_to_string(path) {
        document.absorb(&saved, person);
    }
    let temporary = path.with_extension("temporary");
    std::fs::write(&temporary, document.text())?;
    std::fs::File::open(&temporary)?.sync_all()?;
    std::fs::rename(&temporary, path)?;
    document.publish();
    Ok(())
}
