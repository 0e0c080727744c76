//! Questions of agents that work beside the conversation: in a session document, in a run, and in what is followed.

use std::process::Command;
use std::time::{Duration, Instant};

use loopback::Server;
use serde_json::{Value, json};

use super::pane::{PROGRAM, Pane, asked, world};
use crate::anthropic::{answer, call, messages, words};
use crate::chat::Person;

/// A session document that our own loop answers with a model of the server.
const DOCUMENT: &str =
    "---\nsession:\nagent_doc_mode: append\nagent: anthropic\n---\n\n# Talk\n\n## User\n\nHello.\n";

fn bash(id: &str, command: &str) -> Vec<Value> {
    call(0, id, "Bash", &json!({ "command": command }).to_string())
}

fn write(id: &str) -> Vec<Value> {
    call(0, id, "Write", &json!({ "file_path": "made.txt", "content": "one\ntwo\n" }).to_string())
}

/// All rules that were ever saved.
fn rules(person: &Person) -> String {
    let folder = person.scratch.path("home/agent-doc");
    let found = Command::new("grep").args(["-rhE", "^(allow|deny)"]).arg(folder).output().unwrap();
    String::from_utf8(found.stdout).unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_asks_with_a_diff_and_escape_saves_nothing() {
    let (person, server, pane) = world("").await;
    person.scratch.write("project/notes.md", DOCUMENT);
    pane.line("/doc notes.md make it");
    answer(asked(&server).await, write("t1"), "tool_use").await;
    let shown = pane.question();
    assert!(shown.contains("anthropic wants to write a file"), "{shown}");
    assert!(shown.contains("made.txt +2 -0") && shown.contains(" 2 + two"), "{shown}");
    assert!(shown.contains("saves 'allow Edit(") && shown.contains("permissions.rules"), "{shown}");
    pane.keys(&["Escape"]);
    pane.without("esc waits");
    pane.without("esc to interrupt");
    assert!(!person.scratch.path("project/made.txt").exists());
    assert_eq!(rules(&person), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_with_the_third_option_reach_the_agent_of_a_document() {
    let (person, server, pane) = world("").await;
    person.scratch.write("project/notes.md", DOCUMENT);
    pane.line("/doc notes.md make it");
    answer(asked(&server).await, bash("t1", "touch production"), "tool_use").await;
    pane.question();
    pane.keys(&["3"]);
    pane.until("without words everything stops");
    pane.line("use the staging db");
    let exchange = asked(&server).await;
    let last = messages(&exchange).last().unwrap().to_string();
    assert!(last.contains("the user said:\\nuse the staging db"), "{last}");
    answer(exchange, words(0, "Staging it is."), "end_turn").await;
    pane.until("answered in the document");
    assert!(person.scratch.read("project/notes.md").contains("Staging it is."));
}

/// What a planner says, and what the workers of a run want: Terminal a command, Researcher a page.
async fn two_workers_ask(server: &Server) {
    let plan = "1. Researcher: look it up\n2. Terminal: make it";
    answer(asked(server).await, words(0, plan), "end_turn").await;
    for _ in 0..2 {
        let exchange = asked(server).await;
        let calls = if exchange.request.body.contains("\"Bash\"") {
            bash("t1", "touch made")
        } else {
            call(0, "t2", "WebFetch", r#"{"url":"https://example.invalid/page"}"#)
        };
        answer(exchange, calls, "tool_use").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_of_a_run_ask_at_once_and_a_no_to_one_is_none_to_the_other() {
    let (person, server, pane) = world("").await;
    pane.line("/run find out what this is");
    two_workers_ask(&server).await;
    let shown = pane.until("1 more wait");
    let first_is_terminal = shown.contains("Terminal wants to run a command");
    assert!(first_is_terminal || shown.contains("Researcher wants to fetch a page"), "{shown}");
    for is_terminal in [first_is_terminal, !first_is_terminal] {
        let heading =
            if is_terminal { "Terminal wants to run a command" } else { "Researcher wants to fetch a page" };
        pane.wait(heading, |shown| shown.contains(heading) && shown.contains("esc waits"));
        pane.keys(&[if is_terminal { "1" } else { "4" }]);
    }
    wait_until("the command", || person.scratch.path("project/made").exists());
    wait_until("the rule", || rules(&person).contains("deny WebFetch("));
    // Both go on; stopping the run ends both.
    pane.until("esc to interrupt");
    pane.keys(&["Escape"]);
    pane.until("the run is stopped");
    pane.without("esc to interrupt");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_run_takes_the_questions_of_all_its_workers_along() {
    let (person, server, pane) = world("").await;
    pane.line("/run find out what this is");
    two_workers_ask(&server).await;
    pane.until("1 more wait");
    let id = run_of(&person);
    let cancelled = person.run(&["runs", "cancel", &id]);
    assert!(cancelled.status.success(), "{}", crate::scratch::told(&cancelled));
    pane.without("wants to");
    pane.without("esc to interrupt");
    assert!(!person.scratch.path("project/made").exists());
}

/// The name of the only run.
fn run_of(person: &Person) -> String {
    let folder = person.scratch.path("project/runs");
    wait_until("the run", || std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()));
    let entry = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
    entry.file_name().into_string().unwrap()
}

/// Answers whoever asks: a planner with a plan, and a worker, who asks the person something and ends.
async fn conversed(server: Server) {
    while let Ok(exchange) = server.accept().await {
        let last = messages(&exchange).last().cloned().unwrap_or_default().to_string();
        if !exchange.request.body.contains("\"Finished\"") {
            answer(exchange, words(0, "1. Terminal: measure"), "end_turn").await;
        } else if last.contains("tool_result") {
            answer(exchange, words(0, "Well."), "end_turn").await;
        } else {
            let input = json!({ "summary": "none", "question": "Which disk?" }).to_string();
            answer(exchange, call(0, "t1", "Finished", &input), "tool_use").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_lives_is_followed_takes_words_at_once_and_shows_what_it_asks() {
    let (person, server) = crate::chat_server::world().await;
    let mut child = person.start(&server, &["conduct", "how fast is it?"]);
    let plan = asked(&server).await;
    let id = run_of(&person);
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} follow {id}"));
    pane.until("following run");
    pane.until("What you type goes to the run at once.");
    pane.line("mind the cache");
    // The run has not even a plan, and has the words already.
    let draft = format!("project/runs/{id}/draft.md");
    wait_until("the words", || person.scratch.read(&draft).contains("/also mind the cache"));
    let shown = pane.until("› mind the cache");
    assert!(!shown.contains("next:") && !shown.contains("esc to interrupt"), "{shown}");
    answer(plan, words(0, "1. Terminal: measure"), "end_turn").await;
    let served = tokio::spawn(conversed(server));
    // What the person added is looked into first.
    pane.until("Researcher asks: Which disk?");
    pane.line("@Researcher the first one");
    wait_until("the answer", || person.scratch.read(&draft).contains("@Researcher the first one"));
    pane.leave();
    served.abort();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_followed_is_told_in_whole_lines_and_ends_with_its_reader() {
    let person = Person::new();
    person.scratch.write("project/notes.md", DOCUMENT);
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} follow --plain notes.md"));
    pane.wait("the prompt", |shown| shown.trim_end().ends_with("You:"));
    person.scratch.write("project/notes.md", DOCUMENT.replace("Hello.", "Good day."));
    let shown = pane.until("+ Good day.");
    assert!(shown.contains("File notes.md: 1 lines added, 1 removed."), "{shown}");
    assert!(shown.contains("- Hello.") && !shown.contains('─'), "{shown}");
    pane.keys(&["C-c"]);
    pane.until("Ctrl-C again to leave.");
    pane.keys(&["C-c"]);
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
    // Whoever reads it may go.
    pane.line(&format!("clear; {PROGRAM} follow --plain notes.md | head -1"));
    pane.until("Status: following notes.md");
    person.scratch.write("project/notes.md", DOCUMENT.replace("Hello.", "Good night."));
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
}
