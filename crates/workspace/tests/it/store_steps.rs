//! The protocol step by step on a simulated disk: a crash before each step, and a failure of each call.

use std::io;
use std::path::Path;
use std::time::Duration;

use document::{Author, Document};
use workspace::SharedText;
use workspace::keeper::KeeperError;
use workspace::store::{Flushed, Options, Patience, StoredFile, flush, united};

use crate::simulated::SimulatedDisk;

const PATH: &str = "/folder/plan.md";
const OLD: &str = "# Plan\n\nend\n";
const NEW: &str = "# Plan\n\nanswer\nend\n";
const SAVED: &str = "# Plan\nsaved\n\nend\n";
const BOTH: &str = "# Plan\nsaved\n\nanswer\nend\n";

fn options() -> Options {
    let none = Duration::ZERO;
    let patience = Patience {
        busy: none,
        missing: none,
        stable: none,
        truncated: none,
        second_look: none,
        last_look: Duration::from_secs(1000),
    };
    Options { patience, ..Options::default() }
}

/// A document with an agent's answer that is not in the file yet.
struct Scene {
    disk: SimulatedDisk,
    file: StoredFile<SimulatedDisk>,
    document: Document,
    in_file: SharedText,
}

impl Scene {
    fn new() -> Scene {
        let disk = SimulatedDisk::with(Path::new(PATH), OLD);
        let opened = StoredFile::open_on(disk.clone(), Path::new(PATH), options()).unwrap();
        let mut document = Document::open(&*opened.text, &Author::new("person"));
        document.edit(8..8, "answer\n", &Author::new("agent")).unwrap();
        Scene { disk, file: opened.file, document, in_file: opened.text }
    }

    fn flush(&mut self) -> Result<Flushed, KeeperError> {
        flush(&mut self.document, &mut self.in_file, &mut self.file, &Author::new("person"))
    }
}

/// What a new process finds: the file, and the file with all that was left over.
fn recovered(disk: &SimulatedDisk) -> (String, String) {
    let mut opened = StoredFile::open_on(disk.clone(), Path::new(PATH), options()).unwrap();
    let all = opened.leftovers.iter().fold(opened.text.to_string(), |text, leftover| united(&text, leftover));
    opened.file.leftovers_absorbed().unwrap();
    assert_eq!(disk.count(), 1, "files were left over");
    (opened.text.to_string(), all)
}

fn steps_of_a_flush(with_save_at: Option<usize>) -> usize {
    let mut scene = Scene::new();
    let before = scene.disk.steps();
    if let Some(at) = with_save_at {
        scene.disk.save_at(at, Path::new(PATH), SAVED);
    }
    scene.flush().unwrap();
    scene.disk.steps() - before
}

// DS-9, F19
#[test]
fn a_crash_at_any_step_leaves_the_old_text_or_the_new_one() {
    let steps = steps_of_a_flush(None);
    let (mut cuts, mut old, mut new) = (0, 0, 0);
    for at in 1..=steps + 1 {
        for seed in 0..200 {
            let mut scene = Scene::new();
            scene.disk.crash_at(at);
            let is_acknowledged = scene.flush().is_ok();
            let disk = if seed == 0 {
                scene.disk.after_kill()
            } else {
                scene.disk.after_power_cut(seed * 1000 + at as u64)
            };
            let (text, _) = recovered(&disk);
            assert!(text == OLD || text == NEW, "step {at}, seed {seed}: {text:?}");
            assert!(!is_acknowledged || text == NEW, "step {at}, seed {seed}: acknowledged and gone");
            cuts += 1;
            old += usize::from(text == OLD);
            new += usize::from(text == NEW);
        }
    }
    println!("{steps} steps, {cuts} crashes: {old} old, {new} new, 0 other");
    assert!(old > 0 && new > 0);
}

// DS-9, DS-17
#[test]
fn a_save_at_any_step_survives_a_crash_at_any_other() {
    let mut cuts = 0;
    for save_at in 1..=steps_of_a_flush(None) {
        for crash_at in save_at + 1..=steps_of_a_flush(Some(save_at)) + 1 {
            for seed in 0..20 {
                let mut scene = Scene::new();
                scene.disk.save_at(save_at, Path::new(PATH), SAVED);
                scene.disk.crash_at(crash_at);
                // What the agent said may be written over by a save after the exchange; the journal holds it.
                scene.flush().ok();
                let seeded = seed * 1_000_000 + save_at as u64 * 1000 + crash_at as u64;
                let disk =
                    if seed == 0 { scene.disk.after_kill() } else { scene.disk.after_power_cut(seeded) };
                let (text, all) = recovered(&disk);
                assert!([OLD, NEW, SAVED, BOTH].contains(&text.as_str()), "{text:?}");
                let place = format!("save {save_at}, crash {crash_at}, seed {seed}: {text:?}, {all:?}");
                assert!(all.contains("saved\n"), "{place}");
                cuts += 1;
            }
        }
    }
    println!("{cuts} crashes around a save: 0 lost");
}

// DS-14
#[test]
fn whichever_call_fails_the_document_is_whole_and_the_next_flush_ends_it() {
    let (mut failures, mut told) = (0, 0);
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied, io::ErrorKind::Other];
    for save_at in std::iter::once(None).chain((1..=steps_of_a_flush(None)).map(Some)) {
        for (at, kind) in (1..=steps_of_a_flush(save_at)).flat_map(|at| kinds.map(|kind| (at, kind))) {
            let mut scene = Scene::new();
            if let Some(save_at) = save_at {
                scene.disk.save_at(save_at, Path::new(PATH), SAVED);
            }
            scene.disk.fail_at(at, kind);
            let result = scene.flush();
            told += usize::from(result.is_err());
            failures += 1;
            let text = scene.disk.text(Path::new(PATH));
            assert!([OLD, NEW, SAVED, BOTH].contains(&text.as_str()), "call {at}: {text:?}");
            while !scene.disk.has_saved() {
                scene.flush().ok();
            }
            scene.flush().unwrap();
            let expected = if save_at.is_some() { BOTH } else { NEW };
            assert_eq!(scene.document.text(), expected, "save {save_at:?}, call {at}");
            assert_eq!(scene.disk.text(Path::new(PATH)), expected, "save {save_at:?}, call {at}");
            assert_eq!(recovered(&scene.disk.after_kill()).1, expected, "save {save_at:?}, call {at}");
        }
    }
    println!("{failures} failing calls, {told} told to the caller: document whole each time");
}
