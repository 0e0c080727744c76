//! New texts for files and documents while somebody saves them: nothing that was saved is lost, and nothing that was reported as
//! written.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use workspace::command::Actor;
use workspace::documents::Documents;
use workspace::store::{Revised, revise};

use crate::editor::Style;
use crate::site::options;

const START: &str = "fn main() {}\n// end\n";
const EDITS: usize = 300;
const SAVES: usize = 300;
/// How long a person thinks between two saves.
const PAUSE: Duration = Duration::from_millis(3);

/// What came of it.
struct Outcome {
    text: String,
    saved: Vec<String>,
    written: Vec<String>,
    refused: usize,
}

/// Somebody saves all the while, and an agent edits as the tools do: it reads, and its edit holds if the file is still that.
fn race(path: &Path, save: impl Fn(&Path, &str) + Sync, edit: impl Fn(&str, &str) -> Revised) -> Outcome {
    fs::write(path, START).unwrap();
    let (mut written, mut refused) = (Vec::new(), 0);
    let saved = std::thread::scope(|scope| {
        let person = scope.spawn(|| {
            let lines = (0..SAVES).map(|number| format!("// person {number}"));
            let save = |line: &String| {
                save(path, line);
                std::thread::sleep(PAUSE);
            };
            lines.inspect(save).collect()
        });
        for number in 0..EDITS {
            let Ok(before) = fs::read_to_string(path) else { continue };
            let line = format!("// agent {number}");
            let after = before.replacen("// end\n", &format!("{line}\n// end\n"), 1);
            match edit(&before, &after) {
                // In the middle of a save in place there is nothing to edit.
                Revised::Written if after == before => {}
                Revised::Written => written.push(line),
                Revised::Changed => refused += 1,
            }
        }
        person.join().unwrap()
    });
    Outcome { text: fs::read_to_string(path).unwrap(), saved, written, refused }
}

fn missing(text: &str, lines: &[String]) -> Vec<String> {
    let there: std::collections::HashSet<&str> = text.lines().collect();
    lines.iter().filter(|line| !there.contains(line.as_str())).cloned().collect()
}

fn told(what: &str, outcome: &Outcome) {
    println!(
        "{what}: {} saves, {} edits written, {} refused",
        outcome.saved.len(),
        outcome.written.len(),
        outcome.refused
    );
}

/// Adds a line as a log does: it never overwrites, so nothing at all may be missing.
fn append(path: &Path, line: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Loads the file and saves it with one line more.
fn resave(style: Style, path: &Path, line: &str) {
    let Ok(text) = fs::read_to_string(path) else { return };
    style.save(path, &format!("{text}{line}\n"));
}

fn in_file(path: &Path) -> impl Fn(&str, &str) -> Revised + '_ {
    move |before, after| match revise(path, &|now| now == before, after) {
        Ok(revised) => revised,
        // Somebody saves without pause, or is replacing the file just now.
        Err(_) => Revised::Changed,
    }
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("main.rs");
    (folder, path)
}

#[test]
fn three_hundred_edits_of_a_file_and_one_who_adds_to_it_in_place_lose_nothing() {
    let (_folder, path) = scratch();
    let outcome = race(&path, append, in_file(&path));
    told("appends", &outcome);
    let lost = (missing(&outcome.text, &outcome.saved), missing(&outcome.text, &outcome.written));
    assert_eq!(lost, (vec![], vec![]), "{}", outcome.text);
    assert!(!outcome.saved.is_empty() && !outcome.written.is_empty());
}

#[test]
fn three_hundred_edits_of_a_file_take_nothing_away_from_one_who_saves_by_rename() {
    let (_folder, path) = scratch();
    let outcome = race(&path, |path, line| resave(Style::Rename, path, line), in_file(&path));
    told("renames", &outcome);
    assert_eq!(missing(&outcome.text, &outcome.saved), [""; 0], "{}", outcome.text);
    assert!(!outcome.saved.is_empty());
    let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "nothing stays beside the file");
}

/// The owner of a document knows what an editor had loaded, so here even a stale save takes nothing away.
fn of_a_document(style: Style) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("plan.md");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let documents = Documents::new(root, options());
    let actor = Actor::User("agent".to_owned());
    let edit = |before: &str, after: &str| {
        let is_expected = |now: &str| now == before;
        let revised = documents.revise("plan.md", Some(&is_expected), after, &actor);
        runtime.block_on(revised).unwrap_or(Revised::Changed)
    };
    let outcome = race(&path, |path, line| resave(style, path, line), edit);
    runtime.block_on(documents.close());
    let outcome = Outcome { text: fs::read_to_string(&path).unwrap(), ..outcome };
    told("document", &outcome);
    let lost = (missing(&outcome.text, &outcome.saved), missing(&outcome.text, &outcome.written));
    assert_eq!(lost, (vec![], vec![]), "{}", outcome.text);
    assert!(!outcome.saved.is_empty());
}

#[test]
fn three_hundred_edits_of_a_document_and_saves_by_rename_lose_nothing() {
    of_a_document(Style::Rename);
}

#[test]
fn three_hundred_edits_of_a_document_and_saves_in_place_lose_nothing() {
    of_a_document(Style::InPlace);
}

#[test]
fn a_file_that_is_not_what_the_caller_knows_is_left_alone_and_endings_are_written_as_they_are_given() {
    let (_folder, path) = scratch();
    fs::write(&path, "a\r\nb\r\n").unwrap();
    assert_eq!(revise(&path, &|now| now == "a\n", "x\n").unwrap(), Revised::Changed);
    assert_eq!(fs::read(&path).unwrap(), b"a\r\nb\r\n");
    assert_eq!(revise(&path, &|now| now == "a\r\nb\r\n", "a\nc\n").unwrap(), Revised::Written);
    assert_eq!(fs::read(&path).unwrap(), b"a\nc\n");
}

#[test]
fn what_a_dead_process_left_is_taken_in_before_anything_is_written() {
    let (_folder, path) = scratch();
    fs::write(&path, "a\n").unwrap();
    // No process has the number 4194305: it is larger than any.
    let left = path.with_file_name(".main.rs.agent-doc-4194305-1.0000000000000001.0000000000000002.tmp");
    fs::write(&left, "a\nsomebody's words\n").unwrap();
    let revised = revise(&path, &|_| true, "b\n").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!((revised, text.as_str()), (Revised::Changed, "a\nsomebody's words\n"));
    assert!(!left.exists());
}
