//! MCP servers of the person's settings, in a conversation and in what `doctor` says.

use std::path::PathBuf;

use loopback::Server;
use serde_json::Value;

use crate::anthropic::{answer, body, call, messages, words};
use crate::chat::{Person, ended, text};
use crate::scratch::told;

/// The server for tests, which cargo builds beside them.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples/mcp_server");
    assert!(program.is_file(), "{} is missing; run the tests of the whole workspace", program.display());
    program
}

fn settings(person: &Person, more: &str) {
    std::fs::create_dir_all(person.scratch.path("home/agent-doc")).unwrap();
    let text = format!(
        "[mcp.test]\ncommand = {:?}\nargs = [\"plain\"]\nenv = {{ TOKEN = \"${{A_TOKEN}}\" }}\n{more}",
        program()
    );
    person.scratch.write("home/agent-doc/config.toml", text);
}

fn names(body: &Value) -> Vec<String> {
    let names =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.starts_with("mcp__")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_calls_a_tool_of_a_server_if_a_rule_allows_it() {
    let (person, server) = (Person::new(), Server::start().await.unwrap());
    settings(&person, "[mcp.gone]\ncommand = \"/no/such/program\"\n");
    let prompt = ["chat", "-p", "hello", "--allow", "mcp__test__variable"];
    let mut command = person.command(&prompt);
    command.args(["--model", "anthropic/test"]).env("ANTHROPIC_API_KEY", "sk-ant-a-key-for-tests");
    command.env("ANTHROPIC_BASE_URL", server.url()).env("no_proxy", "*").env("RUST_LOG", "trace");
    command.env("A_TOKEN", "sk-canary-of-a-person");
    let child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let exchange = server.accept().await.unwrap();
    assert_eq!(names(&body(&exchange)).len(), 10);
    let calls = [
        call(0, "t1", "mcp__test__variable", r#"{"name": "TOKEN"}"#),
        call(1, "t2", "mcp__test__variable", r#"{"name": "PWD"}"#),
        call(2, "t3", "mcp__test__echo", r#"{"text": "hello"}"#),
    ];
    answer(exchange, calls.concat(), "tool_use").await;
    let exchange = server.accept().await.unwrap();
    let results = messages(&exchange).last().unwrap()["content"].clone();
    let said = |index: usize| results[index]["content"].to_string();
    assert!(said(0).contains("[secret]"), "{results}");
    // Not the folder of the project: what lies there must not decide what is started.
    assert!(!said(1).contains("project"), "{results}");
    assert!(said(2).contains("Permission to use mcp__test__echo has been denied"), "{results}");
    answer(exchange, words(0, "Done."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!(text(&output), "Done.\n", "{}", told(&output));
    assert!(
        told(&output).contains("the MCP server 'gone' is not used: '/no/such/program'"),
        "{}",
        told(&output)
    );
    assert!(!told(&output).contains("canary") && !person.log().contains("canary"), "{}", told(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_a_rule_denies_is_not_started() {
    let (person, server) = (Person::new(), Server::start().await.unwrap());
    settings(&person, "");
    person.scratch.write("home/agent-doc/permissions.rules", "deny mcp__test\n");
    let child = person.start(&server, &["chat", "-p", "hello"]);
    let exchange = server.accept().await.unwrap();
    assert_eq!(names(&body(&exchange)), [""; 0]);
    answer(exchange, words(0, "Done."), "end_turn").await;
    let output = ended(child).await;
    // Its variable is not set, which nobody had to find out.
    assert!(!told(&output).contains("A_TOKEN"), "{}", told(&output));
}

#[test]
fn doctor_says_which_servers_answer() {
    let person = Person::new();
    settings(
        &person,
        "[mcp.bad]\ncommand = \"false\"\n\n[mcp.unset]\ncommand = \"x\"\nenv = { A = \"${NO_SUCH}\" }\n",
    );
    let mut command = person.command(&["doctor", "--json"]);
    let output = command.env("A_TOKEN", "sk-canary-of-a-person").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = |name: &str| {
        let checks = report["checks"].as_array().unwrap().clone();
        let check = checks.into_iter().find(|check| check["name"] == name).unwrap();
        format!("{} {}", check["holds"], check["meaning"].as_str().unwrap())
    };
    assert_eq!(check("mcp.test"), format!("true {} offers 10 tools", program().display()));
    assert_eq!(
        check("mcp.bad"),
        "false the MCP server 'bad' is not used: it ended before it answered (exit code 1, without a word)"
    );
    assert_eq!(
        check("mcp.unset"),
        "false the MCP server 'unset' is not used: NO_SUCH is not set, and its settings name it"
    );
    assert!(!told(&output).contains("canary"));
}

#[test]
fn a_project_cannot_bring_a_server_along() {
    let person = Person::new();
    std::fs::create_dir_all(person.scratch.path("project/.agent-doc")).unwrap();
    for lines in [
        "[mcp.evil]\ncommand = \"touch\"\nargs = [\"began\"]\n",
        "mcp.evil = { command = \"touch\", args = [\"began\"] }\n",
        "mcp = 1\n",
    ] {
        person.scratch.write("project/.agent-doc/config.toml", lines);
        for arguments in [["chat", "-p", "hello"].as_slice(), &["doctor"], &["config"]] {
            let output = person.run(arguments);
            assert_eq!(output.status.code(), Some(0), "{}", told(&output));
            assert!(!told(&output).contains("mcp.evil"), "{}", told(&output));
        }
        // Not even with the person's trust.
        let output = person.run(&["trust"]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert!(told(&output).contains("a project may not set 'mcp'"), "{}", told(&output));
    }
    assert!(!person.scratch.path("project/began").exists() && !person.scratch.path("home/began").exists());
}
