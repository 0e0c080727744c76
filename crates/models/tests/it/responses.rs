//! Answers of the Responses API.

use expect_test::{Expect, expect};
use models::Protocol;

use crate::samples::anthropic;
use crate::told::{decoded, told};

const CREATED: &str =
    r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress"}}"#;

fn check(objects: &[&str], expect: Expect) {
    expect.assert_eq(&told(&decoded(Protocol::Responses, [anthropic(objects).as_bytes()])));
}

#[test]
fn items_are_kept_as_they_came() {
    check(
        &[
            CREATED,
            r#"{"type":"response.in_progress","response":{}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"SEAL"}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"Read","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"p\":"}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"1}"}"#,
            r#"{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"p\":1}"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"Read","arguments":"{\"p\":1}"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":100,"output_tokens":9,"input_tokens_details":{"cached_tokens":64}}}}"#,
        ],
        expect![[r#"
            started resp_1
            unknown response.in_progress
            unknown reasoning
            unknown response.reasoning_summary_part.added
            0 thinks "hm"
            0 thinks "\n\n"
            0 = opaque {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"SEAL"}
            1 calls Read as call_1
            1 > {"p":
            1 > 1}
            unknown response.function_call_arguments.done
            1 = call call_1 Read {"p":1} of {"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"Read","arguments":"{\"p\":1}"}
            usage in 36 out 9 read 64 written 0
            stopped tool_use
        "#]],
    );
}

// L6
#[test]
fn an_item_that_the_limit_cut_is_no_block() {
    check(
        &[
            CREATED,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"Write","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"p"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","status":"incomplete","call_id":"c","name":"Write","arguments":"{\"p"}}"#,
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","status":"incomplete","call_id":"c","name":"Write","arguments":"{\"p"}]}}"#,
        ],
        expect![[r#"
            started resp_1
            0 calls Write as c
            0 > {"p
            stopped max_tokens
        "#]],
    );
    check(
        &[
            CREATED,
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#,
        ],
        expect![[r#"
            started resp_1
            stopped content_filtered
        "#]],
    );
}

#[test]
fn items_that_come_only_at_the_end_are_taken() {
    check(
        &[
            CREATED,
            r#"{"type":"response.completed","response":{"id":"resp_1","output":[{"type":"message","status":"completed","content":[{"type":"output_text","text":"Hi"},{"type":"output_text","text":" you"}]}]}}"#,
        ],
        expect![[r#"
            started resp_1
            0 = text "Hi you" of {"type":"message","status":"completed","content":[{"type":"output_text","text":"Hi"},{"type":"output_text","text":" you"}]}
            stopped end_turn
        "#]],
    );
}

// S8, S10, S11
#[test]
fn failures_are_told_at_once() {
    check(
        &[
            CREATED,
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"oops"}}}"#,
        ],
        expect![[r#"
            started resp_1
            error Retry { after: None, reason: Provider("oops (server_error)") }
        "#]],
    );
    check(
        &[
            CREATED,
            r#"{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"long"}}}"#,
        ],
        expect![[r#"
            started resp_1
            error TooLong
        "#]],
    );
    check(
        &[r#"{"type":"error","code":"invalid_prompt","message":"no","param":null}"#],
        expect![[r#"
            error Rejected { message: "no (invalid_prompt)" }
        "#]],
    );
    check(
        &[CREATED, r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}"#],
        expect![[r#"
            started resp_1
            0 + "Hel"
            error Retry { after: None, reason: Cut("the stream ended before response.completed") }
        "#]],
    );
}

// L11
#[test]
fn a_refusal_is_text_and_a_reason() {
    check(
        &[
            CREATED,
            r#"{"type":"response.refusal.delta","output_index":0,"delta":"No."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        expect![[r#"
            started resp_1
            0 + "No."
            0 = text "No." of {"type":"message","content":[{"type":"refusal","refusal":"No."}]}
            stopped refusal
        "#]],
    );
}
