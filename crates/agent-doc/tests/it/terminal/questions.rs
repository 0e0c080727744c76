//! Questions at the terminal: what each answer does, to this call and to the next.

use serde_json::json;

use super::pane::{asked, world};
use crate::anthropic::{answer, call, messages, words};

fn bash(id: &str, command: &str) -> Vec<serde_json::Value> {
    call(0, id, "Bash", &json!({ "command": command }).to_string())
}

fn rules(person: &crate::chat::Person) -> String {
    let folder = person.scratch.path("home/agent-doc/projects");
    let found = std::process::Command::new("find")
        .arg(folder)
        .args(["-name", "permissions.rules", "-exec", "cat", "{}", ";"])
        .output();
    String::from_utf8(found.unwrap().stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn once_is_once_and_always_is_kept_and_can_be_taken_back() {
    let (person, server, pane) = world("").await;
    pane.line("build");
    answer(asked(&server).await, bash("t1", "cargo frobnicate --release"), "tool_use").await;
    pane.question();
    pane.keys(&["1"]);
    // The same again is asked again.
    answer(asked(&server).await, bash("t2", "cargo frobnicate --release"), "tool_use").await;
    let shown = pane.question();
    assert!(shown.contains("saves 'allow Bash(cargo frobnicate *)'"), "{shown}");
    pane.keys(&["2"]);
    // What the rule covers runs unasked.
    answer(asked(&server).await, bash("t3", "cargo frobnicate -p x"), "tool_use").await;
    answer(asked(&server).await, words(0, "Built."), "end_turn").await;
    pane.until("Built.");
    assert!(rules(&person).contains("allow Bash(cargo frobnicate *)"), "{}", rules(&person));
    // It is listed with its file, and its removal takes effect at once.
    pane.line("/permissions");
    let shown = pane.until("• allow Bash(cargo frobnicate *)");
    assert!(shown.contains("permissions.rules (yours, in this project)"), "{shown}");
    pane.line("/permissions remove allow Bash(cargo frobnicate *)");
    pane.until("removed 'allow Bash(cargo frobnicate *)'");
    assert!(!rules(&person).contains("frobnicate"), "{}", rules(&person));
    pane.line("once more");
    answer(asked(&server).await, bash("t4", "cargo frobnicate -p y"), "tool_use").await;
    pane.question();
    pane.keys(&["Escape"]);
    pane.until("[Tool execution interrupted - waiting for user feedback]");
}

#[tokio::test(flavor = "multi_thread")]
async fn never_is_kept_and_the_agent_goes_on() {
    let (person, server, pane) = world("").await;
    pane.line("fetch");
    answer(asked(&server).await, bash("t1", "wget http://localhost:1/x"), "tool_use").await;
    pane.question();
    pane.keys(&["Down", "Down", "Down", "Enter"]);
    let exchange = asked(&server).await;
    assert!(messages(&exchange)[2].to_string().contains("has been denied"));
    assert!(rules(&person).contains("deny Bash(wget *)"), "{}", rules(&person));
    answer(exchange, bash("t2", "wget http://localhost:1/y"), "tool_use").await;
    answer(asked(&server).await, words(0, "I may not."), "end_turn").await;
    let shown = pane.until("I may not.");
    assert!(shown.contains("Bash did not run"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_with_the_third_option_go_to_the_model_which_goes_on() {
    let (_person, server, pane) = world("").await;
    pane.line("migrate");
    answer(asked(&server).await, bash("t1", "touch production"), "tool_use").await;
    pane.question();
    pane.keys(&["3"]);
    pane.until("without words everything stops");
    pane.line("use the staging db");
    let exchange = asked(&server).await;
    let last = messages(&exchange).last().unwrap().to_string();
    assert!(last.contains("the user said:\\nuse the staging db"), "{last}");
    answer(exchange, words(0, "Staging it is."), "end_turn").await;
    pane.until("Staging it is.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_hides_something_is_shown_as_it_is_and_no_rule_is_offered_for_a_program() {
    let (person, server, pane) = world("").await;
    pane.line("go");
    answer(
        asked(&server).await,
        bash("t1", "for f in *; do touch \"$f\u{200b}\u{1b}[2J\"; done\ntouch x"),
        "tool_use",
    )
    .await;
    let shown = pane.question();
    assert!(shown.contains("\\u{200b}\\u{1b}[2J"), "{shown}");
    assert!(!shown.contains("2. Always"), "{shown}");
    pane.keys(&["Escape"]);
    pane.until("waiting for user feedback");
    assert!(!person.scratch.path("project/x").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_asked_about_and_shown_as_a_diff_and_unasked_in_its_mode() {
    let (person, server, pane) = world("").await;
    pane.line("mend");
    answer(asked(&server).await, call(0, "t0", "Read", r#"{"file_path":"README.md"}"#), "tool_use").await;
    let edit = |id: &str, old: &str, new: &str| {
        call(
            0,
            id,
            "Edit",
            &json!({ "file_path": "README.md", "old_string": old, "new_string": new }).to_string(),
        )
    };
    answer(asked(&server).await, edit("t1", "counts the words", "counts all words"), "tool_use").await;
    let shown = pane.question();
    assert!(shown.contains("README.md +1 -1"), "{shown}");
    assert!(
        shown.contains(" 3 - Tally counts the words") && shown.contains(" 3 + Tally counts all words"),
        "{shown}"
    );
    pane.keys(&["1"]);
    let exchange = asked(&server).await;
    assert!(person.scratch.read("project/README.md").contains("counts all words"));
    answer(exchange, words(0, "Mended."), "end_turn").await;
    pane.until("Mended.");
    pane.keys(&["BTab"]);
    pane.until("accept-edits mode");
    pane.line("again");
    answer(asked(&server).await, edit("t2", "counts all words", "counts every word"), "tool_use").await;
    answer(asked(&server).await, words(0, "Mended again."), "end_turn").await;
    let shown = pane.until("Mended again.");
    assert!(shown.contains("● Edit README.md +1 -1"), "{shown}");
    pane.keys(&["BTab"]);
    pane.until("plan mode");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_can_ask_the_person_something() {
    let (_person, server, pane) = world("").await;
    pane.line("choose");
    let input =
        json!({ "questions": [{ "question": "Which colour?", "options": ["red", "blue"] }] }).to_string();
    answer(asked(&server).await, call(0, "t1", "AskUser", &input), "tool_use").await;
    let shown = pane.question();
    assert!(shown.contains("Which colour?") && shown.contains("3. Something else"), "{shown}");
    pane.keys(&["2"]);
    let exchange = asked(&server).await;
    assert!(messages(&exchange)[2].to_string().contains("blue"), "{:?}", messages(&exchange));
    answer(exchange, words(0, "Blue it is."), "end_turn").await;
    pane.until("Blue it is.");
}
