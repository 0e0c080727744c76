//! Answers of the Messages API.

use expect_test::{Expect, expect};
use models::Protocol;

use crate::samples::{END_TURN, START, STOP, TEXT, anthropic, text_delta};
use crate::told::{decoded, told};

fn check(objects: &[&str], expect: Expect) {
    check_text(&anthropic(objects), expect);
}

fn check_text(text: &str, expect: Expect) {
    expect.assert_eq(&told(&decoded(Protocol::Anthropic, [text.as_bytes()])));
}

// S1, S2: the tool runs with the arguments of the deltas, and why it stopped stands in message_delta.
#[test]
fn text_and_a_call_are_read() {
    check(
        &[
            START,
            TEXT,
            r#"{"type": "ping"}"#,
            &text_delta("I'll"),
            &text_delta(" look."),
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"Read","input":{},"caller":{"type":"direct"}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":".md\", \"n\": 1.0}"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":65}}"#,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            unknown ping
            0 + "I'll"
            0 + " look."
            0 = text "I'll look."
            1 calls Read as toolu_1
            1 > 
            1 > {"path": "a
            1 > .md", "n": 1.0}
            1 = call toolu_1 Read {"path": "a.md", "n": 1.0} of {"caller":{"type":"direct"},"id":"toolu_1","input":{"path": "a.md", "n": 1.0},"name":"Read","type":"tool_use"}
            usage in 10 out 65 read 0 written 0
            stopped tool_use
        "#]],
    );
}

// S4 (f, g), S5
#[test]
fn padding_a_missing_event_line_and_odd_line_breaks_change_nothing() {
    let text = format!(
        "data: {START}\n\ndata: {TEXT}\n\ndata: {}\n\ndata: {END_TURN}\n\ndata: {{\"type\":\"message_stop\"          }}\n\n",
        text_delta("a\u{2028}b\\n\\nc")
            .replace("\\u{2028}", "\u{2028}")
            .replace("\\\\n", "\\n")
            .replace("}}", "}          }")
    );
    check_text(
        &text,
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 + "a\u{2028}b\n\nc"
            usage in 10 out 5 read 0 written 0
            stopped end_turn
        "#]],
    );
}

// S6
#[test]
fn what_is_new_does_no_harm_and_an_unknown_block_is_kept_as_it_came() {
    check(
        &[
            START,
            r#"{"type":"future_thing","x":[1,2]}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"zzz","x":1.50,"a":"é"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"yyy_delta","q":1}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"brand_new"},"usage":{}}"#,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            unknown future_thing
            unknown yyy_delta
            0 = opaque {"type":"zzz","x":1.50,"a":"é"}
            usage in 10 out 1 read 0 written 0
            stopped brand_new
        "#]],
    );
}

// S8, S9: nothing is whole until message_stop has come.
#[test]
fn a_stream_that_ends_early_is_cut_and_keeps_its_text() {
    let whole = anthropic(&[START, TEXT, &text_delta("partial…")]);
    check_text(
        &(whole.clone() + "event: content_block_delta\ndata: {\"type\":\"content_blo"),
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 + "partial…"
            error Retry { after: None, reason: Cut("the stream ended before message_stop") }
        "#]],
    );
    check_text(
        &(whole + &anthropic(&[r#"{"type":"content_block_stop","index":0}"#, END_TURN])),
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 + "partial…"
            0 = text "partial…"
            usage in 10 out 5 read 0 written 0
            error Retry { after: None, reason: Cut("the stream ended before message_stop") }
        "#]],
    );
}

// S10, S11
#[test]
fn an_error_after_the_beginning_ends_the_answer() {
    check(
        &[
            START,
            TEXT,
            &text_delta("Hel"),
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 + "Hel"
            error Retry { after: None, reason: Provider("Overloaded (overloaded_error)") }
        "#]],
    );
    check(
        &[r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#],
        expect![[r#"
            error Rejected { message: "no (invalid_request_error)" }
        "#]],
    );
}

// S12: thoughts keep their seal, also without a word of them, and one seal replaces another.
#[test]
fn thoughts_keep_their_order_and_their_seal() {
    check(
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"b"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"OLD"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"XYZ"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"","signature":"ONLY"}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            END_TURN,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 thinks "a"
            0 thinks "b"
            unknown signature_delta
            unknown signature_delta
            0 = thinking "ab" signed SIG
            1 = redacted XYZ
            2 = thinking "" signed ONLY
            usage in 10 out 5 read 0 written 0
            stopped end_turn
        "#]],
    );
}

// S13
#[test]
fn blocks_may_arrive_interleaved() {
    check(
        &[
            START,
            TEXT,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"Read","input":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
            &text_delta("x"),
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            END_TURN,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            1 calls Read as t
            1 > {"a":
            0 + "x"
            1 > 1}
            0 = text "x"
            1 = call t Read {"a":1}
            usage in 10 out 5 read 0 written 0
            stopped end_turn
        "#]],
    );
}

// S14
#[test]
fn usage_is_overwritten_and_never_added() {
    check(
        &[
            r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":100,"cache_read_input_tokens":900,"output_tokens":1}}}"#,
            r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":50}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":101,"output_tokens":60}}"#,
            STOP,
        ],
        expect![[r#"
            started m
            usage in 100 out 1 read 900 written 0
            usage in 100 out 50 read 900 written 0
            usage in 101 out 60 read 900 written 0
            stopped end_turn
        "#]],
    );
}

// S15
#[test]
fn events_in_an_impossible_order_are_told() {
    check(
        &[TEXT],
        expect![[r#"
            error Broken("the stream begins with content_block_start instead of message_start")
        "#]],
    );
    check(
        &[START, START],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            error Broken("the stream holds a second message_start")
        "#]],
    );
    check(
        &[START, &text_delta("x")],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            error Broken("there is text for block 0, which is not open")
        "#]],
    );
    check(
        &[START, TEXT, TEXT],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            error Broken("block 0 is started twice")
        "#]],
    );
    check_text(
        "data: [1]\n\n",
        expect![[r#"
            error Broken("an event is not understood: invalid type: integer `1`, expected a string at line 1 column 2")
        "#]],
    );
}

// S16
#[test]
fn citations_are_kept_with_their_text() {
    check(
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}"#,
            &text_delta("so"),
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","start":0.0}}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            END_TURN,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 + "so"
            unknown citations_delta
            0 = text "so" of {"citations":[{"type":"char_location","start":0.0}],"text":"so","type":"text"}
            usage in 10 out 5 read 0 written 0
            stopped end_turn
        "#]],
    );
}

// L6, L7: the block that the limit cut never becomes whole.
#[test]
fn a_call_that_the_limit_cut_is_no_call() {
    check(
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"Read","input":{}}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"Write","input":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"x"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":124}}"#,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 calls Read as a
            0 = call a Read 
            1 calls Write as b
            1 > {"path": "x
            usage in 10 out 124 read 0 written 0
            stopped max_tokens
        "#]],
    );
}

// L10, L11
#[test]
fn a_pause_and_a_refusal_are_told_as_they_are() {
    check(
        &[START, r#"{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{}}"#, STOP],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            usage in 10 out 1 read 0 written 0
            stopped pause_turn
        "#]],
    );
    check(
        &[
            START,
            r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"Not this."}},"usage":{}}"#,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            usage in 10 out 1 read 0 written 0
            stopped refusal: cyber: Not this.
        "#]],
    );
}

#[test]
fn arguments_that_are_no_json_are_kept_as_they_came() {
    check(
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"Read","input":{},"caller":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\": oops"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            END_TURN,
            STOP,
        ],
        expect![[r#"
            started msg_1
            usage in 10 out 1 read 0 written 0
            0 calls Read as a
            0 > {"path": oops
            0 = call a Read {"path": oops
            usage in 10 out 5 read 0 written 0
            stopped end_turn
        "#]],
    );
}
