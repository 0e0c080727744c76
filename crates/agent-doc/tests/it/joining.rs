//! Agents of others at a run: the real program, and the words of the Model Context Protocol.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::chat::{Person, text};
use crate::runs::{begin, draft, is_running, runs, section, wait_until};
use crate::scratch::told;

/// The end of a client. Killed when a test fails.
struct Guest {
    child: Child,
    from: Lines<BufReader<ChildStdout>>,
    number: u64,
}

impl Drop for Guest {
    fn drop(&mut self) {
        // One that has ended is not there to be killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Guest {
    fn join(mut command: Command) -> Guest {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut guest = Guest { child, from, number: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "claude-code", "version": "1" } });
        let answer = guest.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "agent-doc", "{answer}");
        guest.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        guest
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.from.next().expect("the server hung up").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let words = answer["result"]["content"][0]["text"].as_str();
        words.map_or_else(|| answer.to_string(), str::to_owned)
    }
}

#[test]
fn a_run_is_joined_by_the_beginning_of_its_name_from_any_folder_of_the_project() {
    let person = Person::new();
    person.run(&["conduct", "what is tally?"]);
    let id = runs(&person).remove(0);
    for (folder, name) in [("project", &id[..13]), ("project/src", &id[..13]), ("project/src", &id)] {
        let mut command = person.command(&["mcp", name]);
        command.current_dir(person.scratch.path(folder));
        let read = Guest::join(command).call("read_document", &json!({}));
        assert!(read.starts_with("You write in the section \"claude-code\"."), "{folder}, {name}: {read}");
        assert!(read.contains("# what is tally?"), "{folder}, {name}: {read}");
    }
    let path = format!("runs/{id}/draft.md");
    let tools = Guest::join(person.command(&["mcp", &path])).ask("tools/list", &json!({}));
    assert!(tools.to_string().contains("\"finished\""), "by its document it is the same: {tools}");
    let tools = Guest::join(person.command(&["mcp", "README.md"])).ask("tools/list", &json!({}));
    assert!(!tools.to_string().contains("\"finished\""), "nobody conducts there: {tools}");
}

#[test]
fn what_could_be_several_runs_or_none_is_refused_with_what_to_do() {
    let person = Person::new();
    for objective in ["one", "two"] {
        person.run(&["conduct", objective]);
    }
    let names = runs(&person);
    let same = names[0].bytes().zip(names[1].bytes()).take_while(|(one, other)| one == other).count();
    let refused = |name: &str| {
        let output = person.run(&["mcp", name]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert_eq!(text(&output), "", "standard output is for the protocol");
        told(&output)
    };
    let several = refused(&names[0][..same]);
    assert!(several.contains("several runs begin with") && several.contains("give more of"), "{several}");
    let none = refused("nothing-begins-so");
    assert!(none.contains("there is no run") && none.contains("'agent-doc runs' lists them"), "{none}");
    assert!(refused(&"x".repeat(300)).contains("is no name of a run"));
    refused("../x");
    refused("../../etc");
    let worker = told(&person.run(&["mcp", &names[0], "--as", "researcher"]));
    assert!(worker.contains("is a worker of the run"), "{worker}");
}

#[test]
fn a_guest_is_merged_into_a_run_that_another_process_works_on() {
    let person = Person::new();
    let number = format!("{}", 300_000 + std::process::id());
    let sleep = format!("$ sleep {number}");
    let (mut child, id) =
        begin(&person, &["conduct", &sleep, "--workers", "Terminal", "--allow", "Bash(sleep *)"]);
    wait_until("the command", || is_running(&number));
    let mut guest = Guest::join(person.command(&["mcp", &id[..13], "--as", "Claude"]));
    let early = guest.call("finished", &json!({ "summary": "nothing yet" }));
    assert!(early.contains("not accepted: nothing was added"), "{early}");
    let refused = guest.call("append_section", &json!({ "section": "Conductor", "content": "mine" }));
    assert!(refused.starts_with("Forbidden: "), "{refused}");
    let written = guest.call("append_section", &json!({ "content": "Claude was here." }));
    assert!(written.contains("was written"), "{written}");
    let accepted = guest.call("finished", &json!({ "summary": "I was here." }));
    assert!(accepted.starts_with("Accepted. The conductor takes"), "{accepted}");
    let canon = || section(&draft(&person, &id), "Conductor").to_owned();
    wait_until("the canon", || canon().contains("**Claude**\n\n- Claude was here."));
    let shown = text(&person.run(&["runs", "show", &id]));
    assert!(shown.contains("joined from outside") && shown.contains("Claude was here."), "{shown}");
    assert!(is_running(&number), "the worker works on");
    drop(guest);
    person.run(&["runs", "cancel", &id]);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
