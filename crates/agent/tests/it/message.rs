//! Messages and results as they are made and kept.

use agent::message::{Block, Message, Part, StopReason, ToolCall, ToolResult};
use agent::synthesis::{create_synthesis_id, perform_synthesis};

// seed: test_interrupt_message_format
#[test]
fn an_interrupted_call_gets_the_words_of_the_seed() {
    let result = ToolResult::interrupt("t1");
    assert!(result.is_error);
    assert_eq!(
        result.text(),
        "[Request interrupted by user for tool use]\n\n\
         The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, \
         the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how \
         to proceed."
    );
}

#[test]
fn a_result_always_says_something() {
    assert_eq!(ToolResult::success("t", " \n").text(), "(no output)");
    assert_eq!(ToolResult::of_parts("t", vec![], true).content, [Part::Text("(no output)".to_owned())]);
    assert!(!ToolResult::success("t", "x").is_error);
}

// S2
#[test]
fn each_stop_reason_survives_the_wire() {
    let words = [
        "content_filtered",
        "end_turn",
        "guardrail_intervened",
        "max_tokens",
        "stop_sequence",
        "tool_use",
        "pause_turn",
        "refusal",
        "model_context_window_exceeded",
        "of next year",
    ];
    for word in words {
        let reason = StopReason::from(word.to_owned());
        assert_eq!(matches!(reason, StopReason::Other(_)), word == "of next year");
        let json = serde_json::to_string(&reason).unwrap();
        assert_eq!(json, format!("{word:?}"));
        assert_eq!(serde_json::from_str::<StopReason>(&json).unwrap(), reason);
    }
}

#[test]
fn the_arguments_go_back_in_the_bytes_that_came() {
    let call =
        |input: &str| ToolCall { id: "t".into(), name: "T".into(), input: input.into(), verbatim: None };
    for input in ["{ \"b\":1, \"a\" : [ 1e2 ] }", "{}"] {
        assert_eq!(call(input).input_to_send(), input);
    }
    for input in ["", " ", "[1]", "null", "{", "{} x", "\"{}\""] {
        assert_eq!(call(input).input_to_send(), "{}", "{input}");
    }
    assert_eq!(call("").arguments().unwrap().len(), 0);
    assert!(call("[1]").arguments().unwrap_err().to_string().contains("Received: [1]"));
}

#[test]
fn a_message_is_one_line_of_json() {
    let message = Message::assistant(vec![Block::text("a\nb"), Block::call("t1", "Grep", "{\n}")]);
    let line = serde_json::to_string(&message).unwrap();
    assert_eq!(
        line,
        r#"{"role":"assistant","content":[{"text":{"text":"a\nb"}},{"tool_use":{"id":"t1","name":"Grep","input":"{\n}"}}]}"#
    );
    assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), message);
}

#[test]
fn a_digest_leaves_out_what_failed() {
    let results =
        [ToolResult::success("a", "one"), ToolResult::error("b", "two"), ToolResult::success("c", "three")];
    assert_eq!(perform_synthesis(&results), "Based on the tool executions:\n- one\n- three\n");
    assert_eq!(create_synthesis_id("m7", None), "synthesis_m7");
    assert_eq!(create_synthesis_id("m7", Some(2)), "agent_2_m7");
}
