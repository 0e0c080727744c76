//! `chat -p` with a server that answers in every bad way, with processes that die, and with rules that do not fit.

use std::io::Read as _;
use std::process::Command;
use std::time::Duration;

use loopback::{Exchange, Server};
use serde_json::{Value, json};

use crate::anthropic::{answer, begin, call, event, messages, words};
use crate::chat::{Person, ended, text};
use crate::scratch::told;

const JSON: [&str; 2] = ["--output-format", "json"];

/// Long enough for the slowest machine; only a bug takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn world() -> (Person, Server) {
    (Person::new(), Server::start().await.unwrap())
}

pub(crate) async fn accept(server: &Server) -> Exchange {
    tokio::time::timeout(PATIENCE, server.accept()).await.expect("nobody asks").unwrap()
}

fn result(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", told(output)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_ends_at_its_limit_and_goes_on_in_the_next() {
    let (person, server) = world().await;
    let child = person.start(&server, &[&["chat", "-p", "look", "--max-turns", "2"][..], &JSON].concat());
    for file in ["README.md", "src/main.rs"] {
        let input = json!({ "file_path": file }).to_string();
        answer(accept(&server).await, call(0, &format!("t-{}", file.len()), "Read", &input), "tool_use")
            .await;
    }
    let output = ended(child).await;
    let limited = result(&output);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert_eq!((&limited["subtype"], &limited["num_turns"]), (&json!("error_max_turns"), &json!(2)));
    assert!(limited["result"].as_str().unwrap().contains("--continue"), "{limited}");

    let child = person.start(&server, &["chat", "-p", "go on", "--continue"]);
    let exchange = accept(&server).await;
    let sent = messages(&exchange);
    // All that was called was done before the turn ended, and is not done again.
    let last = sent.last().unwrap()["content"].as_array().unwrap();
    assert_eq!((sent.len(), last.len()), (5, 2), "{sent:?}");
    assert!(last[0].to_string().contains("println!") && last[0]["is_error"].is_null(), "{last:?}");
    assert_eq!(last[1]["text"], "go on");
    answer(exchange, words(0, "Done."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "Done.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_several_pieces_is_printed_whole() {
    let (person, server) = world().await;
    let child = person.start(&server, &["chat", "-p", "tell"]);
    answer(accept(&server).await, call(0, "t1", "Read", r#"{"file_path":"README.md"}"#), "tool_use").await;
    answer(accept(&server).await, words(0, "Once up"), "max_tokens").await;
    answer(accept(&server).await, words(0, "on a time."), "pause_turn").await;
    answer(accept(&server).await, words(0, "The end."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "Once upon a time.\n\nThe end.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_provider_is_told_and_waited_for() {
    let (person, server) = world().await;
    let child = person.start(&server, &["chat", "-p", "hello"]);
    let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for status in [529, 429, 500] {
        accept(&server).await.answer(status, &[("retry-after-ms", "1")], overloaded).await.unwrap();
    }
    answer(accept(&server).await, words(0, "Good day."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!(text(&output), "Good day.\n", "{}", told(&output));
    assert_eq!(told(&output).matches("Overloaded").count(), 3, "{}", told(&output));
    assert!(told(&output).contains("attempt 3 of 8"), "{}", told(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_rule_allows_is_answered_and_listed() {
    let (person, server) = world().await;
    let child = person.start(&server, &[&["chat", "-p", "clean"][..], &JSON].concat());
    answer(accept(&server).await, call(0, "t1", "Bash", r#"{"command":"rm README.md"}"#), "tool_use").await;
    let exchange = accept(&server).await;
    assert_eq!(messages(&exchange)[2]["content"][0]["is_error"], true);
    answer(exchange, words(0, "I may not."), "end_turn").await;
    let output = ended(child).await;
    let denials = result(&output)["permission_denials"].clone();
    assert_eq!(denials.as_array().unwrap().len(), 1, "{denials}");
    assert!(denials[0].as_str().unwrap().contains("rm README.md"), "{denials}");
    assert!(person.scratch.path("project/README.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_rules_that_is_not_understood_stops_everything() {
    let (person, server) = world().await;
    std::fs::create_dir_all(person.scratch.path("home/agent-doc")).unwrap();
    person.scratch.write("home/agent-doc/permissions.rules", "deny Bash(rm *)\npermit everything\n");
    let output = ended(person.start(&server, &["chat", "-p", "hello"])).await;
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("permissions.rules, line 2: "), "{}", told(&output));
}

/// Lets the model make these calls at once. Gives back what it got for each, as JSON.
pub(crate) async fn results(
    person: &Person,
    server: &Server,
    more: &[&str],
    calls: &[(&str, Value)],
) -> Vec<String> {
    let child = person.start(server, &[&["chat", "-p", "try"], more].concat());
    let made = calls.iter().enumerate();
    let made =
        made.flat_map(|(index, (tool, input))| call(index, &format!("t{index}"), tool, &input.to_string()));
    answer(accept(server).await, made.collect(), "tool_use").await;
    let exchange = accept(server).await;
    let sent = messages(&exchange);
    answer(exchange, words(0, "I see."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "I see.\n");
    sent[2]["content"].as_array().unwrap().iter().map(Value::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forbidden_file_is_not_read_by_any_of_its_names() {
    let (person, server) = world().await;
    person.scratch.write("project/.env", "TOKEN=hush\n");
    std::os::unix::fs::symlink(".env", person.scratch.path("project/link")).unwrap();
    std::fs::create_dir_all(person.scratch.path("home/agent-doc")).unwrap();
    person.scratch.write("home/agent-doc/permissions.rules", "deny Read(./.env)\nallow Bash\nallow Read\n");
    let absolute = person.scratch.path("project/.env");
    let read = |path: &str| ("Read", json!({ "file_path": path }));
    let calls = [
        read(".env"),
        read("./src/../.env"),
        read("link"),
        read(absolute.to_str().unwrap()),
        ("Bash", json!({ "command": "cat .env" })),
        ("Grep", json!({ "pattern": "TOKEN" })),
        read("README.md"),
    ];
    let results = results(&person, &server, &[], &calls).await;
    assert!(results.iter().all(|result| !result.contains("hush")), "{results:#?}");
    let denied = results[..5].iter().filter(|result| result.contains("has been denied")).count();
    assert_eq!(denied, 5, "{results:#?}");
    assert!(results[6].contains("Tally counts"), "{results:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_through_a_link_that_leads_out_or_while_planning() {
    let (person, server) = world().await;
    std::fs::create_dir(person.scratch.path("outside")).unwrap();
    std::os::unix::fs::symlink("../outside", person.scratch.path("project/link")).unwrap();
    let write = |path: &str| ("Write", json!({ "file_path": path, "content": "x" }));
    let allow = ["--allow", "Edit(/**)"];
    let out = results(&person, &server, &allow, &[write("link/new.rs"), write("src/new.rs")]).await;
    assert!(out[0].contains("\"is_error\":true") && !out[1].contains("is_error\":true"), "{out:#?}");
    assert!(!person.scratch.path("outside/new.rs").exists());
    assert!(person.scratch.path("project/src/new.rs").exists());
    let planned =
        results(&person, &server, &[&allow[..], &["--plan"]].concat(), &[write("src/more.rs")]).await;
    assert!(planned[0].contains("Plan mode is active"), "{planned:#?}");
    assert!(!person.scratch.path("project/src/more.rs").exists());
}

#[test]
fn a_rule_counts_in_the_next_run_and_no_longer_once_it_is_removed() {
    let person = Person::new();
    let file = person.scratch.path("project/src/main.rs");
    let (remove, rule) = (["chat", "-p", "$ rm src/main.rs"], "allow Bash(rm src/main.rs)");
    person.run(&remove);
    assert!(file.exists(), "no rule allows it");
    for (action, stays) in [("add", false), ("remove", true)] {
        let kept = person.run(&["permissions", action, rule]);
        assert_eq!(kept.status.code(), Some(0), "{}", told(&kept));
        std::fs::write(&file, "").unwrap();
        let output = person.run(&remove);
        assert_eq!(file.exists(), stays, "{action}: {}", told(&output));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_open_elsewhere_is_refused_and_left_as_it_is() {
    let (person, server) = world().await;
    let first = person.start(&server, &["chat", "-p", "hello"]);
    let exchange = accept(&server).await;
    let second = ended(person.start(&server, &["chat", "-p", "me too", "--continue"])).await;
    assert_eq!(second.status.code(), Some(2), "{}", told(&second));
    assert!(told(&second).contains("is open in another process"), "{}", told(&second));
    answer(exchange, words(0, "Good day."), "end_turn").await;
    assert_eq!(text(&ended(first).await), "Good day.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_after_its_process_was_killed() {
    let (person, server) = world().await;
    let mut child = person.start(&server, &["chat", "-p", "read it"]);
    answer(accept(&server).await, call(0, "t1", "Read", r#"{"file_path":"README.md"}"#), "tool_use").await;
    let mut exchange = accept(&server).await;
    begin(&mut exchange).await;
    for object in words(0, "Half an answer") {
        event(&mut exchange, object).await;
    }
    child.kill().unwrap();
    tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();

    let child = person.start(&server, &["chat", "-p", "where were we?", "--continue"]);
    let exchange = accept(&server).await;
    let sent = Value::from(messages(&exchange)).to_string();
    assert!(sent.contains("Tally counts") && sent.contains("where were we?"), "{sent}");
    answer(exchange, words(0, "At the beginning."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "At the beginning.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_termination_ends_a_running_command_too() {
    let (person, server) = world().await;
    let pipe = person.scratch.path("project/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = person.start(&server, &["chat", "-p", "wait", "--allow", "Bash", "--allow", "Edit"]);
    // Each process of the command holds the pipe, so it ends when the last of them has ended.
    let input = json!({ "command": "exec 3> pipe; echo begun >&3; sleep 600 & sleep 600" }).to_string();
    answer(accept(&server).await, call(0, "t1", "Bash", &input), "tool_use").await;
    let reading = tokio::task::spawn_blocking(move || std::fs::File::open(pipe).unwrap());
    let mut file = tokio::time::timeout(PATIENCE, reading).await.expect("the command did not begin").unwrap();
    let mut begun = [0; 6];
    file.read_exact(&mut begun).unwrap();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).map(|_| rest)
    });
    let rest = tokio::time::timeout(PATIENCE, rest).await.expect("the command lives on").unwrap();
    assert_eq!(rest.unwrap(), b"");
    let output = ended(child).await;
    assert_eq!(output.status.code(), Some(143), "{}", told(&output));

    let child = person.start(&server, &["chat", "-p", "go on", "--continue"]);
    let exchange = accept(&server).await;
    let sent = messages(&exchange);
    assert_eq!(sent[2]["content"][0]["is_error"], true, "{sent:?}");
    answer(exchange, words(0, "Then so."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "Then so.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_there_is_not_is_answered_with_those_that_there_are() {
    let (person, server) = world().await;
    let child = person.start(&server, &[&["chat", "-p", "go"][..], &JSON].concat());
    for round in 0..5 {
        let exchange = accept(&server).await;
        if let [.., last] = &messages(&exchange)[1..] {
            let told = last.to_string();
            assert!(last["content"][0]["is_error"] == true, "{told}");
            assert!(
                told.contains(
                    "tool `Frobnicate` not found. Available tools: Bash, BashOutput, KillBash, Read,"
                ),
                "{told}"
            );
        }
        answer(exchange, call(0, &format!("t{round}"), "Frobnicate", "{}"), "tool_use").await;
    }
    let output = ended(child).await;
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert_eq!(result(&output)["subtype"], "error_during_execution");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_among_several_calls_answers_each_of_them_with_what_became_of_it() {
    let (person, server) = world().await;
    let pipe = person.scratch.path("project/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = person.start(&server, &["chat", "-p", "wait", "--allow", "Bash", "--allow", "Edit"]);
    let stubborn =
        "trap '' TERM INT; (setsid sleep 600 &); echo so far; exec 3> pipe; echo begun >&3; sleep 600";
    let calls = [
        call(0, "t0", "Read", r#"{"file_path":"README.md"}"#),
        call(1, "t1", "Bash", &json!({ "command": stubborn }).to_string()),
        call(2, "t2", "Write", r#"{"file_path":"never.txt","content":"x"}"#),
    ];
    answer(accept(&server).await, calls.concat(), "tool_use").await;
    let reading = tokio::task::spawn_blocking(move || std::fs::File::open(pipe).unwrap());
    let mut file = tokio::time::timeout(PATIENCE, reading).await.expect("the command did not begin").unwrap();
    file.read_exact(&mut [0; 6]).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = ended(child).await;
    assert_eq!(output.status.code(), Some(130), "{}", told(&output));
    // Each process of the command held the pipe; the program did not end before the last of them had.
    let mut rest = Vec::new();
    file.read_to_end(&mut rest).unwrap();
    assert!(!person.scratch.path("project/never.txt").exists());

    let child = person.start(&server, &["chat", "-p", "go on", "--continue"]);
    let exchange = accept(&server).await;
    let sent = messages(&exchange);
    let results: Vec<String> = sent[2]["content"].as_array().unwrap().iter().map(Value::to_string).collect();
    assert!(results[0].contains("Tally counts"), "{results:#?}");
    assert!(results[1].contains("so far\\n[Interrupted by user after "), "{results:#?}");
    assert!(results[2].contains("Not executed: interrupted by user"), "{results:#?}");
    assert!(results[4].contains("go on"), "{results:#?}");
    answer(exchange, words(0, "Then so."), "end_turn").await;
    assert_eq!(text(&ended(child).await), "Then so.\n");
}
