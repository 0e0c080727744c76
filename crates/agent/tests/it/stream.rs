//! Answers as they arrive: whole, cut, interleaved, unknown.

use agent::message::{Block, StopReason, Text, Usage, UsageUpdate, Verbatim};
use agent::model::{ModelError, ModelEvent};
use agent::turn::EndReason;
use expect_test::expect;

use crate::kit::Stage;

fn verbatim(json: &str) -> Verbatim {
    Verbatim { provider: "anthropic".to_owned(), json: json.to_owned() }
}

// S1
#[test]
fn words_are_shown_as_they_come_and_kept_as_one_text() {
    let mut stage = Stage::new().prompted("Hi.");
    for piece in ["Hello", " there", "!"] {
        stage.text(0, piece);
    }
    stage.block(0, Block::text("Hello there!"));
    stage.stop(StopReason::EndTurn);
    assert_eq!(stage.log[1..4], ["show Hello", "show  there", "show !"]);
    expect![[r#"
        U[T("Hi.")]
        A[T("Hello there!")]
    "#]]
    .assert_eq(&stage.history());
}

// S6
#[test]
fn what_is_unknown_does_no_harm_and_unknown_blocks_go_back() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.hear(ModelEvent::Unknown { kind: "future_thing".to_owned() });
    stage.block(0, Block::Opaque(verbatim(r#"{"type":"zzz","x":1}"#)));
    stage.reply(vec![], StopReason::EndTurn);
    let stage = stage.next().prompted("More.");
    expect![[r#"
        U[T("Hi.")]
        A[Opaque({"type":"zzz","x":1})]
        U[T("More.")]
    "#]]
    .assert_eq(&stage.sent());
}

// S7
#[test]
fn signs_of_life_are_not_shown() {
    let mut stage = Stage::new().prompted("Hi.");
    for _ in 0..100 {
        stage.hear(ModelEvent::Unknown { kind: "ping".to_owned() });
    }
    assert_eq!(stage.log, ["ask Answer 8192"]);
}

// S8
#[test]
fn words_of_an_answer_that_always_breaks_off_are_kept_in_the_end() {
    let mut stage = Stage::new().prompted("Hi.");
    for _ in 0..3 {
        stage.text(0, "partial");
        stage.fail(ModelError::closed_early(), 0.0);
        stage.ring();
    }
    stage.text(0, "partial again");
    stage.fail(ModelError::closed_early(), 0.0);
    assert_eq!(stage.end(), &EndReason::Failed("the answer broke off: the connection was closed".to_owned()));
    assert!(stage.log.contains(&"Note(Incomplete)".to_owned()));
    expect![[r#"
        U[T("Hi.")]
        A[T("partial again")]
    "#]]
    .assert_eq(&stage.history());
}

// S9
#[test]
fn a_call_of_an_answer_without_an_end_is_not_run() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.block(0, Block::call("t1", "Grep", "{}"));
    stage.fail(ModelError::closed_early(), 0.0);
    stage.ring();
    assert!(stage.started.is_empty());
    stage.done("Fine.");
    expect![[r#"
        U[T("Hi.")]
        A[T("Fine.")]
    "#]]
    .assert_eq(&stage.history());
}

// S10
#[test]
fn after_a_second_attempt_only_the_new_words_count() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "old");
    let reason = agent::model::RetryReason::Provider("Overloaded".to_owned());
    stage.fail(ModelError::Retry { after: None, reason }, 1.0);
    assert_eq!(
        stage.log[2..],
        [
            "Supersede",
            "Note(Retrying { attempt: 1, attempts_max: 8, after: 2s, reason: \"the provider cannot answer now: Overloaded\" })"
        ]
    );
    stage.ring();
    stage.done("new");
    expect![[r#"
        U[T("Hi.")]
        A[T("new")]
    "#]]
    .assert_eq(&stage.history());
}

// S11
#[test]
fn a_rejected_request_ends_the_turn_and_the_next_prompt_works() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "Be");
    stage.fail(ModelError::Rejected { message: "bad field".to_owned() }, 0.0);
    assert_eq!(stage.end(), &EndReason::Failed("the provider rejected the request: bad field".to_owned()));
    let stage = stage.next().prompted("Again.");
    expect![[r#"
        U[T("Hi.")]
        A[T("Be")]
        U[T("Again.")]
    "#]]
    .assert_eq(&stage.sent());
}

#[test]
fn an_answer_that_breaks_the_rules_of_its_format_ends_the_turn_and_the_next_prompt_works() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "Be");
    stage.block(1, Block::call("t1", "Grep", "{}"));
    stage.fail(ModelError::Broken("the stream holds a second message_start".into()), 0.0);
    assert!(stage.started.is_empty() && stage.timers.is_empty());
    assert_eq!(
        stage.end(),
        &EndReason::Failed("the model call failed: the stream holds a second message_start".to_owned())
    );
    let mut stage = stage.next().prompted("Again.");
    stage.done("Hello.");
    expect![[r#"
        U[T("Hi.")]
        A[T("Be")]
        U[T("Again.")]
        A[T("Hello.")]
    "#]]
    .assert_eq(&stage.history());
}

// S12, C5
#[test]
fn thoughts_go_back_unchanged_also_if_they_are_empty() {
    let mut stage = Stage::new().prompted("Hi.");
    let thinking = |text: &str| Block::Thinking { text: text.to_owned(), signature: "SIG".to_owned() };
    stage.reply(
        vec![
            thinking("ab"),
            Block::RedactedThinking { data: "XYZ".to_owned() },
            thinking(""),
            Block::call("t1", "Grep", "{ \"a\" : 1 }"),
        ],
        StopReason::ToolUse,
    );
    stage.finish("t1", "x");
    expect![[r#"
        U[T("Hi.")]
        A[Thinking("ab",SIG), Redacted(XYZ), Thinking("",SIG), TU(t1,Grep,{ "a" : 1 })]
        U[TR(t1,"x")]
    "#]]
    .assert_eq(&stage.sent());
}

// S13
#[test]
fn blocks_that_arrive_interleaved_stand_in_their_order() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(1, "second");
    stage.text(0, "fir");
    stage.text(0, "st");
    stage.block(1, Block::text("second"));
    stage.block(0, Block::text("first"));
    stage.stop(StopReason::EndTurn);
    expect![[r#"
        U[T("Hi.")]
        A[T("first"), T("second")]
    "#]]
    .assert_eq(&stage.history());
}

// S14
#[test]
fn totals_are_overwritten_and_not_added() {
    let mut usage = Usage::default();
    let update = |input, output, cache_read| UsageUpdate { input, output, cache_read, cache_write: None };
    usage.overwrite(update(Some(100), Some(1), Some(900)));
    usage.overwrite(update(None, Some(50), None));
    usage.overwrite(update(Some(101), Some(60), None));
    assert_eq!(usage, Usage { input: 101, output: 60, cache_read: 900, cache_write: 0 });
    assert_eq!(usage.context(), 1061);
}

// S16
#[test]
fn a_text_with_citations_keeps_the_block_it_came_in() {
    let mut stage = Stage::new().prompted("Hi.");
    let whole = verbatim(r#"{"type":"text","text":"x","citations":[1]}"#);
    let block = Block::Text(Text { text: "x".to_owned(), verbatim: Some(whole) });
    stage.reply(vec![block.clone()], StopReason::EndTurn);
    let stage = stage.next().prompted("More.");
    assert_eq!(stage.requests[0].messages[1].content, [block]);
}

// S17
#[test]
fn an_answer_without_end_is_cut_off() {
    let mut stage = Stage::new().prompted("Hi.");
    let megabyte = "x".repeat(1 << 20);
    for _ in 0..33 {
        if stage.ended.is_none() {
            stage.text(0, &megabyte);
        }
    }
    assert!(matches!(stage.end(), EndReason::Failed(_)));
    assert!(stage.log.iter().any(|line| line.starts_with("StopStream")));
}
