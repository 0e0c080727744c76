//! Lines that begin with a slash, files after an at sign, and the person's own editor.

use std::os::unix::fs::PermissionsExt as _;

use super::pane::{PROGRAM, Pane, asked, world};
use crate::anthropic::{answer, messages, words};
use crate::chat::Person;

fn offline() -> (Person, Pane) {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} chat --model offline"));
    pane.until("/help");
    (person, pane)
}

#[test]
fn commands_are_offered_listed_and_mended() {
    let (_person, pane) = offline();
    pane.letters("/perm");
    pane.until("▸ permissions");
    pane.keys(&["Tab", "Enter"]);
    pane.until("There are none");
    pane.line("/help");
    let shown = pane.until("ctrl-l");
    for command in [
        "/model [NAME]",
        "/sessions",
        "/compact [WORDS]",
        "/rewind",
        "/export [FILE]",
        "/doc FILE [WORDS]",
        "/run OBJECTIVE",
    ] {
        assert!(pane.all().contains(command), "{command}: {shown}");
    }
    pane.line("/modle");
    pane.until("there is no command /modle; did you mean /mode?");
    pane.line("/frobnicate");
    pane.until("there is no command /frobnicate; /help lists all");
    pane.line("/model");
    pane.until("The model is offline");
    pane.line("/model nobody/knows");
    pane.until("it is not known who offers the model");
    pane.line("/mode plan");
    pane.until("plan mode");
}

#[test]
fn files_are_completed_and_a_conversation_is_exported_and_listed() {
    let (person, pane) = offline();
    pane.letters("read @mai");
    pane.until("▸ src/main.rs");
    pane.keys(&["Tab"]);
    pane.until("read @src/main.rs");
    pane.keys(&["Enter"]);
    pane.until("esc to interrupt");
    pane.without("esc to interrupt");
    pane.line("/export said.md");
    pane.until("written to said.md");
    assert!(person.scratch.read("project/said.md").contains("## You\n\nread @src/main.rs"));
    pane.line("/export said.md");
    pane.until("said.md is there already; name another file");
    pane.line("/sessions");
    let shown = pane.until("(this one)");
    assert!(shown.contains("read @src/main.rs"), "{shown}");
    pane.line("/new");
    pane.until("a new conversation begins here");
    pane.line("/rewind");
    pane.until("there is nothing to go back to");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_made_shorter() {
    let (_person, server, pane) = world("").await;
    pane.line("hello");
    answer(asked(&server).await, words(0, "Good day."), "end_turn").await;
    pane.until("Good day.");
    pane.without("esc to interrupt");
    pane.line("/compact keep the greeting");
    let exchange = asked(&server).await;
    assert!(exchange.request.body.contains("keep the greeting"));
    answer(exchange, words(0, "They greeted each other."), "end_turn").await;
    pane.until("a summary stands for");
    pane.without("esc to interrupt");
    pane.line("and now?");
    let exchange = asked(&server).await;
    assert!(messages(&exchange)[0].to_string().contains("They greeted each other."));
    answer(exchange, words(0, "Now this."), "end_turn").await;
    pane.until("Now this.");
}

#[test]
fn a_prompt_is_written_in_the_editor() {
    let person = Person::new();
    let editor = person.scratch.path("home/editor");
    std::fs::write(&editor, "#!/bin/sh\nprintf 'and from\\nthe editor\\n' >> \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let pane = Pane::shell(&person, None, 100, 40);
    pane.line(&format!("EDITOR={} {PROGRAM} chat --model offline", editor.display()));
    pane.until("/help");
    pane.letters("from the prompt ");
    pane.until("from the prompt");
    pane.keys(&["C-g"]);
    let shown = pane.until("the editor");
    assert!(shown.contains("› from the prompt and from\n  the editor"), "{shown}");
}

#[test]
fn a_session_document_is_answered_from_the_conversation() {
    let (person, pane) = offline();
    let document =
        "---\nsession:\nagent_doc_mode: append\nagent: offline\n---\n\n# Talk\n\n## User\n\nHello.\n";
    person.scratch.write("project/notes.md", document);
    pane.line("/doc notes.md What does this project do?");
    pane.until("answered in the document");
    let text = person.scratch.read("project/notes.md");
    assert!(text.contains("What does this project do?") && text.contains("Tally counts the words"), "{text}");
    pane.line("/doc nothing.md");
    pane.until("✗ ");
}

#[test]
fn a_run_is_started_and_followed() {
    let (person, pane) = offline();
    pane.line("/run what does this project do?");
    pane.until("esc to interrupt");
    pane.without("esc to interrupt");
    assert!(pane.all().contains("merged "), "{}", pane.all());
    let runs = std::fs::read_dir(person.scratch.path("project/runs")).unwrap().count();
    assert_eq!(runs, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_gone_on_with_by_name() {
    let (_person, server, pane) = world("--mode plan").await;
    pane.until("plan mode");
    pane.line("/mode default");
    pane.line("the first one");
    answer(asked(&server).await, words(0, "First answer."), "end_turn").await;
    pane.until("First answer.");
    pane.without("esc to interrupt");
    pane.leave();
    let shown = pane.shown();
    let name = shown.split("--resume ").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    // Another conversation, and from it back to the first.
    pane.anew(&format!("{PROGRAM} chat"));
    pane.until("/help");
    pane.line(&format!("/resume {name}"));
    pane.until("another conversation goes on here");
    let shown = pane.until("First answer.");
    assert!(shown.contains("› the first one"), "{shown}");
    // The model goes on by itself.
    pane.line("/continue");
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange)[0]["content"][0]["text"], "the first one");
    answer(exchange, words(0, "Second answer."), "end_turn").await;
    pane.until("Second answer.");
    pane.without("esc to interrupt");
    pane.keys(&["C-d"]);
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
    pane.anew(&format!("{PROGRAM} chat --resume {name}"));
    pane.until("/help");
    pane.until("Second answer.");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_answers_from_now_on() {
    let (_person, server, pane) = world("").await;
    pane.line("/model anthropic/another");
    pane.until("from now on anthropic/another answers");
    pane.line("hello");
    let exchange = asked(&server).await;
    assert_eq!(crate::anthropic::body(&exchange)["model"], "another");
    answer(exchange, words(0, "Good day."), "end_turn").await;
    pane.until("Good day.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_has_to_wait_stays_in_the_prompt() {
    let (_person, server, pane) = world("").await;
    pane.line("hello");
    let exchange = asked(&server).await;
    pane.line("/compact keep the greeting");
    pane.until("/compact is for when the agent is done");
    pane.until("› /compact keep the greeting");
    answer(exchange, words(0, "Good day."), "end_turn").await;
    pane.until("Good day.");
    pane.without("esc to interrupt");
    pane.keys(&["Enter"]);
    let exchange = asked(&server).await;
    assert!(exchange.request.body.contains("keep the greeting"));
    answer(exchange, words(0, "They greeted each other."), "end_turn").await;
    pane.until("a summary stands for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_gone_back_to_by_command() {
    let (_person, server, pane) = world("").await;
    pane.line("only question");
    answer(asked(&server).await, words(0, "Only answer."), "end_turn").await;
    pane.until("Only answer.");
    pane.without("esc to interrupt");
    pane.line("/rewind");
    pane.until("▸ only question");
    pane.keys(&["Enter"]);
    pane.until("back to before the prompt");
    pane.line(" again");
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange).len(), 1, "{:?}", messages(&exchange));
    answer(exchange, words(0, "Anew."), "end_turn").await;
    pane.until("Anew.");
}
