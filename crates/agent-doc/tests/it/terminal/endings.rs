//! How the program leaves the terminal, and what it does where there is none.

use std::process::Command;

use super::pane::{PROGRAM, Pane, asked, world};
use crate::anthropic::{answer, begin, words};
use crate::chat::Person;
use crate::scratch::told;

/// Whether the shell's terminal is as a person expects it.
fn is_whole(pane: &Pane) {
    pane.line("clear; stty -a | grep -o -e '-*icanon' -e ' -*echo ' | tr '\\n' '.'; echo over");
    let shown = pane.until(".over");
    assert!(shown.contains("icanon") && !shown.contains("-icanon") && !shown.contains("-echo"), "{shown}");
    assert_eq!(pane.tmux(&["display-message", "-p", "#{cursor_flag}"]).trim(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_gives_the_terminal_back_and_says_how_to_go_on() {
    let (_person, server, pane) = world("").await;
    pane.line("hello");
    answer(asked(&server).await, words(0, "Good day."), "end_turn").await;
    pane.until("Good day.");
    pane.leave();
    let shown = pane.shown();
    assert!(shown.contains("Good day.") && shown.contains("agent-doc chat --resume"), "{shown}");
    assert!(!shown.contains("───"), "{shown}");
    is_whole(&pane);
    // The conversation goes on.
    pane.anew(&format!("{PROGRAM} chat --continue"));
    pane.until("/help");
    let shown = pane.until("Good day.");
    assert!(shown.contains("› hello"), "{shown}");
    pane.keys(&["C-d"]);
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_termination_in_the_middle_of_an_answer_gives_the_terminal_back() {
    let (_person, server, pane) = world("").await;
    pane.line("hello");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    let found = Command::new("pgrep").args(["-f", "--", &format!("{PROGRAM} chat")]).output().unwrap();
    let shell = pane.tmux(&["display-message", "-p", "#{pane_pid}"]);
    let children = Command::new("pgrep").args(["-P", shell.trim()]).output().unwrap();
    let child = String::from_utf8(children.stdout).unwrap();
    assert!(String::from_utf8(found.stdout).unwrap().contains(child.trim()));
    assert!(Command::new("kill").args(["-TERM", child.trim()]).status().unwrap().success());
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
    pane.line("echo code $?");
    pane.until("code 143");
    is_whole(&pane);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_is_closed_ends_the_program_and_keeps_what_was_said() {
    let (person, server, pane) = world("").await;
    pane.line("hello");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    for object in words(0, "Half of it.") {
        crate::anthropic::event(&mut exchange, object).await;
    }
    pane.until("Half of it.");
    drop(pane);
    // The program is gone when nobody holds the connection any more.
    let closed = tokio::time::timeout(std::time::Duration::from_secs(30), exchange.closed()).await;
    closed.expect("the program lives on without a terminal").unwrap();
    let child = tokio::task::spawn_blocking(move || {
        for _ in 0..3000 {
            let output = person.run(&[
                "chat",
                "-p",
                "and?",
                "--continue",
                "--model",
                "offline",
                "--output-format",
                "json",
            ]);
            if output.status.success() {
                return person.run(&["stats"]);
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("the conversation is still held");
    });
    let stats = child.await.unwrap();
    assert!(told(&stats).contains("1 interrupted"), "{}", told(&stats));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_reached_is_waited_for_and_can_be_given_up() {
    let (_person, server, pane) = world("").await;
    drop(server);
    pane.line("is anybody there?");
    pane.until("attempt 1 of");
    pane.keys(&["Escape"]);
    pane.until("Interrupted.");
    pane.wait("the prompt", |shown| {
        shown.trim_end().lines().rev().take(4).any(|line| line.starts_with("› is anybody there?"))
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_can_be_left_for_a_while() {
    let (_person, server, pane) = world("").await;
    pane.letters("half a prompt");
    pane.until("half a prompt");
    pane.keys(&["C-z"]);
    pane.until("Stopped");
    is_whole(&pane);
    pane.line("fg");
    pane.until("/help");
    pane.until("› half a prompt");
    pane.line(" and the rest");
    let exchange = asked(&server).await;
    assert_eq!(crate::anthropic::messages(&exchange)[0]["content"][0]["text"], "half a prompt and the rest");
    answer(exchange, words(0, "Whole."), "end_turn").await;
    pane.until("Whole.");
}

#[test]
fn without_a_command_a_person_at_a_terminal_talks_and_a_program_gets_help() {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 40);
    pane.line(&format!("{PROGRAM} --model offline 2>&1 | head -3; {PROGRAM}"));
    pane.until("offline");
    pane.until("/help");
    pane.leave();
    let output = person.run(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("Usage: agent-doc"), "{}", told(&output));
}

#[test]
fn where_there_is_no_terminal_the_prompt_comes_from_the_input() {
    let person = Person::new();
    let mut command = person.command(&["chat", "--model", "offline"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"what does this project do?\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(told(&output).contains("Tally counts the words"), "{}", told(&output));
    assert!(told(&output).contains("! standard input is no terminal"), "{}", told(&output));
    let empty = person.run(&["chat"]);
    assert_eq!(empty.status.code(), Some(2), "{}", told(&empty));
}

#[test]
fn plain_mode_talks_in_whole_lines() {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 40);
    pane.line(&format!("{PROGRAM} chat --plain --model offline"));
    pane.until("You:");
    pane.line("what does this project do?");
    let shown = pane.until("Tally counts the words of log files.");
    assert!(shown.contains("Tool Read: README.md") || shown.contains("Tool "), "{shown}");
    pane.line("$ touch made");
    pane.until("Your number, or nothing to wait:");
    pane.line("1");
    pane.wait("the next prompt", |shown| shown.trim_end().ends_with("You:"));
    assert!(person.scratch.path("project/made").exists());
    pane.line("/quit");
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
    assert!(!pane.tmux(&["capture-pane", "-p", "-e"]).contains("\u{1b}[36m"), "{}", pane.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_goes_on_after_the_program_was_left_for_a_while_in_its_middle() {
    let (_person, server, pane) = world("").await;
    pane.line("tell");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    let mut said = words(0, "Once upon a time.");
    crate::anthropic::event(&mut exchange, said.remove(0)).await;
    pane.keys(&["C-z"]);
    pane.until("Stopped");
    for object in said.into_iter().chain(crate::anthropic::stop("end_turn")) {
        crate::anthropic::event(&mut exchange, object).await;
    }
    exchange.end().await.unwrap();
    is_whole(&pane);
    pane.line("fg");
    pane.until("Once upon a time.");
    pane.without("esc to interrupt");
    pane.line("and then?");
    answer(asked(&server).await, words(0, "The end."), "end_turn").await;
    pane.until("The end.");
}

#[test]
fn a_reader_that_goes_is_no_error_of_ours() {
    let person = Person::new();
    let mut command = person.command(&["chat", "-p", "what does this project do?", "--model", "offline"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!told(&output).contains("panicked"), "{}", told(&output));
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}
