//! `chat -p`, with the model that needs no key and with a server on this machine.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use loopback::Server;
use serde_json::{Value, json};

use crate::anthropic::{answer, begin, event, words};
use crate::scratch::{Scratch, told};

pub(crate) const KEY: &str = "sk-ant-a-key-that-nobody-may-see";
const README: &str = "# Tally\n\nTally counts the words of log files.\n";

/// A person with a small project and no settings.
pub(crate) struct Person {
    pub(crate) scratch: Scratch,
}

impl Person {
    pub(crate) fn new() -> Person {
        let scratch = Scratch::new();
        for folder in ["home", "project/.git", "project/src"] {
            std::fs::create_dir_all(scratch.path(folder)).unwrap();
        }
        scratch.write("project/README.md", README);
        scratch.write("project/src/main.rs", "fn main() { println!(\"tally\"); }\n");
        Person { scratch }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.command(arguments);
        for name in [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "ANTHROPIC_BASE_URL",
            "OPENAI_BASE_URL",
            "AGENT_DOC_MODEL",
        ] {
            command.env_remove(name);
        }
        command.current_dir(self.scratch.path("project"));
        command.env("XDG_CONFIG_HOME", self.scratch.path("home")).env("HOME", self.scratch.path("home"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Asks the server.
    pub(crate) fn start(&self, server: &Server, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command
            .args(["--model", "anthropic/test"])
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", server.url());
        command.env("RUST_LOG", "trace").env("no_proxy", "*");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn log(&self) -> String {
        let folder = std::fs::read_dir(self.scratch.path("project/.agent-doc/logs")).unwrap();
        folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) async fn ended(child: Child) -> Output {
    tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap()
}

#[test]
fn without_a_key_a_question_is_answered_from_files_that_were_read() {
    let person = Person::new();
    let output = person.run(&["chat", "-p", "what does this project do?"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(said.contains("Tally counts the words of log files. (`README.md:3`)"), "{said}");
    assert!(said.contains("offline model") && said.contains("ANTHROPIC_API_KEY"), "{said}");
}

#[test]
fn a_folder_that_is_empty_is_said_to_be() {
    let person = Person::new();
    std::fs::create_dir(person.scratch.path("bare")).unwrap();
    let mut command = person.command(&["chat", "-p", "what does this project do?"]);
    let output = command.current_dir(person.scratch.path("bare")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(text(&output).contains("offline model"), "{}", told(&output));
}

#[test]
fn a_harmless_command_runs_and_a_harmful_one_waits_for_a_rule() {
    let person = Person::new();
    let listed = person.run(&["chat", "-p", "$ ls src"]);
    assert!(text(&listed).contains("main.rs"), "{}", told(&listed));
    let refused = person.run(&["chat", "-p", "$ rm src/main.rs"]);
    assert!(person.scratch.path("project/src/main.rs").exists(), "{}", told(&refused));
    assert!(told(&refused).contains("! Bash did not run"), "{}", told(&refused));
    let allowed = person.run(&["chat", "-p", "$ rm src/main.rs", "--allow", "Bash(rm src/main.rs)"]);
    assert!(!person.scratch.path("project/src/main.rs").exists(), "{}", told(&allowed));
}

#[test]
fn programs_get_one_object_or_a_line_for_each_event() {
    let person = Person::new();
    let whole = person.run(&["chat", "-p", "what is here?", "--output-format", "json"]);
    let whole: Value = serde_json::from_slice(&whole.stdout).unwrap();
    assert_eq!((&whole["type"], &whole["subtype"]), (&json!("result"), &json!("success")));
    let lines = person.run(&["chat", "-p", "what is here?", "--output-format", "stream-json"]);
    let lines: Vec<Value> = text(&lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds.first(), Some(&"system"));
    assert_eq!(kinds.last(), Some(&"result"));
    assert!(kinds.contains(&"assistant") && kinds.contains(&"user"), "{kinds:?}");
    let session = lines[0]["session_id"].as_str().unwrap();
    assert!(lines.iter().all(|line| line["session_id"] == session));
}

#[test]
fn a_conversation_goes_on_and_is_counted() {
    let person = Person::new();
    let first = person.run(&["chat", "-p", "hello", "--output-format", "json"]);
    let first: Value = serde_json::from_slice(&first.stdout).unwrap();
    let id = first["session_id"].as_str().unwrap();
    for arguments in [["--resume", id].as_slice(), ["--continue"].as_slice()] {
        let arguments =
            [["chat", "-p", "and now?", "--output-format", "json"].as_slice(), arguments].concat();
        let next = person.run(&arguments);
        let next: Value = serde_json::from_slice(&next.stdout).unwrap();
        assert_eq!(next["session_id"], first["session_id"]);
    }
    let stats: Value = serde_json::from_slice(&person.run(&["stats", "--json"]).stdout).unwrap();
    assert_eq!(
        (&stats["conversations"], &stats["turns"], &stats["completed"]),
        (&json!(1), &json!(3), &json!(3))
    );
    let unknown = person.run(&["chat", "-p", "hello", "--resume", "nobody"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", told(&unknown));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_a_server_is_printed_and_no_key_is_written_anywhere() {
    let (person, server) = (Person::new(), Server::start().await.unwrap());
    let child = person.start(&server, &["chat", "-p", "hello", "--record", "record.jsonl"]);
    let exchange = server.accept().await.unwrap();
    assert_eq!(exchange.request.header("x-api-key"), KEY);
    answer(exchange, words(0, "Good day."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!((text(&output).as_str(), output.status.code()), ("Good day.\n", Some(0)), "{}", told(&output));
    let log = person.log();
    assert!(log.contains("model answered") && log.contains("turn ended"), "{log}");
    let all = Command::new("grep").args(["-rl", KEY]).arg(person.scratch.path("project")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&all.stdout), "", "the key was written down");
    let again = person.run(&["chat", "-p", "hello", "--model", "replay:record.jsonl"]);
    assert_eq!(text(&again), "Good day.\n", "{}", told(&again));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_is_named_by_its_variable_alone() {
    let (person, server) = (Person::new(), Server::start().await.unwrap());
    let child = person.start(&server, &["chat", "-p", "hello"]);
    let exchange = server.accept().await.unwrap();
    let body =
        format!(r#"{{"type":"error","error":{{"type":"authentication_error","message":"bad {KEY}"}}}}"#);
    exchange.answer(401, &[("content-type", "application/json")], body.as_bytes()).await.unwrap();
    let output = ended(child).await;
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("ANTHROPIC_API_KEY") && !told(&output).contains(KEY), "{}", told(&output));
}

async fn check_signal(signal: &str, code: i32) {
    let (person, server) = (Person::new(), Server::start().await.unwrap());
    let child = person.start(&server, &["chat", "-p", "hello"]);
    let mut exchange = server.accept().await.unwrap();
    begin(&mut exchange).await;
    for object in words(0, "Half an") {
        event(&mut exchange, object).await;
    }
    let process = child.id().to_string();
    assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    let closed = tokio::time::timeout(Duration::from_secs(60), exchange.closed()).await;
    closed.expect("the connection is held open").unwrap();
    let output = ended(child).await;
    assert_eq!(output.status.code(), Some(code), "{}", told(&output));
    let stats: Value = serde_json::from_slice(&person.run(&["stats", "--json"]).stdout).unwrap();
    assert_eq!(stats["interrupted"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_the_turn_and_the_connection() {
    check_signal("-INT", 130).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_termination_ends_the_turn_and_the_connection() {
    check_signal("-TERM", 143).await;
}

#[test]
fn a_prompt_without_words_and_a_rule_that_is_none_are_refused() {
    let person = Person::new();
    let empty = person.run(&["chat", "-p", " "]);
    assert_eq!(empty.status.code(), Some(2));
    let rule = person.run(&["chat", "-p", "hello", "--allow", "Bash("]);
    assert_eq!(rule.status.code(), Some(2));
    assert!(told(&rule).contains("--allow 'Bash('"), "{}", told(&rule));
    let mut unnamed = person.command(&["chat", "-p", "hello"]);
    let unnamed = unnamed.env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1").output().unwrap();
    assert_eq!(unnamed.status.code(), Some(2));
    assert!(told(&unnamed).contains("--model openai/NAME"), "{}", told(&unnamed));
}
