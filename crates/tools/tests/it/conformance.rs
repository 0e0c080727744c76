//! What every tool must do, tried on every tool. Never knows one of them by name, except to give it good arguments.

use agent::message::{Part, ToolCall};
use agent::tool::Tool;
use serde_json::{Value, json};

use crate::desk::{Desk, Said, call};

/// Arguments that fit.
fn good(name: &str) -> Value {
    match name {
        "Bash" => json!({ "command": "yes | head -c 400000; sleep 0.01" }),
        "BashOutput" | "KillBash" => json!({ "bash_id": "bash_1" }),
        "Read" | "Write" | "Edit" | "MultiEdit" => json!({
            "file_path": "large.txt", "content": "x", "old_string": "never", "new_string": "there",
            "edits": [{ "old_string": "never", "new_string": "there" }],
        }),
        "Glob" => json!({ "pattern": "**" }),
        "Grep" => json!({ "pattern": "line", "output_mode": "content" }),
        "List" => json!({ "path": "many" }),
        "Todo" => json!({ "todos": [{ "content": "x", "status": "pending" }] }),
        "WebFetch" => json!({ "url": "http://127.0.0.1:1/" }),
        "WebSearch" => json!({ "query": "x" }),
        "AskUser" => json!({ "questions": [{ "question": "Which?" }] }),
        other => panic!("{other} has no good arguments here; add some"),
    }
}

/// `good` with only the fields that the tool knows.
fn fitting(tool: &dyn Tool) -> Value {
    let known = tool.spec().input_schema["properties"].as_object().unwrap().clone();
    let mut input = good(&tool.spec().name);
    input.as_object_mut().unwrap().retain(|field, _| known.contains_key(field));
    input
}

fn busy_desk() -> Desk {
    let desk = Desk::new();
    desk.write("large.txt", "a line of some length, again and again\n".repeat(100_000));
    for index in 0..1_500 {
        desk.write(&format!("many/file-with-a-rather-long-name-{index}"), "");
    }
    desk
}

#[tokio::test]
async fn every_tool_tells_the_model_what_it_needs_to_know() {
    let desk = Desk::new();
    let mut names = Vec::new();
    for tool in desk.tools() {
        let spec = tool.spec();
        assert!(spec.name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{}", spec.name);
        assert!(spec.description.len() > 40, "{}: {:?}", spec.name, spec.description);
        let schema = &spec.input_schema;
        assert_eq!(schema["type"], "object", "{}", spec.name);
        assert_eq!(schema["additionalProperties"], false, "{}", spec.name);
        assert!(!schema.to_string().contains("$ref"), "{}", spec.name);
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{field}", spec.name);
        }
        names.push(spec.name.clone());
    }
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[tokio::test]
async fn every_tool_refuses_arguments_that_do_not_fit_and_names_the_field() {
    let desk = Desk::new();
    for tool in desk.tools() {
        let name = &tool.spec().name;
        let failed = async |input: String| match tool.inspect(&call(&*tool, &input)).await {
            Ok(claim) => panic!("{name} takes {input}: {claim:?}"),
            Err(words) => {
                assert!(words.starts_with("InputValidationError"), "{name}: {words}");
                words
            }
        };
        for broken in ["{", "[]", "null", "\"x\"", "{\"a\":1}}", "{\"a\": 1e999}"] {
            failed(broken.to_owned()).await;
        }
        let mut extra = fitting(&*tool);
        extra["no_such_field"] = json!(1);
        assert!(failed(extra.to_string()).await.contains("no_such_field"), "{name}");
        let required = tool.spec().input_schema["required"].as_array().cloned().unwrap_or_default();
        for field in required.iter().filter_map(Value::as_str) {
            let mut missing = fitting(&*tool);
            missing.as_object_mut().unwrap().remove(field);
            assert!(failed(missing.to_string()).await.contains(&format!("`{field}`")), "{name}.{field}");
            let mut wrong = fitting(&*tool);
            wrong[field] = json!({ "not": ["this"] });
            assert!(failed(wrong.to_string()).await.contains(field), "{name}.{field}");
        }
    }
}

#[tokio::test]
async fn every_tool_keeps_its_output_within_limits() {
    let desk = busy_desk();
    for tool in desk.tools() {
        if tool.spec().name == "AskUser" {
            continue;
        }
        let said = desk.run(&*tool, fitting(&*tool)).await;
        assert!(said.text.len() < 210_000, "{}: {} bytes", tool.spec().name, said.text.len());
        assert!(!said.text.is_empty());
    }
}

#[tokio::test]
async fn every_tool_ends_at_once_when_it_is_stopped() {
    let desk = busy_desk();
    for tool in desk.tools() {
        let input =
            if tool.spec().name == "Bash" { json!({ "command": "sleep 300" }) } else { fitting(&*tool) };
        let permit = desk.permit(&*tool, &input.to_string()).await.unwrap();
        let scope = desk.scope();
        scope.controller.abort();
        let output = tool.run(permit, scope).await;
        assert!(output.content.iter().all(|part| matches!(part, Part::Text(_))), "{}", tool.spec().name);
    }
    assert_eq!(desk.read("large.txt").lines().count(), 100_000, "a stopped tool changes nothing");
}

#[tokio::test]
async fn every_tool_survives_strange_arguments() {
    let desk = Desk::new();
    let strange = [
        "",
        " ",
        "\0",
        "\u{202e}",
        "../../../../../../etc/passwd",
        "/proc/self/mem",
        "\n",
        "-rf",
        "~",
        "*",
        "🦀",
        "(",
        "a\\",
    ];
    for tool in desk.tools() {
        if matches!(tool.spec().name.as_str(), "AskUser" | "Bash") {
            continue;
        }
        let long = "x".repeat(200_000);
        for text in strange.iter().copied().chain([long.as_str()]) {
            let mut input = fitting(&*tool);
            for value in input.as_object_mut().unwrap().values_mut().filter(|value| value.is_string()) {
                *value = json!(text);
            }
            let call = ToolCall { input: input.to_string(), ..call(&*tool, "{}") };
            if tool.inspect(&call).await.is_ok() && !call.name.starts_with("Write") {
                let said: Said = desk.run(&*tool, input).await;
                assert!(said.text.len() < 210_000, "{}", call.name);
            }
        }
    }
}

#[tokio::test]
async fn no_tool_hands_on_what_cannot_be_seen() {
    let desk = Desk::new();
    let hostile = "x\u{1b}]52;c;eA==\u{7}\u{202e}y\u{200b}\u{e0041}z\u{9b}31m";
    desk.write("file", format!("{hostile}\n"));
    desk.write(&format!("folder/{hostile}"), "x\n");
    for (tool, input) in [
        ("Read", json!({ "file_path": "file" })),
        ("Read", json!({ "file_path": format!("folder/{hostile}-not") })),
        ("Edit", json!({ "file_path": "file", "old_string": "y", "new_string": hostile })),
        ("Write", json!({ "file_path": format!("new-{hostile}"), "content": "" })),
        ("Grep", json!({ "pattern": "x", "output_mode": "content" })),
        ("Grep", json!({ "pattern": "x", "path": "folder" })),
        ("Glob", json!({ "pattern": "**" })),
        ("List", json!({ "path": "folder" })),
        ("Bash", json!({ "command": "cat file; ls -N folder; no-such-\u{1b}[31mprogram" })),
        ("Todo", json!({ "todos": [{ "content": hostile, "status": "pending" }] })),
        ("WebFetch", json!({ "url": format!("http://127.0.0.1:1/{hostile}") })),
        ("BashOutput", json!({ "bash_id": hostile })),
    ] {
        let said = desk.call(tool, input.clone()).await;
        let hides = |letter: char| {
            (letter.is_control() && !matches!(letter, '\n' | '\t'))
                || matches!(letter, '\u{202e}' | '\u{200b}' | '\u{e0041}')
        };
        assert!(!said.text.contains(hides), "{tool}: {:?}", said.text);
        assert!(!said.text.is_empty(), "{tool}");
    }
}
