//! Processes that are killed in the middle of a write. The child is this test binary, started again.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use document::{Author, Document};
use workspace::keeper::{Displaced, Entry, Keeper, KeeperError};
use workspace::store::{Options, StoredFile, flush, united};

use crate::editor::{Dice, Habits, Style, Wording, missing, sentence, work};
use crate::store::names;

/// Tells the child which document to write.
const CHILD: &str = "AGENT_DOC_TEST_KILLED";
const KILLS: usize = 200;

#[test]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let (mut file, mut document, mut in_file) = recover(Path::new(&path));
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut acknowledged = std::io::stdout();
    for number in 0.. {
        let line = sentence(&format!("agent{}x", std::process::id()), number, &mut dice);
        let at = document.text().rfind("end\n").unwrap();
        document.edit(at..at, &format!("{line}\n"), &agent).unwrap();
        if flush(&mut document, &mut in_file, &mut file, &person).is_ok() {
            acknowledged.write_all(format!("ack {line}\n").as_bytes()).unwrap();
        }
    }
}

/// A file with the least journal there is: the text that is about to be written. Without one, an editor that had loaded the file
/// before our last write could save over it while nobody runs who remembers.
struct Noted {
    file: StoredFile,
    note: PathBuf,
}

impl Keeper for Noted {
    fn read(&mut self) -> Result<Option<String>, KeeperError> {
        self.file.read()
    }

    fn write(&mut self, expected: &str, text: &str) -> Result<Displaced, KeeperError> {
        let unfinished = self.note.with_extension("unfinished");
        fs::write(&unfinished, text)?;
        fs::rename(&unfinished, &self.note)?;
        self.file.write(expected, text)
    }

    fn note(&mut self, entry: &Entry) -> Result<(), KeeperError> {
        self.file.note(entry)
    }
}

/// Opens as a restarted process does: what was left over is taken in, written, and only then removed.
fn recover(path: &Path) -> (Noted, Document, String) {
    let person = Author::new("person");
    let opened = StoredFile::open(path, Options::default()).unwrap();
    let mut file = Noted { file: opened.file, note: path.with_extension("note") };
    let mut in_file = opened.text;
    let mut document = Document::open(&in_file, &person);
    for leftover in opened.leftovers.into_iter().chain(fs::read_to_string(&file.note).ok()) {
        let all = united(document.text(), &leftover);
        document.absorb_displaced(&all, &person);
    }
    flush(&mut document, &mut in_file, &mut file, &person).unwrap();
    file.file.leftovers_absorbed().unwrap();
    (file, document, in_file)
}

/// Starts a child, kills it after a while, and gives the lines that it had said were written.
fn killed_after(path: &Path, pause: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["store_crash::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| Some(line.split_once("ack ")?.1.to_owned())).collect()
}

fn left(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.contains("agent-doc-")).collect()
}

fn start(folder: &Path) -> PathBuf {
    let path = folder.join("plan.md");
    fs::write(&path, "# Plan\n\nend\n").unwrap();
    path
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = start(folder.path());
    let (mut dice, mut acknowledged, mut with_leftovers) = (Dice::new(1), Vec::new(), 0);
    for _ in 0..KILLS {
        acknowledged.extend(killed_after(&path, Duration::from_micros(4_000 + dice.below(16_000))));
        with_leftovers += usize::from(!left(folder.path()).is_empty());
        let text = fs::read_to_string(&path).unwrap();
        let is_whole = text.starts_with("# Plan\n\n") && text.ends_with("end\n");
        assert!(
            is_whole
                && text
                    .lines()
                    .filter(|line| line.starts_with("agent"))
                    .all(|line| line.split(' ').count() == 4)
        );
    }
    recover(&path);
    let text = fs::read_to_string(&path).unwrap();
    let lost = missing(&text, &acknowledged);
    println!(
        "{KILLS} kills, {with_leftovers} left files behind, {} lines acknowledged: {} lost",
        acknowledged.len(),
        lost.len()
    );
    assert_eq!(lost, [""; 0]);
    assert!(acknowledged.len() > KILLS / 10, "the child hardly ran");
    assert_eq!(left(folder.path()), [""; 0]);
}

#[test]
fn saves_survive_while_the_writer_is_killed_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    for style in crate::editor::STYLES {
        let path = folder.path().join(format!("{style:?}.md"));
        fs::write(&path, "# Plan\n\nend\n").unwrap();
        kill_during_saves(&path, style);
    }
    assert_eq!(left(folder.path()), [""; 0]);
}

fn kill_during_saves(path: &Path, style: Style) {
    let is_over = AtomicBool::new(false);
    let habits = Habits {
        saves: 500,
        reloads: 100,
        deletes: 0,
        pause_max: Duration::from_millis(3),
        wording: Wording::Sentences,
    };
    let (done, kills) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let done = work(path, style, habits, 21);
            is_over.store(true, Ordering::SeqCst);
            done
        });
        let (mut dice, mut kills) = (Dice::new(9), 0);
        while !is_over.load(Ordering::SeqCst) {
            killed_after(path, Duration::from_micros(4_000 + dice.below(16_000)));
            kills += 1;
        }
        (editor.join().unwrap(), kills)
    });
    recover(path);
    let text = fs::read_to_string(path).unwrap();
    let lost = missing(&text, &done.written);
    println!("{style:?}: {} saves, {kills} kills: {} lost", done.written.len(), lost.len());
    assert_eq!(lost, [""; 0]);
}
