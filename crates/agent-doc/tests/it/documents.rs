//! An agent that writes in documents through `chat -p`, beside people and other processes.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use loopback::{Exchange, Server};
use serde_json::{Value, json};

use crate::anthropic::{answer, body, call, messages, words};
use crate::chat::{Person, ended, text};
use crate::scratch::told;

const PLAN: &str = "# Plan\n\n## Log\n\nOne.\n\n## Notes\n\nold words\n";
pub(crate) const EDIT: [&str; 2] = ["--allow", "Edit(/**)"];

/// A person with a plan.
fn planner() -> Person {
    let person = Person::new();
    person.scratch.write("project/plan.md", PLAN);
    person
}

pub(crate) async fn accept(server: &Server) -> Exchange {
    let patience = Duration::from_secs(60);
    tokio::time::timeout(patience, server.accept()).await.expect("nobody asks").unwrap()
}

/// The model calls a tool; what it got is in the next request.
pub(crate) async fn does(server: &Server, id: &str, tool: &str, input: Value) {
    answer(accept(server).await, call(0, id, tool, &input.to_string()), "tool_use").await;
}

/// What the last call gave, and whether it failed.
pub(crate) fn got(exchange: &Exchange) -> (String, bool) {
    let last = messages(exchange).pop().unwrap()["content"][0].clone();
    (last["content"].to_string(), last["is_error"] == true)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_reads_a_section_and_another_process_writes_before_it_does() {
    let (person, server) = (planner(), Server::start().await.unwrap());
    let child = person.start(&server, &[&["chat", "-p", "mend the notes"][..], &EDIT].concat());
    let section = |more: Value| {
        let mut input = json!({ "file_path": "plan.md", "section": "Notes" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    does(&server, "t1", "ReadSection", section(json!({}))).await;
    let exchange = accept(&server).await;
    assert!(got(&exchange).0.contains("revision 0") && got(&exchange).0.contains("old words"));
    // The agent has the document open, and somebody else writes in it all the same.
    let written = person.run(&["section", "append", "plan.md", "Notes", "A person's words."]);
    assert!(written.status.success(), "{}", told(&written));
    let late = section(json!({ "revision": 0, "content": "new words" }));
    answer(exchange, call(0, "t2", "WriteSection", &late.to_string()), "tool_use").await;
    let exchange = accept(&server).await;
    let (conflict, is_error) = got(&exchange);
    assert!(
        is_error && conflict.contains("Conflict") && conflict.contains("A person's words."),
        "{conflict}"
    );
    let edit = section(json!({ "revision": 1, "old_string": "old words", "new_string": "new words" }));
    answer(exchange, call(0, "t3", "EditSection", &edit.to_string()), "tool_use").await;
    answer(accept(&server).await, words(0, "Done."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!(text(&output), "Done.\n", "{}", told(&output));
    let plan = person.scratch.read("project/plan.md");
    assert!(plan.contains("new words") && plan.contains("A person's words."), "{plan}");
    let history = text(&person.run(&["history", "plan.md"]));
    assert!(history.contains("agent") && history.contains("user"), "{history}");
    let left = person.scratch.path("project/.agent-doc/daemon.sock");
    assert!(!left.exists(), "nobody serves the documents any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn document_tools_follow_the_rules_about_files() {
    let (person, server) = (planner(), Server::start().await.unwrap());
    let child = person.start(&server, &["chat", "-p", "write"]);
    let first = accept(&server).await;
    let offered = body(&first)["tools"].to_string();
    for name in ["ReadDocument", "ReadSection", "AppendSection", "WriteSection", "EditSection"] {
        assert!(offered.contains(&format!("\"{name}\"")), "{offered}");
    }
    // Nobody searches the web, and nobody can be asked.
    assert!(!offered.contains("\"WebSearch\"") && !offered.contains("\"AskUser\""), "{offered}");
    let input = json!({ "file_path": "plan.md", "section": "Log", "content": "Two." });
    answer(first, call(0, "t1", "AppendSection", &input.to_string()), "tool_use").await;
    let exchange = accept(&server).await;
    let (refused, is_error) = got(&exchange);
    assert!(is_error && refused.contains("has been denied"), "{refused}");
    answer(exchange, words(0, "I may not."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "I may not.\n");
    assert_eq!(person.scratch.read("project/plan.md"), PLAN);
}

#[tokio::test(flavor = "multi_thread")]
async fn file_tools_write_documents_through_their_owner_and_under_the_name_of_the_agent() {
    let (person, server) = (planner(), Server::start().await.unwrap());
    person.scratch.write("project/notes.txt", "one\r\ntwo\r\n");
    let child = person.start(&server, &[&["chat", "-p", "edit"][..], &EDIT].concat());
    let edit =
        |path: &str, old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    does(&server, "t1", "Read", json!({ "file_path": "plan.md" })).await;
    does(&server, "t2", "Edit", edit("plan.md", "old words", "new words")).await;
    does(&server, "t3", "Write", json!({ "file_path": "more/new.md", "content": "# New\n" })).await;
    does(&server, "t4", "Read", json!({ "file_path": "notes.txt" })).await;
    does(&server, "t5", "Edit", edit("notes.txt", "one\ntwo", "one\nthree")).await;
    // A save that the agent has not seen is not overwritten.
    let exchange = accept(&server).await;
    assert!(!got(&exchange).1, "{}", got(&exchange).0);
    person.scratch.write("project/plan.md", person.scratch.read("project/plan.md").replace("One.", "1."));
    let late = edit("plan.md", "new words", "newer words");
    answer(exchange, call(0, "t6", "Edit", &late.to_string()), "tool_use").await;
    let exchange = accept(&server).await;
    let (refused, is_error) = got(&exchange);
    assert!(is_error && refused.contains("modified since it was read"), "{refused}");
    answer(exchange, words(0, "Done."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "Done.\n");
    let plan = person.scratch.read("project/plan.md");
    assert!(plan.contains("1.") && plan.contains("\nnew words"), "{plan}");
    assert_eq!(person.scratch.read("project/notes.txt"), "one\r\nthree\r\n");
    assert_eq!(person.scratch.read("project/more/new.md"), "# New\n");
    let blame = text(&person.run(&["blame", "plan.md"]));
    let line = blame.lines().find(|line| line.contains("new words")).unwrap();
    assert!(line.contains("agent"), "{blame}");
    assert!(text(&person.run(&["history", "notes.txt"])).is_empty(), "only documents have a history");
}

/// Somebody who saves a file until told to stop; gives back the lines that they wrote.
fn saver(path: std::path::PathBuf, stop: Arc<AtomicBool>, save: fn(&Path, &str)) -> JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let mut lines = Vec::new();
        while !stop.load(Ordering::SeqCst) {
            let line = format!("person {} of {}", lines.len(), path.file_name().unwrap().display());
            save(&path, &line);
            lines.push(line);
            std::thread::sleep(Duration::from_millis(15));
        }
        lines
    })
}

/// Loads the whole file and saves it with one line more, perhaps without what came in between.
fn resave(path: &Path, line: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    let beside = path.with_extension("saved");
    std::fs::write(&beside, format!("{text}{line}\n")).unwrap();
    std::fs::rename(beside, path).unwrap();
}

/// Adds a line in place.
fn add(path: &Path, line: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_edits_beside_two_who_save_the_same_files_lose_nothing() {
    const FILES: [&str; 2] = ["plan.md", "notes.txt"];
    const EACH: usize = 10;
    const ROUNDS: usize = 15;
    let (person, server) = (planner(), Server::start().await.unwrap());
    person.scratch.write("project/notes.txt", "begin\nend\n");
    person.scratch.write("project/plan.md", "begin\nend\n");
    let child = person.start(&server, &[&["chat", "-p", "edit"][..], &EDIT].concat());
    // It tells of each call, and would wait for somebody who listens.
    let output = tokio::spawn(ended(child));
    let mut exchange = accept(&server).await;
    let stop = Arc::new(AtomicBool::new(false));
    let savers = [("plan.md", resave as fn(&Path, &str)), ("notes.txt", add)];
    let savers = savers
        .map(|(name, save)| saver(person.scratch.path(&format!("project/{name}")), Arc::clone(&stop), save));
    // Each file is read before each edit; an edit may still come too late, and then it says so.
    let word = |number: usize, name: &str| format!("agent {number} of {name}");
    let mut written = Vec::new();
    for round in 0..ROUNDS {
        let calls = (round * EACH..(round + 1) * EACH).flat_map(|number| FILES.map(|name| (number, name)));
        let mut made = Vec::new();
        for (index, (number, name)) in calls.clone().enumerate() {
            let read = json!({ "file_path": name, "limit": 1 });
            let new = format!("begin\n{}", word(number, name));
            let edit = json!({ "file_path": name, "old_string": "begin", "new_string": new });
            made.extend(call(2 * index, &format!("r{round}-{index}"), "Read", &read.to_string()));
            made.extend(call(2 * index + 1, &format!("e{round}-{index}"), "Edit", &edit.to_string()));
        }
        answer(exchange, made, "tool_use").await;
        exchange = accept(&server).await;
        let results = messages(&exchange).pop().unwrap()["content"].as_array().unwrap().clone();
        let edits = results.iter().skip(1).step_by(2).zip(calls);
        let done = edits.filter(|(result, _)| result["is_error"] != true);
        written.extend(done.map(|(_, (number, name))| word(number, name)));
    }
    stop.store(true, Ordering::SeqCst);
    let saved: Vec<String> = savers.into_iter().flat_map(|saver| saver.join().unwrap()).collect();
    answer(exchange, words(0, "Done."), "end_turn").await;
    assert_eq!(text(&output.await.unwrap()), "Done.\n");
    let all = person.scratch.read("project/plan.md") + &person.scratch.read("project/notes.txt");
    let there: HashSet<&str> = all.lines().collect();
    let lost: Vec<&String> =
        saved.iter().chain(&written).filter(|line| !there.contains(line.as_str())).collect();
    println!("{} saves, {} of {} edits written", saved.len(), written.len(), 2 * EACH * ROUNDS);
    assert!(lost.is_empty() && !saved.is_empty() && !written.is_empty(), "{lost:?}\n{all}");
}
