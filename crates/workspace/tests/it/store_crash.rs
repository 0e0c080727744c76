//! Processes that are killed in the middle of their work, with the whole of a project: hub, owner, journal and store. The child is
//! this test binary, started again.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use workspace::command::{Actor, FileCommand, FileResult};
use workspace::owner::Options;

use crate::editor::{Dice, Habits, Style, Wording, missing, sentence, work};
use crate::store::names;

/// Tells the child which document to write.
const CHILD: &str = "AGENT_DOC_TEST_KILLED";
const KILLS: usize = 1000;
/// How a line begins by which a child says that a text is written.
const WRITTEN: &str = "ack ";
const START: &str = "# Plan\n\n## Log\n\n## Last\n\nend\n";

#[tokio::test]
async fn child() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let hub = workspace::project::open(path.parent().unwrap(), Options::default()).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut acknowledged = std::io::stdout();
    for number in 0.. {
        let line = sentence(&format!("agent{}x", std::process::id()), number, &mut dice);
        let command =
            FileCommand::AppendSection { path: name.into(), section: "Log".into(), content: line.clone() };
        let reply = hub.execute(command.by(Actor::Worker("Log".into())).named(&line)).await;
        if matches!(reply.result, FileResult::Written { .. }) {
            acknowledged.write_all(format!("{WRITTEN}{} {line}\n", reply.revision).as_bytes()).unwrap();
        }
    }
}

/// Opens as a restarted process does, and ends in order.
fn recover(path: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let hub = workspace::project::open(path.parent().unwrap(), Options::default()).unwrap();
        let handle = hub.document(path.file_name().unwrap().to_str().unwrap()).await.unwrap();
        handle.settled().await;
        hub.shutdown().await;
    });
}

/// From when on a child's time runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// It is killed in the middle of opening, or later.
    Start,
    /// It is killed after its first text is written, however slow the machine is.
    Written,
}

/// Starts a child, kills it after a while, and gives revision and line of what it had said was written.
fn killed_after(path: &Path, from: From, pause: Duration) -> Vec<(u64, String)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["store_crash::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut output, mut said) = (BufReader::new(child.stdout.take().unwrap()), String::new());
    while from == From::Written && !said.contains(WRITTEN) {
        assert!(output.read_line(&mut said).unwrap() > 0, "the child ended: {said}");
    }
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    output.read_to_string(&mut said).unwrap();
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let acknowledged = whole.lines().filter_map(|line| {
        let (revision, line) = line.split_once(WRITTEN)?.1.split_once(' ')?;
        Some((revision.parse().unwrap(), line.to_owned()))
    });
    acknowledged.collect()
}

fn left(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.contains(".agent-doc-")).collect()
}

// DS-6
#[test]
fn a_thousand_kills_at_any_moment_leave_a_whole_version_and_every_acknowledged_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    fs::write(&path, START).unwrap();
    let (mut dice, mut acknowledged, mut with_leftovers) = (Dice::new(1), Vec::new(), 0);
    for round in 0..KILLS {
        let (from, least) = if round % 2 == 0 { (From::Start, 4_000) } else { (From::Written, 0) };
        acknowledged.extend(killed_after(&path, from, Duration::from_micros(least + dice.below(16_000))));
        with_leftovers += usize::from(!left(folder.path()).is_empty());
        let text = fs::read_to_string(&path).unwrap();
        let is_whole = text.starts_with("# Plan\n\n") && text.ends_with("end\n");
        let mut lines = text.lines().filter(|line| line.starts_with("agent"));
        assert!(is_whole && lines.all(|line| line.split(' ').count() == 4), "{text}");
    }
    recover(&path);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&String> = acknowledged.iter().map(|(_, line)| line).collect();
    let lost = missing(&text, lines.iter().copied());
    println!(
        "{KILLS} kills, {with_leftovers} left files behind, {} lines acknowledged: {} lost",
        lines.len(),
        lost.len()
    );
    assert_eq!(lost, [""; 0]);
    assert!(lines.iter().all(|line| text.matches(line.as_str()).count() == 1), "a line is there twice");
    assert!(acknowledged.is_sorted_by(|(one, _), (next, _)| one < next), "a revision was given twice");
    assert!(acknowledged.len() > KILLS / 10, "the child hardly ran");
    assert_eq!(left(folder.path()), [""; 0]);
}

// DS-7
#[test]
fn saves_survive_while_the_writer_is_killed_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    for style in crate::editor::STYLES {
        let path = folder.path().join(format!("{style:?}.md"));
        fs::write(&path, START).unwrap();
        kill_during_saves(&path, style);
    }
    assert_eq!(left(folder.path()), [""; 0]);
}

fn kill_during_saves(path: &Path, style: Style) {
    let is_over = AtomicBool::new(false);
    let habits = Habits {
        saves: 300,
        reloads: 100,
        deletes: 0,
        pause_max: Duration::from_millis(9),
        wording: Wording::Sentences,
    };
    let (done, acknowledged, kills) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let done = work(path, style, habits, 21);
            is_over.store(true, Ordering::SeqCst);
            done
        });
        let (mut dice, mut kills, mut acknowledged) = (Dice::new(9), 0, Vec::new());
        while !is_over.load(Ordering::SeqCst) {
            acknowledged.extend(killed_after(path, From::Written, Duration::from_micros(dice.below(40_000))));
            kills += 1;
        }
        (editor.join().unwrap(), acknowledged, kills)
    });
    recover(path);
    let text = fs::read_to_string(path).unwrap();
    let lost = missing(&text, &done.written);
    let lost_answers = missing(&text, acknowledged.iter().map(|(_, line)| line));
    println!(
        "{style:?}: {} saves, {kills} kills: {} lost; {} lines acknowledged: {} lost",
        done.written.len(),
        lost.len(),
        acknowledged.len(),
        lost_answers.len(),
    );
    assert!(lost.is_empty() && lost_answers.is_empty(), "{lost:.3?} {lost_answers:.3?}");
}
