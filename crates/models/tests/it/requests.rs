//! Requests as they go over the wire.

use std::sync::Arc;

use agent::message::{Block, Image, Message, Part, Text, ToolCall, ToolResult, Verbatim};
use agent::model::{Breakpoint, Effort, Request};
use expect_test::{Expect, expect};
use models::Protocol;
use models::protocol::Dialect;
use serde_json::Value;

use crate::samples::request;

fn verbatim(provider: &str, json: &str) -> Verbatim {
    Verbatim { provider: provider.to_owned(), json: json.to_owned() }
}

/// A conversation with all that a message can hold.
fn conversation(provider: &str, sealed: &str) -> Request {
    let call = ToolCall {
        id: "c2".to_owned(),
        name: "Read".to_owned(),
        input: r#"{"path": "b"}"#.to_owned(),
        verbatim: Some(verbatim(provider, r#"{"sent":"as it came","n":1.0}"#)),
    };
    let image = Image { media_type: "image/png".to_owned(), base64: "AAAA".to_owned() };
    request(vec![
        Message::user(vec![Block::text("Look."), Block::Image(image.clone())]),
        Message::assistant(vec![
            Block::Thinking { text: "hm".to_owned(), signature: "SIG".to_owned() },
            Block::RedactedThinking { data: "XYZ".to_owned() },
            Block::Opaque(verbatim(provider, sealed)),
            Block::Text(Text { text: "Both.".to_owned(), verbatim: None }),
            Block::call("c1", "Read", r#"{ "path":"a" , "n":1.0}"#),
            Block::ToolUse(call),
            Block::call("c3", "Read", "{oops"),
        ]),
        Message::user(vec![
            Block::ToolResult(ToolResult::success("c1", "text of a")),
            Block::ToolResult(ToolResult::of_parts("c2", vec![Part::Image(image)], false)),
            Block::ToolResult(ToolResult::error("c3", "no JSON")),
            Block::text("Go on."),
        ]),
    ])
}

fn check(protocol: Protocol, request: &Request, expect: Expect) {
    let body = protocol.encode(request, Dialect::Original);
    assert_eq!(body, protocol.encode(request, Dialect::Original));
    let mut value: Value = serde_json::from_str(&body).unwrap();
    // Other libraries decide in which order an object keeps its fields.
    value.sort_all_objects();
    let list = match protocol {
        Protocol::Anthropic | Protocol::Chat => "messages",
        Protocol::Responses => "input",
    };
    let mut lines: Vec<String> = value[list].as_array().unwrap().iter().map(Value::to_string).collect();
    let mut rest = value;
    rest[list] = Value::Null;
    lines.push(rest.to_string());
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

// S12: what was sealed goes back as it came, and in its order.
#[test]
fn a_conversation_for_anthropic() {
    let mut request = conversation("anthropic", r#"{"type":"server_tool_use","n":1.50}"#);
    request.cache = vec![Breakpoint::Tools, Breakpoint::System, Breakpoint::Message(2)];
    let body = Protocol::Anthropic.encode(&request, Dialect::Original);
    for bytes in [
        r#"{"type":"server_tool_use","n":1.50}"#,
        r#"{"sent":"as it came","n":1.0}"#,
        r#"{ "path":"a" , "n":1.0}"#,
    ] {
        assert!(body.contains(bytes), "{bytes}");
    }
    check(
        Protocol::Anthropic,
        &request,
        expect![[r#"
        {"content":[{"text":"Look.","type":"text"},{"source":{"data":"AAAA","media_type":"image/png","type":"base64"},"type":"image"}],"role":"user"}
        {"content":[{"signature":"SIG","thinking":"hm","type":"thinking"},{"data":"XYZ","type":"redacted_thinking"},{"n":1.5,"type":"server_tool_use"},{"text":"Both.","type":"text"},{"id":"c1","input":{"n":1.0,"path":"a"},"name":"Read","type":"tool_use"},{"n":1.0,"sent":"as it came"},{"id":"c3","input":{},"name":"Read","type":"tool_use"}],"role":"assistant"}
        {"content":[{"content":[{"text":"text of a","type":"text"}],"tool_use_id":"c1","type":"tool_result"},{"content":[{"source":{"data":"AAAA","media_type":"image/png","type":"base64"},"type":"image"}],"tool_use_id":"c2","type":"tool_result"},{"content":[{"text":"no JSON","type":"text"}],"is_error":true,"tool_use_id":"c3","type":"tool_result"},{"cache_control":{"type":"ephemeral"},"text":"Go on.","type":"text"}],"role":"user"}
        {"max_tokens":4096,"messages":null,"model":"a-model","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"Be brief.","type":"text"}],"tools":[{"cache_control":{"type":"ephemeral"},"description":"Reads a file.","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"},"name":"Read"}]}
    "#]],
    );
}

#[test]
fn a_conversation_for_chat() {
    check(
        Protocol::Chat,
        &conversation("openai-chat", r#"{"reasoning_content":"so"}"#),
        expect![[r#"
        {"content":"Be brief.","role":"system"}
        {"content":[{"text":"Look.","type":"text"},{"image_url":{"url":"data:image/png;base64,AAAA"},"type":"image_url"}],"role":"user"}
        {"content":"Both.","reasoning_content":"so","role":"assistant","tool_calls":[{"function":{"arguments":"{ \"path\":\"a\" , \"n\":1.0}","name":"Read"},"id":"c1","type":"function"},{"function":{"arguments":"{\"path\": \"b\"}","name":"Read"},"id":"c2","type":"function"},{"function":{"arguments":"{}","name":"Read"},"id":"c3","type":"function"}]}
        {"content":"text of a","role":"tool","tool_call_id":"c1"}
        {"content":"(an image, which follows)","role":"tool","tool_call_id":"c2"}
        {"content":"no JSON","role":"tool","tool_call_id":"c3"}
        {"content":[{"image_url":{"url":"data:image/png;base64,AAAA"},"type":"image_url"},{"text":"Go on.","type":"text"}],"role":"user"}
        {"max_completion_tokens":4096,"messages":null,"model":"a-model","stream":true,"stream_options":{"include_usage":true},"tools":[{"function":{"description":"Reads a file.","name":"Read","parameters":{"properties":{"path":{"type":"string"}},"type":"object"}},"type":"function"}]}
    "#]],
    );
}

#[test]
fn a_conversation_for_responses() {
    let sealed = r#"{"type":"reasoning","id":"rs","encrypted_content":"SEAL","summary":[]}"#;
    check(
        Protocol::Responses,
        &conversation("openai-responses", sealed),
        expect![[r#"
            {"content":[{"text":"Look.","type":"input_text"},{"detail":"auto","image_url":"data:image/png;base64,AAAA","type":"input_image"}],"role":"user","type":"message"}
            {"encrypted_content":"SEAL","id":"rs","summary":[],"type":"reasoning"}
            {"content":"Both.","role":"assistant","type":"message"}
            {"arguments":"{ \"path\":\"a\" , \"n\":1.0}","call_id":"c1","name":"Read","type":"function_call"}
            {"n":1.0,"sent":"as it came"}
            {"arguments":"{}","call_id":"c3","name":"Read","type":"function_call"}
            {"call_id":"c1","output":"text of a","type":"function_call_output"}
            {"call_id":"c2","output":[{"detail":"auto","image_url":"data:image/png;base64,AAAA","type":"input_image"}],"type":"function_call_output"}
            {"call_id":"c3","output":"no JSON","type":"function_call_output"}
            {"content":[{"text":"Go on.","type":"input_text"}],"role":"user","type":"message"}
            {"include":["reasoning.encrypted_content"],"input":null,"instructions":"Be brief.","max_output_tokens":4096,"model":"a-model","store":false,"stream":true,"tools":[{"description":"Reads a file.","name":"Read","parameters":{"properties":{"path":{"type":"string"}},"type":"object"},"strict":false,"type":"function"}]}
        "#]],
    );
}

#[test]
fn what_one_provider_sealed_is_not_sent_to_another() {
    for protocol in Protocol::ALL {
        let body =
            protocol.encode(&conversation("elsewhere", r#"{"secret":"of another"}"#), Dialect::Original);
        assert!(!body.contains("of another") && !body.contains("as it came"), "{protocol}");
        // The call itself is sent with our own fields.
        assert!(body.contains("c2"), "{protocol}");
    }
}

#[test]
fn thoughts_that_are_not_sealed_stay_here() {
    let request = conversation("openai-responses", r#"{"type":"reasoning","id":"rs_open"}"#);
    assert!(!Protocol::Responses.encode(&request, Dialect::Original).contains("rs_open"));
}

#[test]
fn effort_is_spelt_as_the_model_knows_it() {
    let mut request = request(vec![Message::user(vec![Block::text("x")])]);
    request.thinking = Effort::Medium;
    request.output_max = 16_000;
    let mut spelt = |model: &str, protocol: Protocol| {
        request.model = model.to_owned();
        let mut value: Value = serde_json::from_str(&protocol.encode(&request, Dialect::Original)).unwrap();
        value.sort_all_objects();
        ["thinking", "output_config", "reasoning_effort", "reasoning"]
            .iter()
            .filter_map(|key| value.get(key).map(|value| format!("{key} {value}")))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(
        spelt("claude-sonnet-5-5", Protocol::Anthropic),
        r#"thinking {"display":"summarized","type":"adaptive"}, output_config {"effort":"medium"}"#
    );
    assert_eq!(
        spelt("claude-haiku-4-5", Protocol::Anthropic),
        r#"thinking {"budget_tokens":4000,"type":"enabled"}"#
    );
    assert_eq!(spelt("gpt-6-sol", Protocol::Chat), r#"reasoning_effort "medium""#);
    assert_eq!(spelt("gpt-6-sol", Protocol::Responses), r#"reasoning {"effort":"medium","summary":"auto"}"#);
}

#[test]
fn imitations_get_the_old_name_of_the_limit() {
    let request = request(vec![Message::user(vec![Block::text("x")])]);
    let has = |dialect, key: &str| {
        let body: Value = serde_json::from_str(&Protocol::Chat.encode(&request, dialect)).unwrap();
        body.get(key).is_some()
    };
    assert!(has(Dialect::Original, "max_completion_tokens") && !has(Dialect::Original, "max_tokens"));
    assert!(!has(Dialect::Compatible, "max_completion_tokens") && has(Dialect::Compatible, "max_tokens"));
    assert_eq!(Dialect::of("https://api.openai.com/v1/chat/completions"), Dialect::Original);
    assert_eq!(Dialect::of("http://127.0.0.1:8080/v1"), Dialect::Compatible);
}

// C5: a message that was kept and read again is sent as the same bytes.
#[test]
fn a_transcript_gives_the_identical_request() {
    for protocol in Protocol::ALL {
        let first = conversation(protocol.name(), r#"{"type":"x","encrypted_content":"S"}"#);
        let mut second = first.clone();
        for message in &mut second.messages {
            let kept = serde_json::to_string(&**message).unwrap();
            *message = Arc::new(serde_json::from_str(&kept).unwrap());
        }
        assert_eq!(protocol.encode(&first, Dialect::Original), protocol.encode(&second, Dialect::Original));
    }
}
