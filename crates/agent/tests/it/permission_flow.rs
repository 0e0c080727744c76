//! Questions to a person, and what follows each answer.

use std::time::Duration;

use agent::history::History;
use agent::permission::{Basis, Mode, PermissionDecision, Scope, Verdict};
use agent::turn::{Caps, EndReason, Event, Setup};
use expect_test::expect;

use crate::kit::{Stage, claim, policy, setup};

const BUILD: &str = r#"{"command":"cargo build"}"#;
const EDIT: &str = r#"{"file_path":"/p/a.rs"}"#;

// P1
#[test]
fn allowing_once_allows_once() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    stage.answer(PermissionDecision::Allow);
    stage.finish("t1", "ok");
    stage.calls(&[("t2", "Bash", BUILD)]);
    assert_eq!((stage.started.len(), stage.questions.len(), stage.rules.len()), (1, 1, 0));
}

// P2
#[test]
fn allowing_always_saves_the_rule_that_was_shown() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", r#"{"command":"cargo build --release"}"#)]);
    assert_eq!(stage.asked().always.as_ref().unwrap()[0].to_string(), "Bash(cargo build *)");
    stage.answer(PermissionDecision::AlwaysAllow);
    stage.finish("t1", "ok");
    assert_eq!(
        stage.rules.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["allow Bash(cargo build *)"]
    );
    assert_eq!(stage.rules[0].scope, Scope::Local);
    stage.calls(&[("t2", "Bash", r#"{"command":"cargo build -p x"}"#)]);
    stage.finish("t2", "ok");
    stage.calls(&[("t3", "Bash", r#"{"command":"cargo publish"}"#)]);
    assert_eq!((stage.started.len(), stage.questions.len()), (2, 1));
}

// P3, seed: test_wait_option_aborts_stream
#[test]
fn waiting_without_words_stops_everything() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    stage.answer_with(PermissionDecision::Wait, "  ");
    assert_eq!(stage.end(), &EndReason::Waiting);
    assert_eq!(stage.end().words(), "[Tool execution interrupted - waiting for user feedback]");
    assert_eq!(stage.requests.len(), 1);
    assert!(stage.started.is_empty());
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Bash,{"command":"cargo build"})]
        U[TRe(t1,"[Request interrupted by user for tool use]\n\nThe user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."), T("[Request interrupted by user for tool use]")]
    "#]]
    .assert_eq(&stage.history());
}

// P4
#[test]
fn calls_behind_a_rejected_one_are_neither_asked_about_nor_run() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Edit", EDIT), ("t2", "Bash", BUILD)]);
    assert_eq!(stage.questions.len(), 1);
    stage.answer(PermissionDecision::Wait);
    assert!(stage.questions.is_empty() && stage.started.is_empty());
    let stage = stage.next().prompted("use sed");
    let sent = stage.sent();
    assert!(
        sent.ends_with(
            "TRe(t2,\"Not executed: an earlier tool call in this step was rejected by the user.\"), \
         T(\"[Request interrupted by user for tool use]\"), T(\"use sed\")]\n"
        ),
        "{sent}"
    );
}

// P5
#[test]
fn what_was_done_before_the_rejected_call_is_kept() {
    let mut stage = Stage::ruled(Mode::AcceptEdits, "").prompted("Go.");
    stage.calls(&[("t1", "Edit", EDIT), ("t2", "Bash", BUILD)]);
    stage.finish("t1", "edited");
    stage.answer(PermissionDecision::Wait);
    assert!(
        stage.history().contains("U[TR(t1,\"edited\"), TRe(t2,\"[Request interrupted by user for tool use]")
    );
}

#[test]
fn a_tool_that_runs_beside_the_question_is_stopped_by_waiting() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Grep", "{}"), ("t2", "Bash", BUILD)]);
    assert_eq!((stage.started.len(), stage.questions.len()), (1, 1));
    stage.answer(PermissionDecision::Wait);
    assert!(stage.log.contains(&"StopTools".to_owned()));
    stage.finish("t1", "half");
    assert_eq!(stage.end(), &EndReason::Waiting);
}

// P6
#[test]
fn waiting_with_words_tells_the_model_and_goes_on() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    stage.answer_with(PermissionDecision::Wait, "use the staging db");
    assert_eq!(stage.requests.len(), 2);
    expect![[r#"
        U[T("Go.")]
        A[TU(t1,Bash,{"command":"cargo build"})]
        U[TRe(t1,"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the staging db")]
    "#]]
    .assert_eq(&stage.sent());
}

// P7
#[test]
fn never_saves_a_rule_and_the_model_goes_on() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", r#"{"command":"curl http://x"}"#)]);
    stage.answer(PermissionDecision::Never);
    assert_eq!(stage.rules[0].to_string(), "deny Bash(curl *)");
    assert!(
        stage
            .sent()
            .contains("TRe(t1,\"Permission to use Bash with command `curl http://x` has been denied.\")")
    );
    stage.calls(&[("t2", "Bash", r#"{"command":"curl y"}"#)]);
    assert!(stage.questions.is_empty() && stage.started.is_empty());
    assert_eq!(stage.requests.len(), 3);
}

// P8
#[test]
fn allowed_refused_and_known_calls_are_answered_in_order() {
    let mut stage = Stage::ruled(Mode::Default, "allow Bash(ls *)").prompted("Go.");
    stage.calls(&[("t1", "Edit", EDIT), ("t2", "Bash", BUILD), ("t3", "Bash", r#"{"command":"ls"}"#)]);
    stage.answer(PermissionDecision::Allow);
    stage.finish("t1", "edited");
    stage.answer(PermissionDecision::Never);
    stage.finish("t3", "files");
    let sent = stage.sent();
    let last = sent.lines().last().unwrap();
    assert_eq!(
        last,
        "U[TR(t1,\"edited\"), TRe(t2,\"Permission to use Bash with command `cargo build` has been denied.\"), TR(t3,\"files\")]"
    );
}

// P17
#[test]
fn bypass_asks_for_what_belongs_to_git_and_obeys_a_deny() {
    let mut stage = Stage::ruled(Mode::Bypass, "deny Bash(rm *)").prompted("Go.");
    stage.calls(&[
        ("t1", "Bash", r#"{"command":"make all"}"#),
        ("t2", "Bash", r#"{"command":"rm -rf x"}"#),
        ("t3", "Edit", r#"{"file_path":"/p/.git/config"}"#),
    ]);
    stage.finish("t1", "ok");
    assert_eq!(stage.started, ["t1"]);
    assert_eq!(stage.asked().call.id, "t3");
}

// P18
#[test]
fn a_plan_changes_nothing() {
    let mut stage = Stage::ruled(Mode::Plan, "allow Edit").prompted("Go.");
    stage.calls(&[("t1", "Read", r#"{"file_path":"/p/a"}"#), ("t2", "Edit", EDIT), ("t3", "Bash", BUILD)]);
    stage.finish("t1", "text");
    assert_eq!(stage.started, ["t1"]);
    assert_eq!(stage.sent().matches("Plan mode is active").count(), 2);
}

// P19
#[test]
fn with_nobody_to_ask_a_question_is_a_no_and_is_listed() {
    let mut stage = Stage::ruled(Mode::DontAsk, "allow Bash(ls *)").prompted("Go.");
    stage.calls(&[("t1", "Bash", r#"{"command":"ls"}"#), ("t2", "Bash", BUILD)]);
    stage.finish("t1", "files");
    stage.done("Done.");
    let denials = stage.ended.unwrap().denials;
    assert_eq!(
        denials,
        ["Bash: Permission to use Bash with command `cargo build` has been denied. \
          Nobody can be asked, so only what a rule allows runs."]
    );
}

#[test]
fn a_question_that_nobody_answers_is_a_no() {
    let caps = Caps { question_timeout: Some(Duration::from_secs(60)), ..Caps::conversation() };
    let mut stage = Stage::with(Setup { caps, ..setup() }, History::new()).prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    let (question, _) = stage.questions[0].clone();
    stage.ring();
    assert!(stage.questions.is_empty());
    assert!(
        stage.sent().contains("TRe(t1,\"Not executed: nobody answered the question whether this may run.\")")
    );
    stage.feed(Event::Answered { question, answer: PermissionDecision::Allow.into() });
    assert!(stage.started.is_empty());
}

// P22
#[test]
fn a_rule_that_would_not_match_is_not_offered() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", r#"{"command":"python3 -c $(cat x)\nls"}"#)]);
    assert_eq!(stage.asked().always, None);
    let options: Vec<String> = stage.asked().options("Claude").into_iter().map(|(label, _)| label).collect();
    assert_eq!(options, ["Allow this time", "Wait and tell Claude what to do differently", "Never allow"]);
    stage.answer(PermissionDecision::AlwaysAllow);
    assert_eq!((stage.started.len(), stage.rules.len()), (1, 0));
}

#[test]
fn the_options_are_those_of_the_seed() {
    let mut stage = Stage::new().prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    let options = stage.asked().options("Claude");
    assert_eq!(
        options,
        [
            ("Allow this time".to_owned(), PermissionDecision::Allow),
            ("Always allow".to_owned(), PermissionDecision::AlwaysAllow),
            ("Wait and tell Claude what to do differently".to_owned(), PermissionDecision::Wait),
            ("Never allow".to_owned(), PermissionDecision::Never),
        ]
    );
}

// P24
#[test]
fn a_rule_that_is_taken_away_counts_no_longer() {
    let mut stage = Stage::ruled(Mode::Default, "allow Bash(cargo build *)").prompted("Go.");
    stage.calls(&[("t1", "Bash", BUILD)]);
    stage.finish("t1", "ok");
    stage.feed(Event::PolicyChanged(policy(Mode::Default, "")));
    stage.calls(&[("t2", "Bash", BUILD)]);
    assert_eq!((stage.started.len(), stage.questions.len()), (1, 1));
}

// T16
#[test]
fn a_permit_says_which_files_a_search_leaves_out() {
    let agent::message::Block::ToolUse(call) = agent::message::Block::call("t1", "Grep", "{}") else {
        panic!("a call")
    };
    let claim = claim(&call).unwrap();
    let policy = policy(Mode::Default, "deny Read(.env)\ndeny Edit(/src/**)\nask Read(/notes)");
    let Verdict::Allowed(permit) = policy.weigh(call, claim) else { panic!("reading is allowed") };
    let hidden = ["/p/.env", "/p/a/.env", "/p/src/x", "/p/notes"].map(|path| permit.hides(path));
    assert_eq!(hidden, [true, true, false, false]);
}

#[test]
fn a_permit_holds_the_bytes_that_were_weighed() {
    let agent::message::Block::ToolUse(call) = agent::message::Block::call("t1", "Bash", BUILD) else {
        panic!("a call")
    };
    let claim = claim(&call).unwrap();
    let Verdict::Allowed(permit) = policy(Mode::Bypass, "").weigh(call.clone(), claim.clone()) else {
        panic!("bypass allows")
    };
    assert_eq!((permit.call(), permit.claim(), permit.basis()), (&call, &claim, Basis::Policy));
}
