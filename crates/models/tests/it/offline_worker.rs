//! The planner as a worker of a run: it looks or runs commands, adds what it found, reads the others, and says that it is done.

use std::sync::Arc;

use agent::message::{Block, Message, StopReason, ToolCall, ToolResult};
use agent::model::{Effort, Model as _, ModelEvent, Request, ToolSpec};
use expect_test::{Expect, expect};
use futures_util::StreamExt as _;
use models::Offline;
use serde_json::{Value, json};

fn tool(name: &str, arguments: &[&str]) -> ToolSpec {
    let properties: serde_json::Map<String, Value> =
        arguments.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let schema = json!({ "type": "object", "properties": properties });
    ToolSpec { name: name.to_owned(), description: String::new(), input_schema: schema }
}

/// What a real tool would give.
fn run(call: &ToolCall) -> ToolResult {
    let arguments = call.arguments().unwrap();
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let output = match call.name.as_str() {
        "Grep" => {
            assert_eq!(text("output_mode"), "count", "a worker wants all places, and not the first ones");
            "crates/a/src/error.rs:12\ncrates/b/src/lib.rs:3\nREADME.md:1\n".to_owned()
        }
        "Read" => "     1\tpub enum AnError {\n     2\t    Other,\n     3\t}\n".to_owned(),
        "Bash" if text("command").starts_with("grep") => {
            "./crates/a/src/error.rs\n./crates/b/src/lib.rs\n./crates/b/tests/x.rs\n".to_owned()
        }
        "Bash" => " 12 crates/a/src/error.rs\n".to_owned(),
        "AppendSection" => "was written".to_owned(),
        "Finished" => "Accepted.".to_owned(),
        other => return ToolResult::error(&call.id, format!("there is no tool {other}")),
    };
    ToolResult::success(&call.id, output)
}

/// All that a worker adds, and what it called on the way.
async fn check(worker: &str, aim: &str, objective: &str, document: &str, tool_name: &str, expect: Expect) {
    let prompt = format!(
        "<assignment worker=\"{worker}\" document=\"runs/x/draft.md\" revision=\"3\" aim=\"{aim}\">\n{objective}\n</assignment>\n\
         \nThe document reads, at revision 3:\n<document>\n{document}\n</document>\n"
    );
    let looking = [tool("Grep", &["pattern", "output_mode"]), tool("Read", &["file_path"])];
    let own = if tool_name == "Bash" { vec![tool("Bash", &["command"])] } else { looking.to_vec() };
    let ways = [tool("AppendSection", &["file_path", "section", "content"]), tool("Finished", &["summary"])];
    let tools: Arc<[ToolSpec]> = ways.into_iter().chain(own).collect();
    let mut messages = vec![Arc::new(Message::user(vec![Block::text(prompt)]))];
    let mut told = String::new();
    for _ in 0..20 {
        let request = Request {
            model: "offline".to_owned(),
            system: "".into(),
            tools: Arc::clone(&tools),
            messages: messages.clone(),
            output_max: 1000,
            thinking: Effort::Off,
            cache: Vec::new(),
        };
        let (mut blocks, mut answer, mut reason) = (Vec::new(), Offline.stream(request), None);
        while let Some(event) = answer.next().await {
            match event.unwrap() {
                ModelEvent::Block { block, .. } => blocks.push(block),
                ModelEvent::Stopped { reason: stopped, .. } => reason = Some(stopped),
                _ => {}
            }
        }
        let message = Message::assistant(blocks);
        let mut results = Vec::new();
        for call in message.calls() {
            let arguments = call.arguments().unwrap();
            match call.name.as_str() {
                "AppendSection" => {
                    assert_eq!(
                        (arguments["section"].as_str(), arguments["file_path"].as_str()),
                        (Some(worker), Some("runs/x/draft.md"))
                    );
                    told.push_str(&format!("+ {}\n", arguments["content"].as_str().unwrap()));
                }
                name => told.push_str(&format!(
                    "{name} {}\n",
                    arguments.values().next().and_then(Value::as_str).unwrap_or_default()
                )),
            }
            results.push(Block::ToolResult(run(call)));
        }
        messages.push(Arc::new(message));
        if reason == Some(StopReason::EndTurn) {
            return expect.assert_eq(&told);
        }
        // What others wrote meanwhile comes with the results, and changes nothing here.
        results.push(Block::text("The document is at revision 4. Others wrote meanwhile: …"));
        messages.push(Arc::new(Message::user(results)));
    }
    panic!("it does not end: {told}");
}

const EMPTY: &str = "# x\n\n## Conductor\n\n## Researcher\n\n## Terminal\n\n## User";

#[tokio::test]
async fn one_that_looks_counts_reads_the_best_file_of_each_folder_and_quotes() {
    let expected = expect![[r#"
        Grep (?i)error|handling
        + 16 lines of 3 files are about `error` and `handling`, by folder

        - `crates/a`: 12 lines
        - `crates/b`: 3 lines
        - `.`: 1 line
        Read crates/a/src/error.rs
        Read crates/b/src/lib.rs
        Read README.md
        + What the files say about `error` and `handling`:

        - `crates/a/src/error.rs:1` pub enum AnError {
        - `crates/b/src/lib.rs:1` pub enum AnError {
        - `README.md:1` pub enum AnError {

        _Found by fixed rules, without a language model._
        Finished Researcher looked by rules and added 2 parts
    "#]];
    check("Researcher", "find", "compare the error handling of the crates", EMPTY, "Grep", expected).await;
}

#[tokio::test]
async fn a_file_that_is_named_and_has_the_most_words_is_read_once() {
    let expected = expect![[r#"
        Grep (?i)error
        + 16 lines of 3 files are about `error`, by folder

        - `crates/a`: 12 lines
        - `crates/b`: 3 lines
        - `.`: 1 line
        Read crates/a/src/error.rs
        Read crates/b/src/lib.rs
        Read README.md
        + What the files say about `error`:

        - `crates/a/src/error.rs:1` pub enum AnError {
        - `crates/b/src/lib.rs:1` pub enum AnError {
        - `README.md:1` pub enum AnError {

        _Found by fixed rules, without a language model._
        Finished Researcher looked by rules and added 2 parts
    "#]];
    check("Researcher", "find", "what is the error in crates/a/src/error.rs?", EMPTY, "Grep", expected).await;
}

#[tokio::test]
async fn one_that_runs_commands_counts_and_measures() {
    let expected = expect![[r#"
        Bash grep -rIilE --exclude-dir=.git --exclude-dir=.agent-doc --exclude-dir=runs --exclude-dir=target --exclude-dir=node_modules -e 'error|handling' .
        + Ran `grep -rIilE --exclude-dir=.git --exclude-dir=.agent-doc --exclude-dir=runs --exclude-dir=target --exclude-dir=node_modules -e 'error|handling' .`: 3 files, by folder

        - `crates/b`: 2 files
        - `crates/a`: 1 file
        Bash wc -l crates/a/src/error.rs crates/b/src/lib.rs
        + Ran `wc -l crates/a/src/error.rs crates/b/src/lib.rs`:

        ~~~~
         12 crates/a/src/error.rs
        ~~~~

        _Found by fixed rules, without a language model._
        Finished Terminal looked by rules and added 2 parts
    "#]];
    check("Terminal", "find", "compare the error handling of the crates", EMPTY, "Bash", expected).await;
}

#[tokio::test]
async fn one_that_relates_names_the_places_that_both_found() {
    let document = "# x\n\n## Conductor\n\n## Researcher\n- `crates/a/src/error.rs:1` pub enum\n- `docs/x.md:2` errors\n\n## Terminal\n- `crates/a`: 3 files\n- `crates/b`: 1 files\n\nRead beside what Researcher found: nothing `docs/x.md`.\n\n## User";
    let expected = expect![[r#"
        + Read beside what Terminal found: both of us name `crates/a/src/error.rs`. Note to Terminal: I also name `docs/x.md`, which you do not.
        Finished Researcher looked by rules and added 1 parts
    "#]];
    check("Researcher", "relate", "Relate it.", document, "Grep", expected).await;
}
