//! What each format says, from a program that prints it.

use expect_test::{Expect, expect};
use workspace::outside::{Format, Program, Spec};
use workspace::session::agent::{Said, Talk};

use super::{Bench, ask};

/// A program that prints these lines.
async fn check(format: Format, lines: &str, expected: Expect) {
    let bench = Bench::new();
    std::fs::write(bench.path("lines"), lines).unwrap();
    let answer = ask(&Program::new(bench.shell("cat >prompt; cat lines", format)), bench.ask("What?")).await;
    assert_eq!(bench.left("prompt"), "What?");
    expected.assert_eq(&answer.shown());
}

#[tokio::test]
async fn plain_text_is_told_without_colours() {
    check(
        Format::Text,
        "\u{1b}[1mFirst\u{1b}[0m line\r\nsecond \u{1b}]0;title\u{7}line\n",
        expect![[r#"
            Text("First line\nsecond line\n")
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn one_json_value_holds_the_answer_where_the_paths_lead() {
    let format = || Format::Json { text: "choices.0.words".into(), session: Some("meta.id".into()) };
    check(
        format(),
        "a warning above\n{\"choices\":[{\"words\":\"Forty-two.\"}],\"meta\":{\"id\":\"t-1\"}}\n",
        expect![[r#"
            Talk("t-1")
            Text("Forty-two.")
            well
        "#]],
    )
    .await;
    check(
        format(),
        "{\"choices\":[]}\n",
        expect![[r#"
            error: fake said what cannot be understood: {"choices":[]}; look whether its version fits
        "#]],
    )
    .await;
}

#[tokio::test]
async fn claude_streams_uses_a_tool_and_goes_on() {
    check(
        Format::Claude,
        r#"{"type":"system","subtype":"init","session_id":"s-1"}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_start","message":{"id":"m1"}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I will "}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"look."}}}
{"type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"Hm."}]},"session_id":"s-1","parent_tool_use_id":null}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I will look."}]},"session_id":"s-1","parent_tool_use_id":null}
{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"Bash","input":{"command":"ls -a"}}]},"session_id":"s-1","parent_tool_use_id":null}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_delta","usage":{"output_tokens":7}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_stop"}}
{"type":"assistant","message":{"id":"sub","content":[{"type":"text","text":"words of an agent below"}]},"session_id":"s-1","parent_tool_use_id":"t1"}
{"type":"user","message":{"content":[{"type":"tool_result","content":"a\nb"}]},"session_id":"s-1","parent_tool_use_id":null}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_start","message":{"id":"m2"}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Two files."}}}
{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Two files."}]},"session_id":"s-1","parent_tool_use_id":null}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_delta","usage":{"output_tokens":3}}}
{"type":"stream_event","session_id":"s-1","event":{"type":"message_stop"}}
{"type":"result","subtype":"success","is_error":false,"result":"Two files.","session_id":"s-1"}
"#,
        expect![[r#"
            Talk("s-1")
            Thinking("Hm.")
            Text("I will ")
            Text("look.")
            Doing("Bash: ls -a")
            Tokens(7)
            Tokens(7)
            Break
            Text("Two files.")
            Tokens(10)
            Tokens(10)
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn claude_without_deltas_loses_no_message_and_tells_the_result_only_if_nothing_else_came() {
    check(
        Format::Claude,
        r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"One."},{"type":"tool_use","name":"Read","input":{}}]},"session_id":"s-1"}
{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Two."}]},"session_id":"s-1"}
{"type":"result","is_error":false,"result":"Two.","session_id":"s-1"}
"#,
        expect![[r#"
            Talk("s-1")
            Text("One.")
            Doing("Read")
            Break
            Text("Two.")
            well
        "#]],
    )
    .await;
    check(
        Format::Claude,
        "{\"type\":\"result\",\"is_error\":false,\"result\":\"Only here.\",\"session_id\":\"s-2\"}\n",
        expect![[r#"
            Talk("s-2")
            Text("Only here.")
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_message_that_claude_begins_again_is_void_before() {
    check(
        Format::Claude,
        r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}}}
{"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Half a sen"}}}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2"}}}
{"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"A sentence."}}}
{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"A sentence."}]}}
{"type":"stream_event","event":{"type":"message_stop"}}
{"type":"result","is_error":false,"result":"A sentence."}
"#,
        expect![[r#"
            Text("Half a sen")
            Void
            Text("A sentence.")
            Tokens(0)
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_claude_code_says_of_an_error_is_no_answer() {
    check(
        Format::Claude,
        r#"{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error: 529"}]},"session_id":"s-1"}
{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529","session_id":"s-1"}
"#,
        expect![[r#"
            Talk("s-1")
            error: fake failed: API Error: 529
        "#]],
    )
    .await;
}

#[tokio::test]
async fn codex_tells_items_once_and_apart() {
    check(
        Format::Codex,
        r#"{"type":"thread.started","thread_id":"th-1"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Plan**"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I look."}}
{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"ls","exit_code":0}}
{"type":"item.updated","item":{"id":"item_3","type":"agent_message","text":"Two"}}
{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Two files."}}
{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":4}}
"#,
        expect![[r#"
            Talk("th-1")
            Thinking("**Plan**")
            Text("I look.")
            Doing("command execution: ls")
            Break
            Text("Two")
            Text(" files.")
            Tokens(4)
            well
        "#]],
    )
    .await;
    check(
        Format::Codex,
        "{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"quota\"}}\n",
        expect![[r#"
            Doing("Reconnecting... 1/5")
            error: fake failed: quota
        "#]],
    )
    .await;
}

#[tokio::test]
async fn gemini_tells_pieces_and_never_the_question() {
    check(
        Format::Gemini,
        r#"Loaded cached credentials.
{"type":"init","session_id":"g-1","model":"m"}
{"type":"message","role":"user","content":"What?"}
{"type":"message","role":"assistant","content":"I ","delta":true}
{"type":"message","role":"assistant","content":"look.","delta":true}
{"type":"tool_use","tool_name":"list_directory","tool_id":"1","parameters":{}}
{"type":"tool_result","tool_id":"1","status":"success"}
{"type":"message","role":"assistant","content":"Two files.","delta":true}
{"type":"result","status":"success","stats":{"output_tokens":9}}
"#,
        expect![[r#"
            Talk("g-1")
            Text("I ")
            Text("look.")
            Doing("list_directory")
            Break
            Text("Two files.")
            Tokens(9)
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn opencode_tells_parts_once_and_apart() {
    check(
        Format::Opencode,
        r#"{"type":"step_start","sessionID":"ses_1","part":{"id":"p0"}}
{"type":"text","sessionID":"ses_1","part":{"id":"p1","text":"I look."}}
{"type":"tool_use","sessionID":"ses_1","part":{"id":"p2","tool":"bash","state":{"title":"ls"}}}
{"type":"step_finish","sessionID":"ses_1","part":{"id":"p3","tokens":{"output":5}}}
{"type":"text","sessionID":"ses_1","part":{"id":"p4","text":"Two files."}}
{"type":"step_finish","sessionID":"ses_1","part":{"id":"p5","tokens":{"output":6}}}
"#,
        expect![[r#"
            Talk("ses_1")
            Text("I look.")
            Doing("bash: ls")
            Tokens(5)
            Break
            Text("Two files.")
            Tokens(11)
            well
        "#]],
    )
    .await;
    check(
        Format::Opencode,
        "{\"type\":\"error\",\"sessionID\":\"s\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"no credit\"}}}\n",
        expect![[r#"
            Talk("s")
            error: fake failed: no credit
        "#]],
    )
    .await;
}

/// The arguments that the built-in agents get.
#[tokio::test]
async fn built_in_agents_are_called_as_their_programs_want_it() {
    let bench = Bench::new();
    std::fs::write(bench.path("agent.sh"), "printf '%s\\n' \"$*\" >arguments; cat >/dev/null; echo x")
        .unwrap();
    let mut calls = String::new();
    for name in ["claude", "codex", "gemini", "opencode"] {
        for talk in [Talk::Fresh, Talk::ForkLatest, Talk::Resume("id-1".into())] {
            let built_in = Spec::built_in(name).unwrap();
            let mut spec = Spec { command: "sh".into(), format: Format::Text, ..built_in };
            spec.args.insert(0, bench.path("agent.sh").display().to_string());
            let mut asked = bench.ask("What?");
            (asked.talk, asked.model) = (talk, Some("m/1".into()));
            let answer = ask(&Program::new(spec), asked).await;
            answer.outcome.as_ref().unwrap();
            calls += &format!("{name} {}", bench.left("arguments"));
            for said in answer.said.iter().filter(|said| matches!(said, Said::Doing(_))) {
                calls += &format!("  {said:?}\n");
            }
        }
    }
    expect![[r#"
        claude -p --output-format stream-json --verbose --include-partial-messages --model m/1
        claude -p --output-format stream-json --verbose --include-partial-messages --model m/1 --continue --fork-session
        claude -p --output-format stream-json --verbose --include-partial-messages --model m/1 --resume id-1
        codex exec --json --skip-git-repo-check --model m/1 -
        codex exec --json --skip-git-repo-check --model m/1 -
          Doing("codex cannot begin with an older conversation; a new one begins")
        codex exec --json --skip-git-repo-check --model m/1 resume id-1 -
        gemini --output-format stream-json --model m/1
        gemini --output-format stream-json --model m/1
          Doing("gemini cannot begin with an older conversation; a new one begins")
        gemini --output-format stream-json --model m/1 --resume id-1
        opencode run --format json --model m/1
        opencode run --format json --model m/1 --continue --fork
        opencode run --format json --model m/1 --session id-1
    "#]]
    .assert_eq(&calls);
}
