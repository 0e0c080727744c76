//! The checklist of the plan for the terminal, line by line, and its scenarios.

use serde_json::json;

use super::pane::{asked, silent, world};
use crate::anthropic::{answer, call, messages, words};

#[tokio::test(flavor = "multi_thread")]
async fn the_checklist_of_the_plan_line_by_line() {
    let (person, server, pane) = world("").await;
    // Start conversation with complex task.
    pane.line("find out what this is, then make a file");
    let exchange = asked(&server).await;
    assert_eq!(messages(&exchange)[0]["content"][0]["text"], "find out what this is, then make a file");
    // Verify autonomous tool execution: two rounds of tools, without a key pressed.
    let both = [
        call(0, "t1", "Read", r#"{"file_path":"README.md"}"#),
        call(1, "t2", "Bash", r#"{"command":"ls src"}"#),
    ];
    answer(exchange, both.concat(), "tool_use").await;
    let exchange = asked(&server).await;
    let results = &messages(&exchange)[2];
    assert_eq!(results["role"], "user");
    assert!(
        results.to_string().contains("Tally counts") && results.to_string().contains("main.rs"),
        "{results}"
    );
    // Test option 3: everything stops at once.
    let calls = [
        [words(0, "I make **two** files.")].concat(),
        call(1, "t3", "Bash", r#"{"command":"touch made"}"#),
        call(2, "t4", "Bash", r#"{"command":"touch also"}"#),
    ];
    answer(exchange, calls.concat(), "tool_use").await;
    let shown = pane.question();
    assert!(shown.contains("agent wants to run a command") && shown.contains("touch made"), "{shown}");
    for option in [
        "1. Allow this time",
        "2. Always allow",
        "3. Wait and tell agent what to do differently",
        "4. Never allow",
    ] {
        assert!(shown.contains(option), "{option}: {shown}");
    }
    assert!(
        shown.contains("saves 'allow Bash(touch made)'") && shown.contains("permissions.rules"),
        "{shown}"
    );
    pane.keys(&["3", "Enter"]);
    // Verify interrupt message appears.
    let shown = pane.until("[Tool execution interrupted - waiting for user feedback]");
    assert!(!shown.contains("esc to interrupt"), "{shown}");
    silent(&server).await;
    // Test continuation after providing new instructions.
    pane.line("use another name");
    let exchange = asked(&server).await;
    let last = messages(&exchange).last().unwrap().to_string();
    assert!(
        last.contains("[Request interrupted by user for tool use]") && last.contains("use another name"),
        "{last}"
    );
    assert!(last.contains("Not executed: an earlier tool call in this step was rejected"), "{last}");
    // Verify no tools execute after abort.
    assert!(!person.scratch.path("project/made").exists() && !person.scratch.path("project/also").exists());
    answer(exchange, words(0, "# Done\n\n- one\n- `two`\n\nNothing was made."), "end_turn").await;
    // Check message formatting in UI.
    let shown = pane.until("Nothing was made.");
    assert!(shown.contains("Done\n\n• one\n• two\n\nNothing was made."), "{shown}");
    assert!(shown.contains("I make two files."), "{shown}");
    // Verify tool results appear correctly.
    assert!(shown.contains("● Read README.md") && shown.contains("● Bash ls src\n  │ main.rs"), "{shown}");
    pane.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_and_refused_calls_of_one_step_are_answered_in_order() {
    let (person, server, pane) = world("--allow 'Bash(touch third)' --allow 'Edit(/third)'").await;
    pane.line("make three");
    let run = |index: usize, name: &str| {
        call(index, &format!("t{index}"), "Bash", &json!({ "command": format!("{name}") }).to_string())
    };
    answer(
        asked(&server).await,
        [run(0, "touch first"), run(1, "mkdir second"), run(2, "touch third")].concat(),
        "tool_use",
    )
    .await;
    pane.question();
    pane.keys(&["1"]);
    pane.until("mkdir second");
    pane.question();
    pane.keys(&["4"]);
    let exchange = asked(&server).await;
    let results = messages(&exchange).last().unwrap()["content"].clone();
    let failed: Vec<bool> =
        results.as_array().unwrap().iter().map(|result| result["is_error"] == true).collect();
    assert_eq!(failed, [false, true, false], "{results}");
    assert!(person.scratch.path("project/first").exists() && person.scratch.path("project/third").exists());
    assert!(!person.scratch.path("project/second").exists());
    answer(exchange, words(0, "Two of three."), "end_turn").await;
    pane.until("Two of three.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_the_limit_cut_off_goes_on_and_is_shown_as_one() {
    let (_person, server, pane) = world("").await;
    pane.line("tell");
    answer(asked(&server).await, words(0, "Once upon a ti"), "max_tokens").await;
    answer(asked(&server).await, words(0, "me there was."), "end_turn").await;
    pane.until("Once upon a time there was.");
    pane.without("esc to interrupt");
    let shown = pane.shown();
    assert_eq!(shown.matches("Once upon a time there was.").count(), 1, "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_what_they_cost_stand_on_the_status_line() {
    let (person, server) = crate::chat_server::world().await;
    std::fs::create_dir_all(person.scratch.path("home/agent-doc")).unwrap();
    let prices = "[price]\ninput = 100000\noutput = 200000\n";
    person.scratch.write("home/agent-doc/config.toml", prices);
    let pane = super::pane::Pane::chat(&person, &server, "");
    pane.line("tell");
    answer(asked(&server).await, words(0, "It is so."), "end_turn").await;
    // Ten tokens in and five out.
    pane.until("15 tokens · $2.00");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_provider_are_told_and_waited_for_and_the_conversation_goes_on() {
    let (_person, server, pane) = world("").await;
    pane.line("hello");
    let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    asked(&server).await.answer(529, &[("retry-after", "2")], overloaded).await.unwrap();
    pane.until("attempt 1 of 8");
    answer(asked(&server).await, words(0, "Good day."), "end_turn").await;
    pane.until("Good day.");
    pane.line("and again");
    let refused =
        br#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    asked(&server).await.answer(401, &[], refused).await.unwrap();
    let shown = pane.until("refused the key");
    assert!(shown.contains("ANTHROPIC_API_KEY") && !shown.contains("sk-ant"), "{shown}");
    pane.without("esc to interrupt");
    pane.keys(&["C-u"]);
    pane.line("once more");
    answer(asked(&server).await, words(0, "Still here."), "end_turn").await;
    pane.until("Still here.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tools_found_is_in_the_answer_that_follows() {
    let (_person, server, pane) = world("").await;
    pane.line("what is it?");
    answer(asked(&server).await, call(0, "t1", "Read", r#"{"file_path":"README.md"}"#), "tool_use").await;
    let exchange = asked(&server).await;
    assert!(messages(&exchange)[2].to_string().contains("Tally counts"));
    answer(exchange, words(0, "It counts words."), "end_turn").await;
    let shown = pane.until("It counts words.");
    assert!(shown.find("Read README.md").unwrap() < shown.find("It counts words.").unwrap(), "{shown}");
}
