//! Saves that race a streaming agent: whole-file saves in three styles, stale buffers, and reads in the middle of a save.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use document::{Author, Document};
use workspace::keeper::{Keeper as _, KeeperError};
use workspace::store::{Options, Patience, StoredFile, flush};

use crate::editor::{Dice, Done, Habits, Style, Wording, missing, work};

const START: &str = "# Plan\n\n## Answer\n\nend\n";

struct Outcome {
    text: String,
    person: Done,
    agent: Vec<String>,
    absorbed: usize,
    written: usize,
}

/// One editor and one agent that flushes as fast as it can.
fn race(folder: &Path, style: Style, habits: Habits, seed: u64) -> Outcome {
    let path = folder.join(format!("race-{style:?}.md"));
    std::fs::write(&path, START).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut absorbed, mut written) = (0, 0);
    let (mut document, agent, person) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let done = work(&path, style, habits, seed);
            is_over.store(true, Ordering::SeqCst);
            done
        });
        let (person, agent) = (Author::new("person"), Author::new("agent"));
        let opened = StoredFile::open(&path, Options::default()).unwrap();
        let (mut file, mut in_file) = (opened.file, opened.text);
        let mut document = Document::open(&*in_file, &person);
        let (mut lines, mut dice) = (Vec::new(), Dice::new(seed + 1));
        let at = document.text().find("end\n").unwrap();
        let anchor = document.anchor_at(at).unwrap();
        loop {
            let is_last = is_over.load(Ordering::SeqCst);
            if !is_last && lines.len() < habits.saves {
                let line = habits.wording.line("agent", lines.len(), &mut dice);
                document.insert_at(anchor, &format!("{line}\n"), &agent).unwrap();
                lines.push(line);
            }
            match flush(&mut document, &mut in_file, &mut file, &person) {
                Ok(flushed) => {
                    absorbed += flushed.absorbed;
                    written += flushed.written;
                    if is_last {
                        break;
                    }
                }
                Err(KeeperError::Busy | KeeperError::Gone) => {}
                Err(error) => panic!("{error:?}"),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // What was written late into a displaced file comes by the next read.
        let late = Patience::default().second_look;
        std::thread::sleep(late);
        flush(&mut document, &mut in_file, &mut file, &person).unwrap();
        (document, lines, editor.join().unwrap())
    });
    document.publish();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, document.text());
    Outcome { text, person, agent, absorbed, written }
}

fn no_line_is_lost(folder: &Path, style: Style, wording: Wording) {
    let habits =
        Habits { saves: 1000, reloads: 100, deletes: 0, pause_max: Duration::from_millis(3), wording };
    let begun = Instant::now();
    let outcome = race(folder, style, habits, 7);
    let lost = missing(&outcome.text, &outcome.person.written);
    let agents_lost = missing(&outcome.text, &outcome.agent);
    println!(
        "{style:?}: {} saves, {} agent lines, {} absorbed, {} written in {:?}: {} and {} lost",
        outcome.person.written.len(),
        outcome.agent.len(),
        outcome.absorbed,
        outcome.written,
        begun.elapsed(),
        lost.len(),
        agents_lost.len()
    );
    assert_eq!((lost, agents_lost), (vec![], vec![]));
    let leftovers = std::fs::read_dir(folder).unwrap().filter_map(Result::ok);
    let leftovers = leftovers.filter(|entry| entry.file_name().to_string_lossy().contains(".agent-doc-"));
    assert_eq!(leftovers.count(), 0);
}

fn on_disk(style: Style) {
    no_line_is_lost(tempfile::tempdir().unwrap().path(), style, Wording::Sentences);
}

#[cfg(target_os = "linux")]
fn in_memory(style: Style) {
    no_line_is_lost(tempfile::tempdir_in("/dev/shm").unwrap().path(), style, Wording::Sentences);
}

fn entries(style: Style) {
    no_line_is_lost(tempfile::tempdir().unwrap().path(), style, Wording::Entries);
}

#[test]
fn saves_in_place_lose_no_entry_of_a_list() {
    entries(Style::InPlace);
}

#[test]
fn saves_by_rename_lose_no_entry_of_a_list() {
    entries(Style::Rename);
}

#[test]
fn saves_that_move_the_old_file_aside_lose_no_entry_of_a_list() {
    entries(Style::MoveAside);
}

// DS-1
#[test]
fn saves_in_place_lose_nothing() {
    on_disk(Style::InPlace);
}

// DS-1
#[test]
fn saves_by_rename_lose_nothing() {
    on_disk(Style::Rename);
}

// DS-1
#[test]
fn saves_that_move_the_old_file_aside_lose_nothing() {
    on_disk(Style::MoveAside);
}

#[test]
#[cfg(target_os = "linux")]
fn saves_in_place_lose_nothing_in_memory() {
    in_memory(Style::InPlace);
}

#[test]
#[cfg(target_os = "linux")]
fn saves_by_rename_lose_nothing_in_memory() {
    in_memory(Style::Rename);
}

#[test]
#[cfg(target_os = "linux")]
fn saves_that_move_the_old_file_aside_lose_nothing_in_memory() {
    in_memory(Style::MoveAside);
}

// DS-4
#[test]
fn an_editor_that_rarely_loads_the_file_again_takes_nothing_away() {
    let folder = tempfile::tempdir().unwrap();
    let (mut deleted, mut back) = (0, 0);
    for style in crate::editor::STYLES {
        let habits = Habits {
            saves: 400,
            reloads: 20,
            deletes: 10,
            pause_max: Duration::from_millis(3),
            wording: Wording::Sentences,
        };
        let outcome = race(folder.path(), style, habits, 11);
        let lost = missing(&outcome.text, &outcome.person.written);
        let agents_lost = missing(&outcome.text, &outcome.agent);
        let returned = outcome.person.deleted.len() - missing(&outcome.text, &outcome.person.deleted).len();
        println!(
            "{style:?}: {} saves, {} agent lines, {} deleted: {} and {} lost, {returned} came back",
            habits.saves,
            outcome.agent.len(),
            outcome.person.deleted.len(),
            lost.len(),
            agents_lost.len()
        );
        assert_eq!((lost, agents_lost), (vec![], vec![]));
        deleted += outcome.person.deleted.len();
        back += returned;
    }
    assert!(back * 50 <= deleted, "{back} of {deleted} deleted lines came back");
}

// DS-5, C10
#[test]
fn a_read_in_the_middle_of_a_save_waits_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.md");
    let text = |number: u32| format!("{number:07}\n").repeat(128 * 1024);
    std::fs::write(&path, text(0)).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut changed, mut torn) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let texts = [text(1), text(2), text(3)];
            for text in texts.iter().cycle() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                Style::InPlace.save(&path, text);
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        let mut file = StoredFile::open(&path, Options::default()).unwrap().file;
        for _ in 0..2000 {
            if let Some(text) = file.read().unwrap() {
                changed += 1;
                let first = text.lines().next().unwrap_or_default();
                let is_whole = text.len() == 1 << 20 && text.lines().all(|line| line == first);
                torn += usize::from(!is_whole);
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    println!("2000 reads of 1 MB: {changed} new texts, {torn} torn");
    assert_eq!(torn, 0);
    assert!(changed > 100, "the test saw only {changed} saves");
}
