//! Stopping a turn at any moment.

use std::time::Duration;

use agent::message::{Block, StopReason};
use agent::model::{ModelError, ModelEvent, RetryReason};
use agent::permission::{Mode, PermissionDecision};
use agent::tool::Output;
use agent::turn::{Delivery, EndReason, Event};
use expect_test::{Expect, expect};

use crate::kit::Stage;

fn check(stage: &Stage, history: Expect) {
    assert_eq!(stage.end(), &EndReason::Interrupted);
    history.assert_eq(&stage.history());
}

// I1
#[test]
fn words_that_were_shown_are_kept_when_the_model_is_stopped() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "Hel");
    stage.text(0, "lo");
    stage.abort();
    assert!(stage.log.iter().any(|line| line.starts_with("StopStream")));
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[T("Hello")]
            U[T("[Request interrupted by user]")]
        "#]],
    );
    expect![[r#"
        U[T("Hi.")]
        A[T("Hello")]
        U[T("[Request interrupted by user]"), T("go on")]
    "#]]
    .assert_eq(&stage.next().prompted("go on").sent());
}

// I2
#[test]
fn a_prompt_that_got_no_word_goes_back_to_the_person() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.hear(ModelEvent::Started { id: String::new() });
    stage.abort();
    assert!(stage.log.iter().any(|line| line.starts_with("Restore") && line.contains("Hi.")));
    check(&stage, expect![[""]]);
}

#[test]
fn a_prompt_that_got_an_empty_answer_stays() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.hear(ModelEvent::ThinkingDelta { index: 0, text: "hm".to_owned() });
    stage.stop(StopReason::MaxTokens);
    stage.abort();
    assert!(!stage.log.iter().any(|line| line.starts_with("Restore")), "{:?}", stage.log);
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            U[T("Your last reply was cut off by the output limit. Continue exactly where you stopped, and repeat nothing.")]
            U[T("[Request interrupted by user]")]
        "#]],
    );
}

// I3, I4
#[test]
fn half_a_call_and_unsigned_thoughts_are_dropped() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.hear(ModelEvent::ThinkingDelta { index: 0, text: "hm".to_owned() });
    stage.block(1, Block::text("I will look."));
    stage.hear(ModelEvent::CallStarted { index: 2, id: "t1".into(), name: "Read".into() });
    stage.hear(ModelEvent::CallDelta { index: 2, json: "{\"file".into() });
    stage.abort();
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[T("I will look.")]
            U[T("[Request interrupted by user]")]
        "#]],
    );
}

#[test]
fn a_whole_call_of_a_stopped_answer_is_answered_and_not_run() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.block(0, Block::call("t1", "Grep", "{}"));
    stage.abort();
    assert!(stage.started.is_empty());
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[TU(t1,Grep,{})]
            U[TRe(t1,"Not executed: interrupted by user"), T("[Request interrupted by user for tool use]")]
        "#]],
    );
}

// I5
#[test]
fn a_stopped_tool_gives_back_what_it_has() {
    let mut stage = Stage::ruled(Mode::Bypass, "").prompted("Hi.");
    stage.calls(&[("t1", "Bash", r#"{"command":"sleep 60"}"#)]);
    stage.abort();
    assert!(stage.log.contains(&"StopTools".to_owned()) && stage.ended.is_none());
    assert_eq!(stage.timers.last().unwrap().1, Duration::from_millis(40));
    stage.finish("t1", "so far\n[Interrupted by user after 1.2s]");
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[TU(t1,Bash,{"command":"sleep 60"})]
            U[TRe(t1,"so far\n[Interrupted by user after 1.2s]"), T("[Request interrupted by user for tool use]")]
        "#]],
    );
    assert_eq!(stage.requests.len(), 1);
}

// I6
#[test]
fn a_tool_that_does_not_stop_holds_nobody_up() {
    for twice in [false, true] {
        let mut stage = Stage::ruled(Mode::Bypass, "").prompted("Hi.");
        stage.calls(&[("t1", "Bash", r#"{"command":"sleep 60"}"#)]);
        stage.abort();
        if twice {
            stage.abort();
        } else {
            stage.ring();
        }
        check(
            &stage,
            expect![[r#"
                U[T("Hi.")]
                A[TU(t1,Bash,{"command":"sleep 60"})]
                U[TRe(t1,"[Interrupted by user] The tool was stopped. It may have done a part of its work."), T("[Request interrupted by user for tool use]")]
            "#]],
        );
    }
}

// I8
#[test]
fn each_of_several_calls_gets_its_own_answer() {
    let mut stage = Stage::ruled(Mode::AcceptEdits, "").prompted("Hi.");
    stage.calls(&[
        ("t1", "Read", r#"{"file_path":"/p/1"}"#),
        ("t2", "Read", r#"{"file_path":"/p/2"}"#),
        ("t3", "Edit", r#"{"file_path":"/p/3"}"#),
    ]);
    stage.finish("t1", "one");
    stage.abort();
    let call = stage.key("t2");
    stage.feed(Event::ToolFinished { call, output: Output::error("half [Interrupted by user]") });
    assert_eq!(stage.started, ["t1", "t2"]);
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[TU(t1,Read,{"file_path":"/p/1"}), TU(t2,Read,{"file_path":"/p/2"}), TU(t3,Edit,{"file_path":"/p/3"})]
            U[TR(t1,"one"), TRe(t2,"half [Interrupted by user]"), TRe(t3,"Not executed: interrupted by user"), T("[Request interrupted by user for tool use]")]
        "#]],
    );
}

// I9
#[test]
fn stopping_at_an_open_question_rejects_the_call() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.calls(&[("t1", "Bash", r#"{"command":"make"}"#)]);
    let (question, _) = stage.questions[0].clone();
    stage.abort();
    assert!(stage.questions.is_empty() && stage.started.is_empty());
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[TU(t1,Bash,{"command":"make"})]
            U[TRe(t1,"[Request interrupted by user for tool use]\n\nThe user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."), T("[Request interrupted by user for tool use]")]
        "#]],
    );
    // A finger that was faster than the screen.
    stage.ended = None;
    stage.feed(Event::Answered { question, answer: PermissionDecision::Allow.into() });
    assert!(stage.started.is_empty());
}

// I10
#[test]
fn nothing_runs_that_arrives_after_the_stop() {
    let mut stage = Stage::ruled(Mode::Bypass, "").prompted("Hi.");
    let stream = stage.stream();
    stage.abort();
    stage.ended = None;
    let block = Block::call("t1", "Bash", r#"{"command":"touch x"}"#);
    stage.feed(Event::Heard { stream, event: ModelEvent::Block { index: 0, block } });
    stage.feed(Event::Heard {
        stream,
        event: ModelEvent::Stopped { reason: StopReason::ToolUse, detail: None },
    });
    assert!(stage.started.is_empty() && stage.requests.len() == 1);
}

// I11
#[test]
fn a_wait_for_the_next_attempt_is_stopped_at_once() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "Half");
    stage.fail(ModelError::Retry { after: None, reason: RetryReason::Network("refused".to_owned()) }, 0.5);
    stage.abort();
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[T("Half")]
            U[T("[Request interrupted by user]")]
        "#]],
    );
    stage.ended = None;
    stage.ring();
    assert_eq!(stage.requests.len(), 1);
}

// I12
#[test]
fn a_stopped_summary_leaves_the_conversation_as_it_was() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.done("Hello.");
    let mut stage = stage.next();
    stage.feed(Event::CompactAsked("the names".to_owned()));
    assert!(stage.sent().contains("Mind this above all: the names"));
    stage.text(0, "They said");
    stage.abort();
    check(
        &stage,
        expect![[r#"
            U[T("Hi.")]
            A[T("Hello.")]
        "#]],
    );
}

// I14
#[test]
fn the_turn_after_a_stopped_one_is_not_stopped() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.abort();
    let mut stage = stage.next().prompted("Again.");
    stage.done("Hello.");
    assert_eq!(stage.end(), &EndReason::Completed);
}

#[test]
fn words_that_wait_are_given_back_with_the_end() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.text(0, "Hel");
    stage.say("And this.", Delivery::NextStep);
    stage.abort();
    assert_eq!(stage.ended.unwrap().queued, [vec![Block::text("And this.")]]);
}

// C4
#[test]
fn a_session_that_ended_inside_its_tools_goes_on() {
    let mut stage = Stage::ruled(Mode::Bypass, "").prompted("Hi.");
    stage.calls(&[("t1", "Bash", r#"{"command":"make"}"#)]);
    let history = agent::history::History::replay(stage.records);
    let stage = Stage::with(crate::kit::setup(), history).prompted("What happened?");
    assert!(stage.running.is_empty());
    expect![[r#"
        U[T("Hi.")]
        A[TU(t1,Bash,{"command":"make"})]
        U[TRe(t1,"Session ended before this tool finished. It may have done a part of its work."), T("What happened?")]
    "#]]
    .assert_eq(&stage.sent());
}
