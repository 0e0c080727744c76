//! Stopping: at any moment, at once, and nothing is lost.

use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::pane::{asked, silent, world};
use crate::anthropic::{answer, begin, call, event, messages, opened, words};

#[tokio::test(flavor = "multi_thread")]
async fn escape_stops_an_answer_and_keeps_what_was_said() {
    let (_person, server, pane) = world("").await;
    pane.line("count");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    let text = json!({ "type": "text", "text": "" });
    for object in opened(0, text, &[json!({ "type": "text_delta", "text": "One, two and " })]) {
        event(&mut exchange, object).await;
    }
    pane.until("One, two and");
    pane.keys(&["Escape"]);
    tokio::time::timeout(Duration::from_secs(20), exchange.closed())
        .await
        .expect("the stream goes on")
        .unwrap();
    let shown = pane.until("Interrupted.");
    assert!(shown.contains("One, two and") && !shown.contains("esc to interrupt"), "{shown}");
    pane.line("go on");
    let exchange = asked(&server).await;
    let sent = messages(&exchange);
    assert_eq!(sent[1]["content"][0]["text"], "One, two and ", "{sent:?}");
    assert_eq!(sent[2]["content"][0]["text"], "[Request interrupted by user]", "{sent:?}");
    assert_eq!(sent[2]["content"][1]["text"], "go on", "{sent:?}");
    answer(exchange, words(0, "three."), "end_turn").await;
    pane.until("three.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_was_stopped_before_the_first_word_comes_back() {
    let (_person, server, pane) = world("").await;
    pane.line("too early");
    let mut exchange = asked(&server).await;
    pane.keys(&["Escape"]);
    tokio::time::timeout(Duration::from_secs(20), exchange.closed())
        .await
        .expect("the stream goes on")
        .unwrap();
    pane.until("Interrupted.");
    pane.wait("the prompt", |shown| {
        shown.trim_end().lines().rev().take(4).any(|line| line.starts_with("› too early"))
    });
    pane.line(" and more");
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange).len(), 1, "{:?}", messages(&exchange));
    answer(exchange, words(0, "Now."), "end_turn").await;
    pane.until("Now.");
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_ends_a_command_with_all_that_it_started() {
    let (person, server, pane) = world("--allow Bash --allow Edit").await;
    let pipe = person.scratch.path("project/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pane.line("wait");
    // Each process of the command holds the pipe, so it ends when the last of them has ended.
    let input = json!({ "command": "exec 3> pipe; echo begun >&3; sleep 600 & sleep 600" }).to_string();
    answer(asked(&server).await, call(0, "t1", "Bash", &input), "tool_use").await;
    let reading = tokio::task::spawn_blocking(move || std::fs::File::open(pipe).unwrap());
    let mut file =
        tokio::time::timeout(Duration::from_secs(60), reading).await.expect("it did not begin").unwrap();
    file.read_exact(&mut [0; 6]).unwrap();
    pane.keys(&["Escape"]);
    let rest = tokio::task::spawn_blocking(move || file.read_to_end(&mut Vec::new()));
    // A second is promised; a machine with other work gets a few more.
    tokio::time::timeout(Duration::from_secs(5), rest).await.expect("the command lives on").unwrap().unwrap();
    let shown = pane.until("Interrupted.");
    assert!(shown.contains("✗ Bash"), "{shown}");
    silent(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_meanwhile_waits_visibly_and_is_sent_afterwards() {
    let (_person, server, pane) = world("").await;
    pane.line("first");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    pane.line("second");
    pane.until("next: second");
    pane.keys(&["Up"]);
    pane.without("next: second");
    pane.line(" thought");
    pane.until("next: second thought");
    for object in words(0, "Answer to the first.").into_iter().chain(crate::anthropic::stop("end_turn")) {
        event(&mut exchange, object).await;
    }
    exchange.end().await.unwrap();
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange)[2]["content"][0]["text"], "second thought");
    answer(exchange, words(0, "Answer to the second."), "end_turn").await;
    let shown = pane.until("Answer to the second.");
    assert!(!shown.contains("next:"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_while_a_tool_runs_goes_along_with_its_result() {
    let (_person, server, pane) = world("").await;
    pane.line("first");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    pane.line("mind the gap");
    pane.until("next: mind the gap");
    let mut calls = call(0, "t1", "Read", r#"{"file_path":"README.md"}"#);
    // As soon as the model begins a call there will be a next step, and what waits is handed over.
    event(&mut exchange, calls.remove(0)).await;
    pane.without("next: mind the gap");
    for object in calls.into_iter().chain(crate::anthropic::stop("tool_use")) {
        event(&mut exchange, object).await;
    }
    exchange.end().await.unwrap();
    let exchange = asked(&server).await;
    let last = messages(&exchange).last().unwrap().to_string();
    assert!(last.contains("Tally counts") && last.contains("mind the gap"), "{last}");
    answer(exchange, words(0, "Minded."), "end_turn").await;
    pane.until("Minded.");
}

#[tokio::test(flavor = "multi_thread")]
async fn twice_escape_goes_back_to_before_a_prompt() {
    let (_person, server, pane) = world("").await;
    for (prompt, said) in [("first question", "First answer."), ("second question", "Second answer.")] {
        pane.line(prompt);
        answer(asked(&server).await, words(0, said), "end_turn").await;
        pane.until(said);
        pane.without("esc to interrupt");
    }
    pane.keys(&["Escape"]);
    pane.until("esc again to go back");
    pane.keys(&["Escape"]);
    pane.until("▸ second question");
    pane.keys(&["Up", "Enter"]);
    pane.until("back to before the prompt");
    pane.wait("the prompt", |shown| {
        shown.trim_end().lines().rev().take(4).any(|line| line.starts_with("› first question"))
    });
    pane.line(" again");
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange).len(), 1, "{:?}", messages(&exchange));
    answer(exchange, words(0, "Anew."), "end_turn").await;
    pane.until("Anew.");
}
