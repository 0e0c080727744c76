//! The loop: answers, tools, results, again.

use agent::history::History;
use agent::message::{Block, StopReason, Usage};
use agent::permission::{Mode, PermissionDecision, Why};
use agent::turn::{Caps, Delivery, EndReason, Event, Setup};
use expect_test::{Expect, expect};

use crate::kit::{Stage, setup};

const READ: (&str, &str, &str) = ("t1", "Read", r#"{"file_path":"/p/a"}"#);

fn check(stage: &Stage, end: &EndReason, history: Expect) {
    assert_eq!(stage.end(), end);
    history.assert_eq(&stage.history());
}

// L1, seed: test_autonomous_continuation, test_tool_results_as_user_messages, test_multiple_tool_execution
#[test]
fn a_turn_goes_on_by_itself_until_the_model_has_said_all() {
    let mut stage = Stage::new().prompted("Look around.");
    stage.calls(&[READ]);
    stage.finish("t1", "alpha");
    stage.calls(&[("t2", "Grep", "{}")]);
    stage.finish("t2", "beta");
    expect![[r#"
        U[T("Look around.")]
        A[TU(t1,Read,{"file_path":"/p/a"})]
        U[TR(t1,"alpha")]
        A[TU(t2,Grep,{})]
        U[TR(t2,"beta")]
    "#]]
    .assert_eq(&stage.sent());
    stage.done("Both.");
    assert_eq!(stage.requests.len(), 3);
    assert_eq!(stage.end(), &EndReason::Completed);
}

// L2
#[test]
fn forty_rounds_are_no_reason_to_stop() {
    let mut stage = Stage::new().prompted("Go.");
    for round in 0..40 {
        let id = format!("t{round}");
        stage.calls(&[(&id, "Read", &format!(r#"{{"file_path":"/p/{round}"}}"#))]);
        stage.finish(&id, "x");
    }
    stage.done("Done.");
    assert_eq!((stage.requests.len(), stage.end()), (41, &EndReason::Completed));
}

// L3
#[test]
fn the_cap_ends_a_turn_after_its_tools_and_it_can_be_continued() {
    let caps = Caps { iterations_max: 3, ..Caps::headless() };
    let mut stage = Stage::with(Setup { caps, ..setup() }, History::new()).prompted("Go.");
    for round in 0..3 {
        let id = format!("t{round}");
        stage.calls(&[(&id, "Read", &format!(r#"{{"file_path":"/p/{round}"}}"#))]);
        stage.finish(&id, "x");
    }
    assert_eq!(stage.requests.len(), 3);
    assert_eq!(stage.end(), &EndReason::IterationsReached(3));
    assert_eq!(stage.end().words(), "Stopped after 3 model calls. Type /continue to go on.");
    let before = stage.history();
    let mut stage = stage.next();
    stage.feed(Event::Continued);
    assert_eq!(stage.sent(), before);
}

#[test]
fn headless_turns_are_shorter_than_conversations() {
    assert_eq!((Caps::headless().iterations_max, Caps::conversation().iterations_max), (25, 200));
}

// L4
#[test]
fn a_call_is_run_also_if_the_model_says_that_it_has_ended() {
    let mut stage = Stage::new().prompted("Go.");
    stage.reply(vec![Block::call("t1", "Grep", "{}")], StopReason::EndTurn);
    stage.finish("t1", "x");
    assert_eq!(stage.requests.len(), 2);
}

// L5
#[test]
fn waiting_for_tools_without_a_call_ends_the_turn() {
    let mut stage = Stage::new().prompted("Go.");
    stage.reply(vec![Block::text("Hm.")], StopReason::ToolUse);
    check(
        &stage,
        &EndReason::Unclear("tool_use".to_owned()),
        expect![[r#"
            U[T("Go.")]
            A[T("Hm.")]
        "#]],
    );
}

// L6
#[test]
fn a_call_that_the_output_limit_cut_off_is_not_run_and_the_model_is_told() {
    let mut stage = Stage::new().prompted("Write it.");
    for _ in 0..3 {
        stage.block(0, Block::text("Writing."));
        stage.hear(agent::model::ModelEvent::CallStarted { index: 1, id: "t1".into(), name: "Write".into() });
        stage.hear(agent::model::ModelEvent::CallDelta { index: 1, json: r#"{"file_pa"#.into() });
        stage.stop(StopReason::MaxTokens);
        assert!(stage.started.is_empty());
    }
    expect![[r#"
        U[T("Write it.")]
        A[T("Writing.")]
        U[T("Your last reply was cut off by the output limit while writing a tool call (Write). Nothing of that call was executed. Continue in smaller steps.")]
        A[T("Writing.")]
        U[T("Your last reply was cut off by the output limit while writing a tool call (Write). Nothing of that call was executed. Continue in smaller steps.")]
        A[T("Writing.")]
        U[T("Your last reply was cut off by the output limit while writing a tool call (Write). Nothing of that call was executed. Continue in smaller steps.")]
    "#]]
    .assert_eq(&stage.sent());
    let limits: Vec<u32> = stage.requests.iter().map(|request| request.output_max).collect();
    assert_eq!(limits, [8192, 32_000, 32_000, 32_000]);
    stage.reply(vec![Block::text("Again.")], StopReason::MaxTokens);
    assert_eq!(stage.end(), &EndReason::CutOff);
}

// L7
#[test]
fn a_whole_call_is_run_although_the_next_one_was_cut_off() {
    let mut stage = Stage::new().prompted("Go.");
    stage.block(0, Block::call("t1", "Grep", "{}"));
    stage.hear(agent::model::ModelEvent::CallStarted { index: 1, id: "t2".into(), name: "Write".into() });
    stage.stop(StopReason::MaxTokens);
    stage.finish("t1", "found");
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Grep,{})]
        U[TR(t1,"found"), T("Your last reply was cut off by the output limit while writing a tool call (Write). Nothing of that call was executed. Continue in smaller steps.")]
    "#]]
    .assert_eq(&stage.sent());
}

// L8
#[test]
fn a_call_that_lost_a_field_to_the_output_limit_says_so() {
    let mut stage = Stage::new().prompted("Go.");
    stage.reply(vec![Block::call("t1", "Write", r#"{"file_path":"/p/x"}"#)], StopReason::MaxTokens);
    assert!(stage.questions.is_empty() && stage.started.is_empty());
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Write,{"file_path":"/p/x"})]
        U[TRe(t1,"InputValidationError: missing required field `content` (the output limit was reached)")]
    "#]]
    .assert_eq(&stage.sent());
}

// L9
#[test]
fn text_that_the_output_limit_cut_off_goes_on() {
    let mut stage = Stage::new().prompted("Tell.");
    stage.reply(vec![Block::text("Once upon")], StopReason::MaxTokens);
    stage.done(" a time.");
    check(
        &stage,
        &EndReason::Completed,
        expect![[r#"
            U[T("Tell.")]
            A[T("Once upon")]
            U[T("Your last reply was cut off by the output limit. Continue exactly where you stopped, and repeat nothing.")]
            A[T(" a time.")]
        "#]],
    );
}

// L10
#[test]
fn a_paused_answer_goes_back_as_it_came() {
    let mut stage = Stage::new().prompted("Search.");
    stage.reply(vec![Block::text("Searching.")], StopReason::PauseTurn);
    expect![[r#"
        U[T("Search.")]
        A[T("Searching.")]
    "#]]
    .assert_eq(&stage.sent());
    stage.done("Found.");
    let mut stage = stage.next().prompted("Thanks.");
    expect![[r#"
        U[T("Search.")]
        A[T("Searching."), T("Found.")]
        U[T("Thanks.")]
    "#]]
    .assert_eq(&stage.sent());
    stage.done("Bye.");
}

// L11
#[test]
fn nothing_of_a_refused_answer_is_run() {
    let mut stage = Stage::new().prompted("Go.");
    stage.block(0, Block::text("I would"));
    stage.block(1, Block::call("t1", "Grep", "{}"));
    stage.hear(agent::model::ModelEvent::Stopped {
        reason: StopReason::Refusal,
        detail: Some("cyber: not allowed".to_owned()),
    });
    check(
        &stage,
        &EndReason::Refused(Some("cyber: not allowed".to_owned())),
        expect![[r#"
            U[T("Go.")]
            A[T("I would")]
        "#]],
    );
    assert!(stage.started.is_empty());
    stage.next().prompted("Then this.");
}

// L13
#[test]
fn an_empty_answer_leaves_no_empty_message() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[READ]);
    stage.finish("t1", "x");
    stage.reply(vec![Block::text("\n")], StopReason::EndTurn);
    check(
        &stage,
        &EndReason::Completed,
        expect![[r#"
            U[T("Go.")]
            A[TU(t1,Read,{"file_path":"/p/a"})]
            U[TR(t1,"x")]
        "#]],
    );
    stage.next().prompted("More.");
}

// L14
#[test]
fn words_that_sound_like_more_do_not_start_another_request() {
    let mut stage = Stage::new().prompted("Go.");
    stage.done("Let me now check the next file.");
    assert_eq!((stage.requests.len(), stage.end()), (1, &EndReason::Completed));
}

// L15
#[test]
fn reading_tools_run_side_by_side_and_a_changing_one_alone() {
    let mut stage = Stage::ruled(Mode::AcceptEdits, "").prompted("Go.");
    stage.calls(&[
        ("a", "Read", r#"{"file_path":"/p/a"}"#),
        ("b", "Read", r#"{"file_path":"/p/b"}"#),
        ("c", "Edit", r#"{"file_path":"/p/c"}"#),
        ("d", "Read", r#"{"file_path":"/p/d"}"#),
    ]);
    assert_eq!(stage.started, ["a", "b"]);
    stage.finish("b", "B");
    assert_eq!(stage.started, ["a", "b"], "the change waits for all that read");
    stage.finish("a", "A");
    assert_eq!(stage.started, ["a", "b", "c"]);
    stage.finish("c", "C");
    stage.finish("d", "D");
    expect![[r#"
        U[T("Go.")]
        A[TU(a,Read,{"file_path":"/p/a"}), TU(b,Read,{"file_path":"/p/b"}), TU(c,Edit,{"file_path":"/p/c"}), TU(d,Read,{"file_path":"/p/d"})]
        U[TR(a,"A"), TR(b,"B"), TR(c,"C"), TR(d,"D")]
    "#]]
    .assert_eq(&stage.sent());
}

// L16
#[test]
fn the_second_of_two_calls_with_one_id_is_not_run() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Grep", "{}"), ("t1", "Read", "{}")]);
    assert_eq!(stage.started, ["t1"]);
    stage.finish("t1", "x");
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Grep,{}), TU(t1_2,Read,{})]
        U[TR(t1,"x"), TRe(t1_2,"Not executed: another call of the same message has the same id.")]
    "#]]
    .assert_eq(&stage.sent());
}

#[test]
fn a_model_that_counts_its_calls_anew_in_each_answer_is_understood() {
    let mut stage = Stage::new().prompted("Go.");
    for (file, id) in [("a", "call_0"), ("b", "call_0_2")] {
        stage.calls(&[("call_0", "Read", &format!(r#"{{"file_path":"/p/{file}"}}"#))]);
        stage.finish(id, file);
    }
    stage.calls(&[("", "Read", r#"{"file_path":"/p/c"}"#), ("", "Read", r#"{"file_path":"/p/d"}"#)]);
    assert_eq!(stage.started, ["call_0", "call_0_2", "call", "call_2"]);
}

// L17
#[test]
fn the_same_call_three_times_in_a_row_is_asked_about() {
    let mut stage = Stage::new().prompted("Go.");
    for id in ["t1", "t2"] {
        stage.calls(&[(id, "Grep", "{}")]);
        stage.finish(id, "x");
    }
    stage.calls(&[("t3", "Grep", "{}")]);
    assert_eq!((&stage.asked().why, &stage.asked().always), (&Why::Repeats, &None));
    stage.answer(PermissionDecision::Allow);
    stage.finish("t3", "x");
    stage.calls(&[("t4", "Grep", "{}")]);
    stage.finish("t4", "x");
    assert_eq!(stage.started, ["t1", "t2", "t3", "t4"]);
}

#[test]
fn a_model_that_repeats_itself_with_nobody_there_is_told_and_then_stopped() {
    let mut stage = Stage::ruled(Mode::DontAsk, "").prompted("Go.");
    for round in 1..=5 {
        let id = format!("t{round}");
        stage.calls(&[(&id, "Grep", "{}")]);
        if round < 3 {
            stage.finish(&id, "x");
        }
    }
    assert_eq!(stage.started, ["t1", "t2"]);
    stage.calls(&[("t6", "Grep", "{}")]);
    assert_eq!(stage.end(), &EndReason::Stuck);
    stage.next().prompted("Try Read.");
}

// T1
#[test]
fn input_that_is_no_json_is_answered_and_sent_back_as_an_empty_object() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", r#"{"command": "ls"#)]);
    assert!(stage.started.is_empty() && stage.questions.is_empty());
    let sent = stage.sent();
    assert!(sent.contains("TRe(t1,\"InputValidationError: tool input is not a valid JSON object:"), "{sent}");
    let calls: Vec<_> = stage.requests[1].messages[1].calls().collect();
    assert_eq!(calls[0].input_to_send(), "{}");
}

// T2
#[test]
fn a_tool_that_does_not_exist_is_named_with_those_that_do() {
    let mut stage = Stage::new().prompted("Go.");
    for round in 0..4 {
        stage.calls(&[(&format!("t{round}"), "Frobnicate", "{}")]);
    }
    assert!(stage.sent().ends_with(
        "TRe(t3,\"Error: tool `Frobnicate` not found. Available tools: Bash, Edit, Grep, Read, Write\")]\n"
    ));
    stage.calls(&[("t4", "Frobnicate", "{}")]);
    assert_eq!(stage.end(), &EndReason::Stuck);
}

// T4
#[test]
fn an_empty_input_means_no_arguments() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Grep", "")]);
    stage.finish("t1", "");
    assert!(stage.sent().contains("U[TR(t1,\"(no output)\")]"));
}

// T19
#[test]
fn a_tool_that_dies_is_a_result_like_any_other() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[READ]);
    let call = stage.key("t1");
    stage.feed(Event::ToolLost { call });
    assert!(stage.sent().contains("TRe(t1,\"internal error: the tool ended without a result\")"));
}

#[test]
fn a_tool_that_dies_while_it_looks_at_a_call_is_one_too() {
    let mut stage = Stage::new();
    let call = Block::call("t1", "Grep", "{}");
    stage.feed(Event::Prompted(vec![Block::text("Go.")]));
    stage.block(0, call);
    // By hand: the stage would let the tool look at the call at once.
    let stream = stage.stream();
    let stopped = agent::model::ModelEvent::Stopped { reason: StopReason::ToolUse, detail: None };
    let effects = stage.turn.step(Event::Heard { stream, event: stopped });
    let key = effects.iter().find_map(|effect| match effect {
        agent::turn::Effect::Inspect { key, .. } => Some(*key),
        _ => None,
    });
    stage.feed(Event::ToolLost { call: key.unwrap() });
    assert!(stage.sent().contains("TRe(t1,\"internal error: the tool ended without a result\")"));
}

#[test]
fn arguments_of_the_wrong_kind_are_answered_before_anybody_is_asked() {
    for input in [r#"{"command":5}"#, r#"{"command":null}"#, "[]", "7", "null", "\"ls\"", "{} {}"] {
        let mut stage = Stage::new().prompted("Go.");
        stage.calls(&[("t1", "Bash", input)]);
        assert!(stage.started.is_empty() && stage.questions.is_empty(), "{input}");
        assert!(stage.sent().contains("U[TRe(t1,\"InputValidationError: "), "{}", stage.sent());
        stage.done("Sorry.");
        assert_eq!(stage.end(), &EndReason::Completed);
    }
}

#[test]
fn a_pause_without_a_word_goes_out_again() {
    let mut stage = Stage::new().prompted("Search.");
    stage.reply(vec![], StopReason::PauseTurn);
    stage.done("Found.");
    check(
        &stage,
        &EndReason::Completed,
        expect![[r#"
            U[T("Search.")]
            A[T("Found.")]
        "#]],
    );
}

#[test]
fn a_model_that_pauses_for_ever_is_stopped_by_the_cap() {
    let caps = Caps { iterations_max: 3, ..Caps::headless() };
    let mut stage = Stage::with(Setup { caps, ..setup() }, History::new()).prompted("Search.");
    for _ in 0..3 {
        stage.reply(vec![Block::text("Searching.")], StopReason::PauseTurn);
    }
    assert_eq!((stage.requests.len(), stage.end()), (3, &EndReason::IterationsReached(3)));
    stage.next().prompted("Then not.").done("Fine.");
}

#[test]
fn a_tool_that_speaks_twice_about_a_call_is_heard_once() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[READ, ("t2", "Grep", "{}")]);
    let call = stage.key("t1");
    stage.finish("t1", "x");
    let again = Event::Inspected {
        call,
        claim: Ok(agent::permission::Claim::of(agent::permission::Access::ReadOnly)),
    };
    stage.feed(again);
    stage.feed(Event::ToolFinished { call, output: agent::tool::Output::success("y") });
    stage.finish("t2", "z");
    assert_eq!(stage.started, ["t1", "t2"]);
    assert!(stage.sent().ends_with("U[TR(t1,\"x\"), TR(t2,\"z\")]\n"));
}

// L18
#[test]
fn what_the_person_says_meanwhile_goes_out_behind_the_results() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[READ]);
    stage.say("Also update docs.", Delivery::NextStep);
    stage.say("Then rest.", Delivery::AfterTurn);
    stage.finish("t1", "x");
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Read,{"file_path":"/p/a"})]
        U[TR(t1,"x"), T("Also update docs.")]
    "#]]
    .assert_eq(&stage.sent());
    stage.done("Done.");
    assert_eq!(stage.end(), &EndReason::Completed);
    assert_eq!(stage.ended.unwrap().queued, [vec![Block::text("Then rest.")]]);
}

// L18
#[test]
fn what_the_person_says_during_the_last_answer_is_answered_too() {
    let mut stage = Stage::new().prompted("Go.");
    stage.text(0, "Do");
    stage.say("And that?", Delivery::NextStep);
    stage.done("Done.");
    expect![[r#"
        U[T("Go.")]
        A[T("Done.")]
        U[T("And that?")]
    "#]]
    .assert_eq(&stage.sent());
}

// L19
#[test]
fn the_fixed_part_is_the_same_in_each_request() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[READ]);
    stage.finish("t1", "x");
    stage.reply(vec![Block::text("Cut")], StopReason::MaxTokens);
    for request in &stage.requests {
        assert_eq!((&request.system, &request.tools), (&stage.requests[0].system, &stage.requests[0].tools));
        assert!(stage.requests.last().unwrap().messages.starts_with(&request.messages));
    }
}

#[test]
fn a_reason_that_nobody_knows_ends_the_turn_and_runs_nothing() {
    let mut stage = Stage::new().prompted("Go.");
    stage.reply(vec![Block::call("t1", "Grep", "{}")], StopReason::Other("shiny".to_owned()));
    check(
        &stage,
        &EndReason::Unclear("shiny".to_owned()),
        expect![[r#"
            U[T("Go.")]
            A[TU(t1,Grep,{})]
            U[TRe(t1,"Not executed: the model stopped for an unknown reason (shiny).")]
        "#]],
    );
}

#[test]
fn the_tokens_of_all_answers_are_added_up() {
    let mut stage = Stage::new().prompted("Go.");
    stage.usage(Usage { input: 100, output: 1, cache_read: 900, cache_write: 0 });
    stage.usage(Usage { input: 101, output: 60, cache_read: 900, cache_write: 0 });
    stage.calls(&[READ]);
    stage.finish("t1", "x");
    stage.usage(Usage { input: 5, output: 5, ..Usage::default() });
    stage.done("Done.");
    let expected = Usage { input: 106, output: 65, cache_read: 900, cache_write: 0 };
    assert_eq!(stage.ended.unwrap().usage, expected);
}

#[test]
fn events_at_odd_moments_are_noted_and_words_are_given_back() {
    let mut stage = Stage::new().prompted("Go.");
    let stream = stage.stream();
    stage.done("Done.");
    stage.ended = None;
    stage.feed(Event::Heard {
        stream,
        event: agent::model::ModelEvent::TextDelta { index: 0, text: "x".into() },
    });
    stage.say("Too late.", Delivery::NextStep);
    assert_eq!(
        stage.log[stage.log.len() - 2..],
        [
            r#"Note(Ignored { phase: "ended", event: "heard" })"#,
            r#"Restore([Text(Text { text: "Too late.", verbatim: None })])"#
        ]
    );
}
