//! A guest who speaks in lines.

use expect_test::expect;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use workspace::command::Actor;

use crate::study::{PLAN, Study};

/// The client's end.
struct Client {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    number: u64,
}

impl Client {
    /// Connects, without a word.
    fn at(study: &Study, name: Option<&str>) -> Client {
        let (near, far) = tokio::io::duplex(1 << 16);
        let door = study.door(name);
        tokio::spawn(async move {
            let (from, to) = tokio::io::split(far);
            drop(join::serve_lines(&door, from, to).await);
        });
        let (from, to) = tokio::io::split(near);
        Client { to, from: BufReader::new(from).lines(), number: 0 }
    }

    /// Connects as the older versions of the protocol do.
    async fn shaken(study: &Study, name: Option<&str>) -> Client {
        let mut client = Client::at(study, name);
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "claude-code", "version": "1" } });
        let answer = client.ask("initialize", hello).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "agent-doc", "{answer}");
        assert!(answer["result"]["instructions"].as_str().unwrap().contains("revision"), "{answer}");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params })).await;
        loop {
            let line = self.from.next_line().await.unwrap().expect("the server hung up");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == number {
                return message;
            }
        }
    }

    /// The words of an answer, and before them what went wrong.
    async fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let Some(text) = answer["result"]["content"][0]["text"].as_str() else {
            return format!("no result: {}", answer["error"]);
        };
        let error = if answer["result"]["isError"] == true { "error: " } else { "" };
        format!("{error}{text}")
    }
}

#[tokio::test]
async fn a_guest_sees_short_tools_that_say_whether_they_only_read() {
    let study = Study::new();
    let mut client = Client::shaken(&study, None).await;
    let tools = client.ask("tools/list", json!({})).await;
    let shown: Vec<String> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let required = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
            format!("{} {} {required:?}", tool["name"].as_str().unwrap(), tool["annotations"]["readOnlyHint"])
        })
        .collect();
    expect![[r#"
        read_document true []
        read_section true []
        append_section false [String("content")]
        write_section false [String("content"), String("revision")]
        edit_section false [String("old"), String("new"), String("revision")]"#]]
    .assert_eq(&shown.join("\n"));
}

#[tokio::test]
async fn a_guest_reads_all_and_writes_a_proposal_in_its_own_section_which_is_made_for_it() {
    let study = Study::new();
    let mut client = Client::shaken(&study, None).await;
    expect![[r#"
        You write in the section "claude-code".
        plan.md, revision 0

        # Plan

        ## Conductor

        The canon.

        ## User
    "#]]
    .assert_eq(&client.call("read_document", json!({})).await);
    let told = client.call("append_section", json!({ "content": "I found it.\n\n## Not a section" })).await;
    assert!(told.starts_with("plan.md, section \"claude-code\" was written."), "{told}");
    expect![[r#"
        # Plan

        ## Conductor

        The canon.

        ## claude-code
        <!-- proposal -->
        I found it.

        ### Not a section

        ## User
    "#]]
    .assert_eq(&study.text());
}

#[tokio::test]
async fn a_guest_is_refused_in_the_sections_of_others_and_loses_nothing_of_theirs() {
    let study = Study::new();
    let mut client = Client::shaken(&study, Some("Codex")).await;
    for (tool, arguments) in [
        ("append_section", json!({ "section": "Conductor", "content": "mine" })),
        ("write_section", json!({ "section": "Conductor", "content": "mine", "revision": 0 })),
        ("edit_section", json!({ "section": "User", "old": "x", "new": "y", "revision": 0 })),
    ] {
        let told = client.call(tool, arguments).await;
        assert!(told.starts_with("error: Forbidden: "), "{tool}: {told}");
        assert!(told.contains("write in your own section \"Codex\""), "{tool}: {told}");
    }
    assert_eq!(study.text(), PLAN);
}

#[tokio::test]
async fn a_guest_who_comes_too_late_is_shown_what_stands_there_and_tries_again() {
    let study = Study::new();
    let mut client = Client::shaken(&study, Some("Codex")).await;
    client.call("append_section", json!({ "content": "First." })).await;
    let read = client.call("read_section", json!({})).await;
    assert!(read.starts_with("plan.md, section \"Codex\", revision 2\n"), "{read}");
    study.append("Codex", "A person's word.", Actor::User("user".to_owned())).await;
    let late = json!({ "content": "All new.", "revision": 2 });
    let told = client.call("write_section", late).await;
    assert!(told.starts_with("error: Conflict: "), "{told}");
    assert!(told.contains("It is at revision 3") && told.contains("A person's word."), "{told}");
    let told = client
        .call("write_section", json!({ "content": "All new, with a person's word.", "revision": 3 }))
        .await;
    assert!(told.contains("was written"), "{told}");
    assert!(study.text().contains("<!-- proposal -->\nAll new, with a person's word.\n"), "{}", study.text());
}

#[tokio::test]
async fn arguments_of_the_wrong_kind_and_unknown_tools_are_named() {
    let study = Study::new();
    let mut client = Client::shaken(&study, Some("Codex")).await;
    let told = client.call("append_section", json!({ "content": 7 })).await;
    assert!(told.starts_with("error: InputValidationError: `content`"), "{told}");
    let told = client.call("append_section", json!({ "content": "x", "file_path": "/etc/passwd" })).await;
    assert!(told.contains("unknown field `file_path`"), "{told}");
    let told = client.call("rm", json!({})).await;
    assert!(told.starts_with("no result: "), "{told}");
    assert_eq!(study.text(), PLAN);
}

#[tokio::test]
async fn two_guests_write_at_the_same_time_and_both_are_there() {
    let study = Study::new();
    let mut one = Client::shaken(&study, Some("One")).await;
    let mut two = Client::shaken(&study, Some("Two")).await;
    for number in 0..20 {
        let (a, b) = tokio::join!(
            one.call("append_section", json!({ "content": format!("one {number}") })),
            two.call("append_section", json!({ "content": format!("two {number}") })),
        );
        assert!(a.contains("was written") && b.contains("was written"), "{a}\n{b}");
    }
    let text = study.text();
    for number in 0..20 {
        for line in [format!("one {number}"), format!("two {number}")] {
            assert_eq!(text.lines().filter(|found| *found == line).count(), 1, "{line}\n{text}");
        }
    }
    assert_eq!(text.matches("## One").count() + text.matches("## Two").count(), 2, "{text}");
}

#[tokio::test]
async fn the_version_of_the_protocol_without_a_handshake_is_answered_too() {
    let study = Study::new();
    let mut client = Client::at(&study, None);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "Stateless", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.ask("server/discover", json!({ "_meta": meta })).await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let call = json!({ "name": "append_section", "arguments": { "content": "No hands." }, "_meta": meta });
    let answer = client.ask("tools/call", call).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(study.text().contains("## Stateless\n<!-- proposal -->\nNo hands.\n"), "{}", study.text());
}
