//! Responses that a crash left behind: each goes into its document once, whoever tries and however often.

use std::fs;
use std::path::Path;

use document::Author;
use tempfile::TempDir;
use workspace::journal::Journal;
use workspace::pending::{Pending, Response, Target};
use workspace::reach::Reach;
use workspace::recovery::{CompleteError, complete};
use workspace::sidecar::{DocumentPaths, Sidecar};

use crate::dice::Dice;
use crate::{child, memory, site};

const START: &str = "# Plan\n<!-- agent:exchange -->\nHello?\n<!-- /agent:exchange -->\n";
const ANSWER: &str = "The answer is 42.\nIt always was.\n";

struct Project {
    folder: TempDir,
    paths: DocumentPaths,
}

impl Project {
    fn new() -> Project {
        let folder = memory::folder();
        let paths = paths(folder.path());
        fs::write(folder.path().join("a.md"), START).unwrap();
        drop(Journal::open_or_begin(&paths.journal, START, &Author::new("ann"), 0).unwrap());
        Project { folder, paths }
    }

    fn respond(&self, id: &str, text: &str) {
        let target = Target::Component("exchange".to_owned());
        let mut response = Response::new(id, "claude", target, START, 1);
        response.text = text.to_owned();
        Pending::at(&self.paths.pending_dir).put(&response).unwrap();
    }

    /// How many responses wait. A killed process also leaves unfinished files, which are none.
    fn waiting(&self) -> usize {
        let names = fs::read_dir(&self.paths.pending_dir).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".json")).count()
    }

    /// The names of the responses that were not in the document.
    fn recover(&self) -> Vec<String> {
        recover_in(self.folder.path()).unwrap()
    }

    fn save(&self, text: &str) {
        fs::write(self.folder.path().join("a.md"), text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.path().join("a.md")).unwrap()
    }

    fn check_once(&self, answer: &str) {
        let text = self.text();
        assert_eq!(text.matches(answer.trim_end()).count(), 1, "{text}");
        assert!(Pending::at(&self.paths.pending_dir).list().unwrap().is_empty());
        let (history, _) = Journal::read(&self.paths.journal).unwrap();
        assert_eq!(history.latest_text().matches(answer.trim_end()).count(), 1);
    }
}

fn paths(root: &Path) -> DocumentPaths {
    Sidecar::open(root).unwrap().paths_for(Path::new("a.md"), None).unwrap()
}

/// Recovers, unless another one is at it.
fn recover_in(root: &Path) -> Result<Vec<String>, CompleteError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut reach = Reach::open(root, site::options()).await?;
        let completed = complete(&mut reach, Path::new("a.md"), &paths(root), 9).await;
        reach.close().await;
        Ok(completed?.into_iter().map(|completed| completed.id).collect())
    })
}

/// Recovers again and again until nothing is left to do.
fn recover_until_done(root: &Path) {
    let pending = Pending::at(&paths(root).pending_dir);
    while !pending.list().unwrap().is_empty() {
        match recover_in(root) {
            Ok(_) => {}
            Err(CompleteError::Turn(_)) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn an_answer_goes_into_its_target_and_has_its_author() {
    let project = Project::new();
    project.respond("turn-1", ANSWER);
    assert_eq!(project.recover(), ["turn-1"]);
    let expected = START.replace("Hello?\n", &format!("Hello?\n\n{ANSWER}"));
    assert_eq!(project.text(), expected);
    let (history, _) = Journal::read(&project.paths.journal).unwrap();
    assert_eq!(history.latest_text(), expected);
    let done: Vec<String> = history.done().into_iter().map(|done| done.request).collect();
    assert_eq!(done, ["turn-1"]);
    let authors: Vec<String> = history.blame().iter().map(|line| line.author.to_string()).collect();
    assert_eq!(authors, ["ann", "ann", "ann", "claude", "claude", "claude", "ann"]);
    assert_eq!(project.recover(), [""; 0]);
    project.check_once(ANSWER);
}

// DS-16
#[test]
fn two_at_once_apply_an_answer_once_a_thousand_times() {
    let project = Project::new();
    for round in 0..1000 {
        let answer = format!("Answer of round {round}.\n");
        project.respond(&format!("turn-{round}"), &answer);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| recover_until_done(project.folder.path()));
            }
        });
        project.check_once(&answer);
    }
}

// DS-16
#[test]
fn two_processes_apply_each_answer_once() {
    if child::is_child() {
        println!("\nready");
        recover_until_done(Path::new(&child::told()));
        return;
    }
    let project = Project::new();
    for round in 0..20 {
        let answers: Vec<String> = (0..5).map(|number| format!("Answer {round}/{number}.\n")).collect();
        for answer in &answers {
            project.respond(answer, answer);
        }
        let root = project.folder.path().to_str().unwrap();
        let mut other = child::start("recovery::two_processes_apply_each_answer_once", root);
        recover_until_done(project.folder.path());
        assert!(other.wait().unwrap().success());
        for answer in &answers {
            project.check_once(answer);
        }
    }
}

#[test]
fn killed_at_any_moment_an_answer_is_applied_once() {
    if child::is_child() {
        println!("\nready");
        recover_until_done(Path::new(&child::told()));
        return;
    }
    let mut dice = Dice::new(17);
    let project = Project::new();
    for round in 0..100 {
        let answers: Vec<String> = (0..12).map(|number| format!("Answer {round}/{number}.\n")).collect();
        for answer in &answers {
            project.respond(answer, answer);
        }
        let root = project.folder.path().to_str().unwrap();
        let mut other = child::start("recovery::killed_at_any_moment_an_answer_is_applied_once", root);
        // It dies in the middle of its work: when so many answers are left, and a little later.
        let left = 1 + dice.below(11);
        while project.waiting() > left && other.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        for _ in 0..dice.below(100_000) {
            std::hint::spin_loop();
        }
        other.kill().unwrap();
        other.wait().unwrap();
        recover_until_done(project.folder.path());
        for answer in &answers {
            project.check_once(answer);
        }
    }
    // What the killed ones left unfinished is not there for ever.
    project.respond("last", ANSWER);
    project.recover();
    assert_eq!(fs::read_dir(&project.paths.pending_dir).unwrap().count(), 0);
}

#[test]
fn an_attempt_that_was_noted_and_not_made_is_made_once_whatever_was_saved_since() {
    let mut dice = Dice::new(5);
    for round in 0..100 {
        let project = Project::new();
        let mut response = Response::new("turn", "claude", Target::End, START, 1);
        response.text = ANSWER.to_owned();
        response.attempting(&START.into(), &format!("{START}{ANSWER}").into());
        Pending::at(&project.paths.pending_dir).put(&response).unwrap();
        if dice.below(2) == 0 {
            project.save(&START.replace("Hello?", &format!("Hello {round}?")));
        }
        assert_eq!(project.recover(), ["turn"]);
        project.check_once(ANSWER);
        assert_eq!(project.recover(), [""; 0]);
        project.check_once(ANSWER);
    }
}

#[test]
fn killed_after_the_journal_was_written_and_before_the_response_was_cleared() {
    let project = Project::new();
    project.respond("turn", ANSWER);
    let kept = Pending::at(&project.paths.pending_dir).get("turn").unwrap().unwrap();
    project.recover();
    Pending::at(&project.paths.pending_dir).put(&kept).unwrap();
    // Even if the person has deleted the answer since.
    project.save(START);
    assert_eq!(project.recover(), [""; 0]);
    assert_eq!(project.text(), START);
}

#[test]
fn of_an_answer_that_was_half_written_the_rest_follows_the_first_part() {
    let project = Project::new();
    let half = ANSWER.len() / 2;
    let text = START.replace("Hello?\n", &format!("Hello?\n{}", &ANSWER[..half]));
    project.save(&text);
    let mut response = Response::new("turn", "claude", Target::End, START, 1);
    response.text = ANSWER[..half].to_owned();
    response.attempting(&START.into(), &text.as_str().into());
    response.text = ANSWER.to_owned();
    Pending::at(&project.paths.pending_dir).put(&response).unwrap();
    project.recover();
    assert_eq!(project.text(), START.replace("Hello?\n", &format!("Hello?\n{ANSWER}")));
    project.check_once(ANSWER);
}

#[test]
fn a_target_that_is_gone_is_no_reason_to_lose_words() {
    for target in [Target::Component("gone".into()), Target::Section("Gone".into()), Target::End] {
        let project = Project::new();
        let mut response = Response::new("turn", "claude", target, START, 1);
        response.text = ANSWER.to_owned();
        Pending::at(&project.paths.pending_dir).put(&response).unwrap();
        project.recover();
        assert_eq!(project.text(), format!("{START}{ANSWER}"));
    }
}

#[test]
fn a_response_that_cannot_be_read_is_kept_aside() {
    let project = Project::new();
    fs::create_dir(&project.paths.pending_dir).unwrap();
    fs::write(project.paths.pending_dir.join("x.json"), "{").unwrap();
    assert_eq!(project.recover(), [""; 0]);
    assert_eq!(fs::read_to_string(project.paths.pending_dir.join("x.json.damaged-1")).unwrap(), "{");
}
