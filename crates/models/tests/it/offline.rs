//! The planner that needs no network, with tools over a small project in memory.

use std::sync::Arc;

use agent::message::{Block, Message, StopReason, ToolCall, ToolResult};
use agent::model::{Effort, Model as _, ModelEvent, Request, ToolSpec};
use expect_test::{Expect, expect};
use futures_util::StreamExt as _;
use models::Offline;
use serde_json::json;

const PROJECT: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"tally\"\ndescription = \"Counts words in logs\"\n"),
    (
        "README.md",
        "# Tally\n\nTally counts the words of log files\nand prints the ten most frequent.\n\n## Use\n\nRun `tally FILE`.\n",
    ),
    (
        "src/main.rs",
        "//! The program.\n\nmod count;\n\nfn main() {\n    let limit = 10;\n    count::run(limit);\n}\n",
    ),
    (
        "src/count.rs",
        "//! Counts words.\n\n/// Prints the most frequent words, at most `limit` of them.\npub fn run(limit: usize) {}\n",
    ),
];

fn tool(name: &str, argument: &str) -> ToolSpec {
    let schema =
        json!({ "type": "object", "properties": { argument: { "type": "string" } }, "required": [argument] });
    ToolSpec { name: name.to_owned(), description: String::new(), input_schema: schema }
}

fn tools() -> Vec<ToolSpec> {
    vec![
        tool("List", "path"),
        tool("Grep", "pattern"),
        tool("Read", "file_path"),
        tool("Bash", "command"),
        tool("Glob", "pattern"),
    ]
}

/// What a real tool would give.
fn run(call: &ToolCall) -> ToolResult {
    let arguments = call.arguments().unwrap();
    let argument = arguments.values().next().and_then(|value| value.as_str()).unwrap_or_default();
    let output = match call.name.as_str() {
        "List" => "Cargo.toml  71\nREADME.md  75\nlatest -> /var/log\nsrc/\n".to_owned(),
        "Read" => match PROJECT.iter().find(|(path, _)| *path == argument) {
            Some((_, text)) => text.lines().enumerate().map(|(index, line)| format!("{:>6}\t{line}\n", index + 1)).collect(),
            None => return ToolResult::error(&call.id, format!("{argument} is not there")),
        },
        "Grep" => {
            let words: Vec<String> = argument.trim_start_matches("(?i)").replace('\\', "").split('|').map(str::to_owned).collect();
            let lines = PROJECT.iter().flat_map(|(path, text)| text.lines().enumerate().map(move |(index, line)| (path, index + 1, line)));
            let found = lines.filter(|(_, _, line)| words.iter().any(|word| line.to_lowercase().contains(word.as_str())));
            found.map(|(path, number, line)| format!("{path}:{number}:{line}\n")).collect()
        }
        "Bash" if argument == "false" => return ToolResult::error(&call.id, "exit code 1"),
        "Bash" => format!("ran {argument}\n"),
        "ReadDocument" => "# Run\n\n## Conductor\n\n## Researcher\n<!-- proposal -->\n- three sources\n- one is old\n\n## Writer\nA draft of two pages.\n".to_owned(),
        other => return ToolResult::error(&call.id, format!("there is no tool {other}")),
    };
    ToolResult::success(&call.id, output)
}

/// The whole turn, and what was called on the way.
async fn turn(asked: &str, tools: Vec<ToolSpec>) -> String {
    let mut messages = vec![Arc::new(Message::user(vec![Block::text(asked)]))];
    let mut told = String::new();
    for _ in 0..20 {
        let request = Request {
            model: Offline::ID.to_owned(),
            system: Arc::from(""),
            tools: tools.clone().into(),
            messages: messages.clone(),
            output_max: 1000,
            thinking: Effort::Off,
            cache: Vec::new(),
        };
        let events: Vec<ModelEvent> = Offline.stream(request).map(Result::unwrap).collect().await;
        let blocks: Vec<Block> = events
            .iter()
            .filter_map(|event| match event {
                ModelEvent::Block { block, .. } => Some(block.clone()),
                _ => None,
            })
            .collect();
        let said = Message::assistant(blocks);
        for block in &said.content {
            if let Block::Text(text) = block {
                let note =
                    text.text.find("\n\n_This is agent-doc's offline model").map_or("", |_| "\n(note)");
                told.push_str(text.text.split("\n\n_This is").next().unwrap());
                told.push_str(note);
                told.push('\n');
            }
        }
        let results: Vec<Block> = said
            .calls()
            .map(|call| {
                told.push_str(&format!("> {} {}\n", call.name, call.input));
                Block::ToolResult(run(call))
            })
            .collect();
        messages.push(Arc::new(said));
        if let Some(ModelEvent::Stopped { reason: StopReason::EndTurn, .. }) = events.last() {
            return told;
        }
        messages.push(Arc::new(Message::user(results)));
    }
    panic!("the planner does not end: {told}");
}

async fn check(asked: &str, expect: Expect) {
    expect.assert_eq(&turn(asked, tools()).await);
}

#[tokio::test]
async fn a_question_about_the_project_is_answered_from_its_front_page() {
    check(
        "What does this project do?",
        expect![[r#"
        I look at the folder.
        > List {"path":"."}
        I read `README.md` and `Cargo.toml`.
        > Read {"file_path":"README.md"}
        > Read {"file_path":"Cargo.toml"}
        **Tally**: Tally counts the words of log files and prints the ten most frequent. (`README.md:3-4`)

        `Cargo.toml:3` description = "Counts words in logs"

        The folder holds `Cargo.toml`, `README.md`, `latest`, `src/`.
        (note)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_question_about_a_thing_is_answered_with_the_places_where_it_stands() {
    check(
        "Where is the limit of frequent words set?",
        expect![[r#"
            I look at the folder and search it for `limit`, `frequent`, `word` and `set`.
            > List {"path":"."}
            > Grep {"pattern":"(?i)limit|frequent|word|set"}
            I read `README.md`, `src/count.rs`, `src/main.rs` and `Cargo.toml`.
            > Read {"file_path":"README.md"}
            > Read {"file_path":"src/count.rs"}
            > Read {"file_path":"src/main.rs"}
            > Read {"file_path":"Cargo.toml"}
            **Tally**: Tally counts the words of log files and prints the ten most frequent. (`README.md:3-4`)

            Where `limit`, `frequent`, `word`, `set` stands:

            - `src/count.rs:1` //! Counts words.
            - `src/count.rs:3` /// Prints the most frequent words, at most `limit` of them.
            - `src/count.rs:4` pub fn run(limit: usize) {}
            - `README.md:3` Tally counts the words of log files
            - `README.md:4` and prints the ten most frequent.
            - `src/main.rs:6` let limit = 10;
            - `src/main.rs:7` count::run(limit);
            - `Cargo.toml:3` description = "Counts words in logs"
            (note)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_is_named_is_read() {
    check(
        "explain src/count.rs and nothing/there.rs",
        expect![[r#"
            I look at the folder.
            > List {"path":"."}
            > Read {"file_path":"src/count.rs"}
            > Read {"file_path":"nothing/there.rs"}
            `src/count.rs` has 4 lines. It begins, and then defines:

            - `src/count.rs:1` //! Counts words.
            - `src/count.rs:3` /// Prints the most frequent words, at most `limit` of them.
            - `src/count.rs:4` pub fn run(limit: usize) {}

            `Read` did not work: nothing/there.rs is not there
            (note)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn commands_are_run_one_after_the_other_until_one_fails() {
    check(
        "$ cargo test\n$ cargo doc",
        expect![[r#"
        I run `cargo test`.
        > Bash {"command":"cargo test"}
        I run `cargo doc`.
        > Bash {"command":"cargo doc"}
        `$ cargo test`:

        ```
        ran cargo test
        ```

        `$ cargo doc`:

        ```
        ran cargo doc
        ```
        (note)
    "#]],
    )
    .await;
    check(
        "please run this:\n```sh\ncargo test\n```",
        expect![[r#"
        I run `cargo test`.
        > Bash {"command":"cargo test"}
        `$ cargo test`:

        ```
        ran cargo test
        ```
        (note)
    "#]],
    )
    .await;
    check(
        "$ false\n$ cargo doc",
        expect![[r#"
        I run `false`.
        > Bash {"command":"false"}
        `$ false` failed:

        ```
        exit code 1
        ```

        I stopped there; 1 of 2 commands ran.
        (note)
    "#]],
    )
    .await;
    // A block that nobody wants run is not run.
    let shown = turn("what is wrong with this?\n```sh\nrm -r build\n```", tools()).await;
    assert!(!shown.contains("> Bash"), "{shown}");
}

#[tokio::test]
async fn directives_are_followed() {
    check(
        "/read README.md\n/grep limit",
        expect![[r#"
        I follow your directives.
        > Read {"file_path":"README.md"}
        > Grep {"pattern":"(?i)limit"}
        `Read README.md`:

        ```
             1	# Tally
             2	
             3	Tally counts the words of log files
             4	and prints the ten most frequent.
             5	
             6	## Use
             7	
             8	Run `tally FILE`.
        ```

        `Grep (?i)limit`:

        ```
        src/main.rs:6:    let limit = 10;
        src/main.rs:7:    count::run(limit);
        src/count.rs:3:/// Prints the most frequent words, at most `limit` of them.
        src/count.rs:4:pub fn run(limit: usize) {}
        ```
        (note)
    "#]],
    )
    .await;
    check(
        "/help",
        expect![[r#"
        I follow these lines:

        - `/list [PATH]`, `/glob PATTERN`: the files
        - `/read PATH`: a file
        - `/grep WORDS`: each line with these words
        - `/document`, `/section TITLE`: the document at hand
        - `/run COMMAND` or `$ COMMAND`: run it, if you allow it

        To anything else I answer with what I find for its words.
        (note)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn sections_are_brought_together() {
    let document = ToolSpec {
        name: "ReadDocument".to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
    };
    expect![[r#"
        I read the document first.
        > ReadDocument {}
        **Researcher**

        - three sources
        - one is old

        **Writer**

        A draft of two pages.
        (note)
    "#]]
    .assert_eq(&turn("Summarize the sections of this document.", vec![document]).await);
    check(
        "Merge these:\n\n## One\n\nfirst\n\n## Two\n\n- a\n- b\n",
        expect![[r#"
        **One**

        first

        **Two**

        - a
        - b
        (note)
    "#]],
    )
    .await;
}

#[tokio::test]
async fn without_tools_it_says_so() {
    expect![[r#"
        I have no tools here to look anything up with, so I can say nothing about it.
        (note)
    "#]]
    .assert_eq(&turn("What does this project do?", Vec::new()).await);
    expect![[r#"
        I cannot run commands here: the tool `Bash` is not offered.
        (note)
    "#]]
    .assert_eq(&turn("$ ls", Vec::new()).await);
}

#[tokio::test]
async fn it_says_what_it_is_and_how_to_get_a_language_model() {
    let request = crate::samples::question();
    let said: Vec<ModelEvent> = Offline
        .stream(Request { tools: Arc::from([]), ..request.clone() })
        .map(Result::unwrap)
        .collect()
        .await;
    let text: String = said
        .iter()
        .filter_map(|event| match event {
            ModelEvent::TextDelta { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    for word in ["offline model", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
        assert!(text.contains(word), "{text}");
    }
    let again: Vec<ModelEvent> =
        Offline.stream(Request { tools: Arc::from([]), ..request }).map(Result::unwrap).collect().await;
    assert_eq!(said, again);
}

#[tokio::test]
async fn strange_requests_and_strange_results_end_all_the_same() {
    let long = "word ".repeat(100_000);
    for asked in
        ["", " ", "$", "$ ", "/", "```", "``` \n", "🦀", "/read", "...", "\u{0}", "a/b/c.d.e", long.as_str()]
    {
        turn(asked, tools()).await;
    }
}
