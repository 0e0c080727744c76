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
    expect![[r#"
        exit 0
        anthropic  claude-sonnet-5-5  no     no key; set ANTHROPIC_API_KEY
        openai     gpt-6-sol          no     no key; set OPENAI_API_KEY
        offline    offline            used   always here; searches and quotes by rules
    "#]]
    .assert_eq(&list(&[]));
    expect![[r#"
        exit 0
        anthropic  claude-sonnet-5-5  used   ANTHROPIC_API_KEY is set
        openai     gpt-6-sol          no     no key; set OPENAI_API_KEY
        offline    offline            ready  always here; searches and quotes by rules
    "#]]
    .assert_eq(&list(&[("ANTHROPIC_API_KEY", "sk-secret")]));
    expect![[r#"
        exit 0
        anthropic  claude-sonnet-5-5  no     no key; set ANTHROPIC_API_KEY
        openai                        ready  OPENAI_BASE_URL is set; name a model that this server has
        offline    offline            used   always here; searches and quotes by rules
    "#]]
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
    Scratch::with(&[("answer.sse", STREAM)]).check(
        &["models", "replay", "answer.sse"],
        expect![[r#"
        exit 0
        anthropic, HTTP 200, 616 bytes
          started   msg_1
          usage     11 in, 1 out, 0 from the cache, 0 to the cache
          text      [0] Hello\u{1b}[2J\nthere
          block     [0] text, 15 characters
          usage     11 in, 6 out, 0 from the cache, 0 to the cache
          stopped   end_turn
    "#]],
    );
}

#[test]
fn a_stream_is_decoded_for_a_program() {
    let scratch = Scratch::with(&[("answer.sse", STREAM)]);
    let output = scratch.run(&["models", "replay", "answer.sse", "--json"]);
    let mut rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Other libraries decide in which order an object keeps its fields.
    rows.sort_all_objects();
    let events: Vec<String> = rows[0]["events"].as_array().unwrap().iter().map(ToString::to_string).collect();
    expect![[r#"
        {"id":"msg_1","kind":"started"}
        {"kind":"usage","usage":{"cache_read":0,"cache_write":0,"input":11,"output":1}}
        {"index":0,"kind":"text","text":"Hello\u001b[2J\nthere"}
        {"block":{"text":{"text":"Hello\u001b[2J\nthere"}},"index":0,"kind":"block"}
        {"kind":"usage","usage":{"cache_read":0,"cache_write":0,"input":11,"output":6}}
        {"detail":null,"kind":"stopped","reason":"end_turn"}
    "#]]
    .assert_eq(&(events.join("\n") + "\n"));
    assert_eq!(rows[0]["error"], serde_json::Value::Null);
}

#[test]
fn a_stream_that_was_cut_tells_so() {
    let (head, _) = STREAM.split_at(STREAM.len() - 60);
    Scratch::with(&[("cut.sse", head)]).check(
        &["models", "replay", "cut.sse"],
        expect![[r#"
        exit 0
        anthropic, HTTP 200, 556 bytes
          started   msg_1
          usage     11 in, 1 out, 0 from the cache, 0 to the cache
          text      [0] Hello\u{1b}[2J\nthere
          block     [0] text, 15 characters
          error     the answer broke off: the stream ended before message_stop
    "#]],
    );
}

#[test]
fn what_is_no_recording_and_what_tells_no_provider_is_refused() {
    let scratch = Scratch::with(&[("notes.md", "# Notes\n"), ("odd.sse", "data: {\"a\":1}\n\n")]);
    scratch.check(
        &["models", "replay", "notes.md"],
        expect![[r#"
        exit 2
        ! error: notes.md is no recording: there is no recorded stream in it
        !   help: give a recording, or a stream of server-sent events
    "#]],
    );
    scratch.check(
        &["models", "replay", "odd.sse"],
        expect![[r#"
        exit 2
        ! error: odd.sse does not tell who answered
        !   help: say it with --provider anthropic, openai-chat or openai-responses
    "#]],
    );
    scratch.check(
        &["models", "replay", "odd.sse", "--provider", "anthropic"],
        expect![[r#"
        exit 0
        anthropic, HTTP 200, 15 bytes
          other     
          error     the answer broke off: the stream ended before message_stop
    "#]],
    );
}
