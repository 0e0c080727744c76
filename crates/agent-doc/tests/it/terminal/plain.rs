//! The conversation in whole lines, for screen readers.

use serde_json::json;

use super::pane::{PROGRAM, Pane, asked, silent};
use crate::anthropic::{answer, begin, call, event, stop};
use crate::chat::Person;
use loopback::Server;

async fn plain() -> (Person, Server, Pane) {
    let (person, server) = crate::chat_server::world().await;
    let pane = Pane::shell(&person, Some(&server), 100, 45);
    pane.line(&format!("{PROGRAM} chat --plain"));
    prompted(&pane);
    (person, server, pane)
}

fn prompted(pane: &Pane) -> String {
    pane.wait("the prompt", |shown| shown.trim_end().ends_with("You:"))
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_were_typed_before_a_question_do_not_answer_it() {
    let (person, server, pane) = plain().await;
    pane.line("go");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    pane.line("1");
    pane.line("1");
    let input = json!({ "command": "touch made" }).to_string();
    for object in call(0, "t1", "Bash", &input).into_iter().chain(stop("tool_use")) {
        event(&mut exchange, object).await;
    }
    exchange.end().await.unwrap();
    let shown = pane.until("Your number, or nothing to wait:");
    silent(&server).await;
    assert!(shown.contains("touch made") && !person.scratch.path("project/made").exists(), "{shown}");
    pane.line("1");
    let exchange = asked(&server).await;
    assert!(person.scratch.path("project/made").exists());
    answer(exchange, crate::anthropic::words(0, "Made."), "end_turn").await;
    pane.until("Made.");
    prompted(&pane);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_read_out_before_it_is_decided() {
    let (person, server, pane) = plain().await;
    pane.line("mend");
    answer(asked(&server).await, call(0, "t0", "Read", r#"{"file_path":"README.md"}"#), "tool_use").await;
    let input = json!({ "file_path": "README.md", "old_string": "counts the words", "new_string": "counts all words" });
    answer(asked(&server).await, call(0, "t1", "Edit", &input.to_string()), "tool_use").await;
    let shown = pane.until("Your number, or nothing to wait:");
    assert!(shown.contains("File README.md: 1 lines added, 1 removed."), "{shown}");
    assert!(shown.contains(" 3 - Tally counts the words of log files."), "{shown}");
    assert!(shown.contains(" 3 + Tally counts all words of log files."), "{shown}");
    // Nothing is a no.
    pane.keys(&["Enter"]);
    prompted(&pane);
    assert!(person.scratch.read("project/README.md").contains("counts the words"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_turn_says_what_was_not_heard_and_twice_leaves() {
    let (_person, server, pane) = plain().await;
    pane.line("too early");
    let mut exchange = asked(&server).await;
    pane.keys(&["C-c"]);
    tokio::time::timeout(std::time::Duration::from_secs(20), exchange.closed())
        .await
        .expect("the stream goes on")
        .unwrap();
    let shown = prompted(&pane);
    assert!(shown.contains("Interrupted."), "{shown}");
    assert!(shown.contains("This was not heard. Type it again if you want it: too early"), "{shown}");
    // Commands work here too.
    pane.line("/permissions");
    pane.until("There are none");
    prompted(&pane);
    // The first one may be the second one after the stop, if all of this was quick; that one leaves as well.
    pane.keys(&["C-c"]);
    pane.wait("an answer", |shown| {
        shown.contains("Ctrl-C again to leave.") || shown.trim_end().ends_with("ready>")
    });
    pane.keys(&["C-c"]);
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
}

#[test]
fn a_reader_that_goes_ends_the_program() {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} chat --plain --model offline | head -1"));
    pane.until("Status: offline");
    pane.line("what does this project do?");
    pane.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
}
