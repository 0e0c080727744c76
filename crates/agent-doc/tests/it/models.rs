use expect_test::expect;

use crate::scratch::{Scratch, told};

const STREAM: &str = "event: message_start
data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":11,\"output_tokens\":1}}}

event: content_block_start
data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}

event: content_block_delta
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\\u001b[2J\\nthere\"}}

event: content_block_stop
data: {\"type\":\"content_block_stop\",\"index\":0}

event: message_delta
data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":6}}

event: message_stop
data: {\"type\":\"message_stop\"}
";

const VARIABLES: [&str; 4] = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"];

fn list(set: &[(&str, &str)]) -> String {
    let scratch = Scratch::new();
    let mut command = scratch.command(&["models"]);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command.envs(set.iter().copied());
    told(&command.output().unwrap())
}

#[test]
fn the_list_says_what_is_used_and_what_the_rest_needs() {
    expect![""].assert_eq(&list(&[]));
    expect![""].assert_eq(&list(&[("ANTHROPIC_API_KEY", "sk-secret")]));
    expect![""]
        .assert_eq(&list(&[("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"), ("ANTHROPIC_API_KEY", " ")]));
}

#[test]
fn the_list_is_there_as_json_and_shows_no_key() {
    let scratch = Scratch::new();
    let output = scratch
        .command(&["models", "list", "--json"])
        .env("ANTHROPIC_API_KEY", "sk-secret")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows[0]["provider"], "anthropic");
    assert_eq!(rows[0]["used"], true);
    assert!(!text.contains("sk-secret"));
}

#[test]
fn a_stream_is_decoded_for_a_person() {
    Scratch::with(&[("answer.sse", STREAM)]).check(&["models", "replay", "answer.sse"], expect![""]);
}

#[test]
fn a_stream_is_decoded_for_a_program() {
    let scratch = Scratch::with(&[("answer.sse", STREAM)]);
    let output = scratch.run(&["models", "replay", "answer.sse", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let events: Vec<String> = rows[0]["events"].as_array().unwrap().iter().map(ToString::to_string).collect();
    expect![""].assert_eq(&(events.join("\n") + "\n"));
    assert_eq!(rows[0]["error"], serde_json::Value::Null);
}

#[test]
fn a_stream_that_was_cut_tells_so() {
    let (head, _) = STREAM.split_at(STREAM.len() - 60);
    Scratch::with(&[("cut.sse", head)]).check(&["models", "replay", "cut.sse"], expect![""]);
}

#[test]
fn what_is_no_recording_and_what_tells_no_provider_is_refused() {
    let scratch = Scratch::with(&[("notes.md", "# Notes\n"), ("odd.sse", "data: {\"a\":1}\n\n")]);
    scratch.check(&["models", "replay", "notes.md"], expect![""]);
    scratch.check(&["models", "replay", "odd.sse"], expect![""]);
    scratch.check(&["models", "replay", "odd.sse", "--provider", "anthropic"], expect![""]);
}
