//! Answers of chat completions, from the original and from imitations.

use expect_test::{Expect, expect};
use models::Protocol;

use crate::samples::chat;
use crate::told::{decoded, told};

fn check(objects: &[&str], expect: Expect) {
    expect.assert_eq(&told(&decoded(Protocol::Chat, [chat(objects).as_bytes()])));
}

#[test]
fn calls_are_gathered_by_their_index() {
    check(
        &[
            r#"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":"Two."}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"Read","arguments":""}}]}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"Grep","arguments":"{\"q\":"}}]}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":1}"}}]}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}}]}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"id":"c1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":90}}}"#,
            "[DONE]",
        ],
        expect![[r#"
            started c1
            0 + "Two."
            1 calls Read as a
            2 calls Grep as b
            2 > {"q":
            1 > {"p":1}
            2 > 2}
            usage in 10 out 7 read 90 written 0
            0 = text "Two."
            1 = call a Read {"p":1}
            2 = call b Grep {"q":2}
            stopped tool_use
        "#]],
    );
}

#[test]
fn the_last_mark_and_the_choices_may_be_missing() {
    check(
        &[
            r#"{"choices":[{"delta":{"content":"Hi"}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
        ],
        expect![[r#"
            started 
            0 + "Hi"
            usage in 1 out 1 read 0 written 0
            0 = text "Hi"
            stopped end_turn
        "#]],
    );
}

#[test]
fn calls_without_index_or_id_get_names_of_their_own() {
    check(
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"Read","arguments":{"p":1}}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"Read","arguments":{"p":2}}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ],
        expect![[r#"
            started 
            0 calls Read as call_1_0
            0 > {"p":1}
            1 calls Read as call_1_1
            1 > {"p":2}
            0 = call call_1_0 Read {"p":1}
            1 = call call_1_1 Read {"p":2}
            stopped end_turn
        "#]],
    );
}

#[test]
fn calls_that_all_have_the_index_zero_are_told_apart_by_their_id() {
    check(
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"Read","arguments":"{\"p\":1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"Read","arguments":"{\"p\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]},"finish_reason":"tool_calls"}]}"#,
        ],
        expect![[r#"
            started 
            0 calls Read as x
            0 > {"p":1}
            1 calls Read as y
            1 > {"p"
            1 > :2}
            0 = call x Read {"p":1}
            1 = call y Read {"p":2}
            stopped tool_use
        "#]],
    );
}

#[test]
fn thoughts_come_in_two_spellings_and_are_kept_with_theirs() {
    for field in ["reasoning_content", "reasoning"] {
        let chunk = format!(r#"{{"choices":[{{"delta":{{"{field}":"hm"}}}}]}}"#);
        let outcome = decoded(
            Protocol::Chat,
            [chat(&[&chunk, r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#])
                .as_bytes()],
        );
        assert_eq!(
            told(&outcome),
            format!(
                "started \n0 thinks \"hm\"\n1 + \"ok\"\n0 = opaque {{\"{field}\":\"hm\"}}\n1 = text \"ok\"\nstopped end_turn\n"
            )
        );
    }
}

// L6, L7
#[test]
fn a_call_that_the_limit_cut_is_no_call() {
    check(
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"Read","arguments":"{\"p\":\"x"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
            "[DONE]",
        ],
        expect![[r#"
            started 
            0 calls Read as a
            0 > {}
            1 calls Read as b
            1 > {"p":"x
            0 = call a Read {}
            stopped max_tokens
        "#]],
    );
}

// S8, S10
#[test]
fn an_early_end_and_an_error_are_told() {
    check(
        &[r#"{"choices":[{"delta":{"content":"Hel"}}]}"#],
        expect![[r#"
            started 
            0 + "Hel"
            error Retry { after: None, reason: Cut("the stream ended before a finish_reason") }
        "#]],
    );
    check(
        &[r#"{"choices":[{"delta":{"content":"Hel"}}]}"#, r#"{"error":{"message":"gone","code":502}}"#],
        expect![[r#"
            started 
            0 + "Hel"
            error Retry { after: None, reason: Provider("gone (502)") }
        "#]],
    );
    check(
        &["{\"choices\": 1}"],
        expect![[r#"
            error Broken("a chunk is not understood: invalid type: integer `1`, expected a sequence at line 1 column 13")
        "#]],
    );
}

#[test]
fn a_refusal_is_text_and_a_reason() {
    check(
        &[r#"{"choices":[{"delta":{"refusal":"I can't."},"finish_reason":"stop"}]}"#, "[DONE]"],
        expect![[r#"
            started 
            0 + "I can't."
            0 = text "I can't."
            stopped refusal
        "#]],
    );
    check(
        &[r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#, "[DONE]"],
        expect![[r#"
            started 
            stopped content_filtered
        "#]],
    );
}
