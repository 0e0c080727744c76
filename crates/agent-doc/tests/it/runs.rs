//! `conduct` and `runs`, with the model that needs no key, as a person runs them.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::chat::{Person, text};
use crate::child::own;
use crate::scratch::told;

const OBJECTIVE: &str = "compare the error handling of the crates in this workspace";
const PATIENCE: Duration = Duration::from_secs(60);

/// The sources of this repository in the project of a person.
fn with_this_repository() -> Person {
    let person = Person::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in std::fs::read_dir(crates).unwrap() {
        let entry = entry.unwrap();
        let to = person.scratch.path("project/crates").join(entry.file_name());
        copy(&entry.path().join("src"), &to.join("src"));
    }
    person
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The names of all runs.
pub(crate) fn runs(person: &Person) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(person.scratch.path("project/runs")) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn draft(person: &Person, id: &str) -> String {
    person.scratch.read(&format!("project/runs/{id}/draft.md"))
}

pub(crate) fn section<'t>(text: &'t str, title: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("## {title}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// A run under way in a process of its own, and its name.
pub(crate) fn begin(person: &Person, arguments: &[&str]) -> (Child, String) {
    let mut child = person.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let id = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("run ")?.split(' ').next()?.to_owned()));
    let id = id.expect("the run did not begin");
    // Nobody may wait for room in a pipe that nobody reads.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    (child, id)
}

pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_offline_run_on_this_repository_finds_real_things_and_says_the_same_each_time() {
    let person = with_this_repository();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let before = runs(&person);
        let begun = Instant::now();
        let output = person.run(&["conduct", OBJECTIVE]);
        assert_eq!(output.status.code(), Some(0), "{}", told(&output));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        let id = runs(&person).into_iter().find(|id| !before.contains(id)).unwrap();
        let draft = draft(&person, &id);
        assert!(draft.starts_with(&format!("# {OBJECTIVE}\n")), "{draft}");
        assert_eq!(text(&output).trim_end(), section(&draft, "Conductor").trim_end());
        texts.push(draft);
    }
    assert_eq!(texts[0], texts[1], "the same each time");
    let (researcher, terminal) = (section(&texts[0], "Researcher"), section(&texts[0], "Terminal"));
    // Really read: a line stands where it is said to.
    let quote = researcher.lines().find_map(|line| line.strip_prefix("- `crates/")).unwrap();
    let (place, words) =
        quote.split_once("` ").filter(|(place, _)| place.contains(':')).unwrap_or_else(|| {
            let quote = researcher
                .lines()
                .filter_map(|line| line.strip_prefix("- `crates/"))
                .find(|line| line.contains(".rs:"))
                .unwrap();
            quote.split_once("` ").unwrap()
        });
    let (path, line) = place.rsplit_once(':').unwrap();
    let file = person.scratch.read(&format!("project/crates/{path}"));
    let there = file.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
    assert_eq!(there.trim(), words, "{place}");
    // Really run: what the command counts is what is there.
    assert!(
        terminal.contains("Ran `grep -rIilE ") && terminal.contains("- `crates/workspace`: "),
        "{terminal}"
    );
    assert!(
        researcher.contains("what Terminal found") && researcher.contains("Note to Terminal:"),
        "{researcher}"
    );
    assert!(
        terminal.contains("what Researcher found") && terminal.contains("Note to Researcher:"),
        "{terminal}"
    );
    let canon = section(&texts[0], "Conductor");
    assert!(canon.contains("**Researcher**") && canon.contains("**Terminal**"), "{canon}");
    assert!(canon.contains("without a language model"), "{canon}");
}

#[test]
fn findings_come_bit_by_bit_and_stand_in_the_history_under_their_authors() {
    let person = Person::new();
    let output = person.run(&["conduct", "where does tally print words?", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (report["run"]["status"].as_str(), report["run"]["plan"].as_array().unwrap().len()),
        (Some("completed"), 4)
    );
    let path = report["path"].as_str().unwrap();
    let history = text(&person.run(&["history", path]));
    for author in ["Researcher", "Terminal", "Conductor"] {
        assert!(history.matches(author).count() >= 2, "{author}: {history}");
    }
}

#[test]
fn runs_are_listed_shown_and_cancelled_by_the_beginning_of_their_name() {
    let person = Person::new();
    let none = text(&person.run(&["runs"]));
    assert!(none.contains("there is no run yet"), "{none}");
    person.run(&["conduct", "what is tally?"]);
    let id = runs(&person).remove(0);
    let list = text(&person.run(&["runs"]));
    assert!(list.contains(&id) && list.contains("completed") && list.contains("what is tally?"), "{list}");
    let listed: Value = serde_json::from_slice(&person.run(&["runs", "--json"]).stdout).unwrap();
    assert_eq!(listed[0]["status"], "completed");
    let shown = text(&person.run(&["runs", "show", &id[..13]]));
    for part in ["what is tally?", "status    completed", "workers", "plan", "decided", "proposals"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let over = person.run(&["runs", "cancel", &id]);
    assert_eq!(told(&over), format!("exit 2\n! error: run {id} is completed\n!   help: begin another one\n"));
    let absent = told(&person.run(&["runs", "show", "nothing"]));
    assert_eq!(
        absent,
        "exit 2\n! error: there is no run \"nothing\"\n!   help: 'agent-doc runs' lists them\n"
    );
    for name in ["../x", &"x".repeat(300)] {
        let refused = told(&person.run(&["runs", "show", name]));
        assert!(
            refused.starts_with("exit 2\n! error: ") && refused.contains("is no name of a run"),
            "{refused}"
        );
    }
    let empty = told(&person.run(&["conduct", " "]));
    assert_eq!(empty, "exit 2\n! error: the objective is empty\n!   help: say what the run is for\n");
}

#[test]
fn a_proposal_is_accepted_from_the_shell() {
    let person = Person::new();
    person.run(&["conduct", "what is tally?"]);
    let id = runs(&person).remove(0);
    let shown = text(&person.run(&["runs", "show", &id]));
    let (_, proposals) = shown.split_once("proposals\n").unwrap();
    let proposal = proposals.split_whitespace().next().unwrap().to_owned();
    let output = person.run(&["runs", "accept", &id, &proposal]);
    assert_eq!(told(&output), "exit 0\n! accepted\n");
    let text = draft(&person, &id);
    assert!(section(&text, "Conductor").contains("Accepted from Researcher:"), "{text}");
    let output = person.run(&["runs", "reject", &id, &proposal]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
}

/// Whether a process with this number in its command line runs.
pub(crate) fn is_running(number: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    let lines = processes.filter_map(|path| std::fs::read(path).ok());
    lines.into_iter().any(|line| {
        line.split(|byte| *byte == 0).collect::<Vec<_>>() == [b"sleep".as_slice(), number.as_bytes(), b""]
    })
}

#[test]
fn a_run_is_cancelled_from_another_process_and_its_commands_end() {
    let person = Person::new();
    let number = format!("{}", 100_000 + std::process::id());
    let sleep = format!("$ sleep {number}");
    let (mut child, id) =
        begin(&person, &["conduct", &sleep, "--workers", "Terminal", "--allow", "Bash(sleep *)"]);
    wait_until("the command", || is_running(&number));
    let held = told(&person.run(&["runs", "resume", &id]));
    assert!(held.contains("is worked on by"), "{held}");
    let output = person.run(&["runs", "cancel", &id]);
    assert_eq!(told(&output), "exit 0\n! cancelled; what was found is in the document\n");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(!is_running(&number), "no command is left");
    let text = draft(&person, &id);
    assert!(text.contains("/cancel") && text.contains("> Taken: `/cancel` → the run ends"), "{text}");
    assert!(text_of_list(&person).contains("cancelled"));
}

fn text_of_list(person: &Person) -> String {
    text(&person.run(&["runs"]))
}

#[test]
fn a_run_that_is_killed_is_gone_on_with() {
    let person = Person::new();
    let number = format!("{}", 200_000 + std::process::id());
    // Something that runs only if it is allowed, and then for long.
    let command = format!("$ touch src/x && sleep {number}");
    let allow = ["--allow", "Bash(touch *)", "--allow", "Bash(sleep *)"];
    let (mut child, id) =
        begin(&person, &[&["conduct", &command, "--workers", "Researcher,Terminal"][..], &allow].concat());
    wait_until("the command", || is_running(&number));
    wait_until("the researcher", || section(&draft(&person, &id), "Researcher").len() > 30);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the end of the command", || !is_running(&number));
    let list = text_of_list(&person);
    assert!(
        list.contains(&id) && (list.contains("waiting for worker") || list.contains("running")),
        "{list}"
    );
    // Nobody lets the command run this time, so that it ends at once.
    let output = person.run(&["runs", "resume", &id[..20]]);
    let said = told(&output);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let text = draft(&person, &id);
    assert!(section(&text, "Terminal").contains("did not work"), "{text}");
    assert!(section(&text, "Conductor").contains("**Terminal**"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_run_that_can_be_resumed() {
    let person = Person::new();
    let number = format!("{}", 300_000 + std::process::id());
    let command = format!("$ sleep {number}");
    let (mut child, id) =
        begin(&person, &["conduct", &command, "--workers", "Terminal", "--allow", "Bash(sleep *)"]);
    wait_until("the command", || is_running(&number));
    let signalled =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!is_running(&number));
    assert!(text_of_list(&person).contains("waiting for worker"), "{}", text_of_list(&person));
    let shown = text(&person.run(&["runs", "show", &id]));
    assert!(shown.contains("running"), "the item is not over: {shown}");
}

#[test]
fn a_run_writes_through_the_process_that_serves_the_project() {
    let person = Person::new();
    let owner = own(&person.scratch.path("project"));
    let output = person.run(&["conduct", "what is tally?"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let id = runs(&person).remove(0);
    let text = draft(&person, &id);
    assert!(section(&text, "Conductor").contains("**Researcher**"), "{text}");
    drop(owner);
}

#[test]
fn what_is_saved_in_an_editor_meanwhile_is_heard() {
    let person = Person::new();
    let number = format!("{}", 400_000 + std::process::id());
    let (mut child, id) = begin(
        &person,
        &["conduct", &format!("$ sleep {number}"), "--workers", "Terminal", "--allow", "Bash(sleep *)"],
    );
    wait_until("the command", || is_running(&number));
    let path: PathBuf = person.scratch.path(&format!("project/runs/{id}/draft.md"));
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("/cancel\n");
    std::fs::write(&path, text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(draft(&person, &id).contains("> Taken: `/cancel`"));
}

#[test]
fn a_worker_of_the_project_counts_only_when_it_is_trusted() {
    let person = Person::new();
    std::fs::create_dir_all(person.scratch.path("project/.agent-doc/workers")).unwrap();
    person.scratch.write(
        "project/.agent-doc/workers/critic.md",
        "---\nname: Critic\ntools: Grep, Read\n---\nDoubt everything.\n",
    );
    let arguments = ["conduct", "what is tally?", "--workers", "Critic"];
    let refused: Output = person.run(&arguments);
    let said = told(&refused);
    assert!(
        said.starts_with("exit 2")
            && said.contains("critic.md does not count")
            && said.contains("there is no worker \"Critic\""),
        "{said}"
    );
    let listed = text(&person.run(&["trust", "--list"]));
    assert!(listed.contains("critic.md") && listed.contains("Doubt everything."), "{listed}");
    person.run(&["trust"]);
    let output = person.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let text = draft(&person, &runs(&person)[0]);
    assert!(section(&text, "Critic").contains("tally"), "{text}");
}
