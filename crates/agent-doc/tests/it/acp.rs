//! An editor that talks with our agent, in the lines of the Agent Client Protocol.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::anthropic::{answer, begin, call, event, messages, words};
use crate::chat::Person;
use crate::chat_server::{accept, world};

/// The editor's end.
struct Editor {
    child: Child,
    from: Lines<BufReader<ChildStdout>>,
    /// What the agent says to the person.
    said: String,
}

impl Editor {
    fn open(mut command: Command) -> Editor {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap()).lines();
        Editor { child, from, said: String::new() }
    }

    fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// The next message that is no word of the agent.
    fn next(&mut self) -> Value {
        loop {
            let line = self.from.next().expect("the agent hung up").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] != "session/update" {
                return message;
            }
            let update = &message["params"]["update"];
            if update["sessionUpdate"] == "agent_message_chunk" {
                self.said.push_str(update["content"]["text"].as_str().unwrap());
            }
        }
    }

    /// Greets, and begins a conversation in the project.
    fn begin(&mut self, person: &Person) -> String {
        self.ask(0, "initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
        let hello = self.next();
        assert_eq!(hello["result"]["protocolVersion"], 1, "{hello}");
        assert_eq!(hello["result"]["agentInfo"]["name"], "agent-doc", "{hello}");
        let folder = person.scratch.path("project").display().to_string();
        self.ask(1, "session/new", json!({ "cwd": folder, "mcpServers": [] }));
        self.next()["result"]["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, id: u64, session: &str, text: &str) {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.ask(id, "session/prompt", json!({ "sessionId": session, "prompt": prompt }));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Our agent with the model of a test.
fn with_model(person: &Person, server: &loopback::Server) -> Editor {
    let mut command = person.command(&["acp", "--model", "anthropic/test"]);
    command.env("ANTHROPIC_API_KEY", "sk-test").env("ANTHROPIC_BASE_URL", server.url()).env("no_proxy", "*");
    Editor::open(command)
}

#[test]
fn without_a_key_an_editor_is_answered_and_the_conversation_goes_on() {
    let person = Person::new();
    let mut editor = Editor::open(person.command(&["acp"]));
    let session = editor.begin(&person);
    editor.prompt(2, &session, "what does this project do?");
    let answer = editor.next();
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(2), &json!("end_turn")), "{answer}");
    assert!(editor.said.contains("Tally counts the words of log files."), "{}", editor.said);
    editor.prompt(3, &session, "and who wrote it?");
    assert_eq!(editor.next()["result"]["stopReason"], "end_turn");
    let kept = std::fs::read_dir(person.scratch.path("project/.agent-doc/sessions")).unwrap();
    assert_eq!(kept.count(), 1, "two prompts of one session are one conversation");
}

/// The model wants to run a command, the person chooses, and the model is told.
async fn check_choice(choice: &str, stop_reason: &str, is_made: bool) {
    let (person, server) = world().await;
    let mut editor = with_model(&person, &server);
    let made = person.scratch.path("project/made");
    let (serving, editor) = tokio::join!(
        async {
            let first = accept(&server).await;
            answer(first, call(0, "t1", "Bash", r#"{"command":"touch made"}"#), "tool_use").await;
            if is_made {
                let second = accept(&server).await;
                assert!(messages(&second).last().unwrap().to_string().contains("tool_result"));
                answer(second, words(0, "It is made."), "end_turn").await;
            }
        },
        tokio::task::spawn_blocking({
            let choice = choice.to_owned();
            move || {
                let session = editor.begin(&person);
                editor.prompt(2, &session, "make it");
                let question = editor.next();
                assert_eq!(question["method"], "session/request_permission", "{question}");
                let call = &question["params"]["toolCall"];
                assert_eq!(call["rawInput"], json!({ "command": "touch made" }), "{question}");
                assert_eq!(call["kind"], "execute");
                let options = question["params"]["options"].as_array().unwrap();
                let chosen = options.iter().find(|option| option["kind"] == choice.as_str()).unwrap();
                let outcome = json!({ "outcome": "selected", "optionId": chosen["optionId"] });
                let reply =
                    json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "outcome": outcome } });
                editor.send(&reply);
                let answer = editor.next();
                (editor, person, answer)
            }
        })
    );
    let () = serving;
    let (editor, _person, answer) = editor.unwrap();
    assert_eq!(answer["result"]["stopReason"], stop_reason, "{answer}");
    assert_eq!(made.exists(), is_made);
    assert_eq!(editor.said, if is_made { "It is made." } else { "" });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_when_the_person_in_the_editor_allows_it() {
    check_choice("allow_once", "end_turn", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_run_when_the_person_in_the_editor_wants_to_wait() {
    check_choice("reject_once", "cancelled", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_stops_an_answer_in_the_middle() {
    let (person, server) = world().await;
    let mut editor = with_model(&person, &server);
    let session = tokio::task::block_in_place(|| editor.begin(&person));
    editor.prompt(2, &session, "talk");
    let mut exchange = accept(&server).await;
    begin(&mut exchange).await;
    for object in words(0, "On and on") {
        event(&mut exchange, object).await;
    }
    editor.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }));
    let answer = tokio::task::block_in_place(|| editor.next());
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    exchange.closed().await.unwrap();
}

#[test]
fn a_session_that_is_not_there_is_named() {
    let person = Person::new();
    let mut editor = Editor::open(person.command(&["acp"]));
    editor.begin(&person);
    editor.prompt(2, "nobody", "hello");
    let answer = editor.next();
    assert!(answer["error"].to_string().contains("session/new"), "{answer}");
}
