//! A conversation that outgrows its model, and one that is read again.

use agent::history::{History, Record};
use agent::message::{Block, StopReason, Usage};
use agent::model::{Limits, ModelError, ToolSpec};
use agent::turn::{EndReason, Event, Setup};
use expect_test::expect;

use crate::kit::{Stage, setup, shown};

fn used(tokens: u64) -> Usage {
    Usage { input: tokens, ..Usage::default() }
}

fn small() -> Stage {
    let limits = Limits { context_window: 10_000, output_max: 2000 };
    Stage::with(Setup { limits, ..setup() }, History::new())
}

// C1, C2
#[test]
fn a_nearly_full_context_is_summed_up_and_the_turn_goes_on() {
    let mut stage = small().prompted("Count the files.");
    stage.usage(used(6000));
    stage.reply(
        vec![
            Block::Thinking { text: "hm".to_owned(), signature: "SIG".to_owned() },
            Block::call("t1", "Grep", "{}"),
        ],
        StopReason::ToolUse,
    );
    assert!(stage.log.contains(&"Note(Context { percent: 75 })".to_owned()));
    stage.finish("t1", &"x".repeat(4000));
    assert!(stage.log.contains(&"ask Summary 2000".to_owned()), "{:?}", stage.log);
    stage.done("Half of the files are counted.");
    assert_eq!(stage.started, ["t1"]);
    let sent = stage.sent();
    let head = sent.split("The result was:").next().unwrap();
    expect![[r#"
        U[T("This conversation was too long and was cut down. What happened so far, in your own summary:\n\nHalf of the files are counted."), T("The user's own words from before:\n\nCount the files."), T("What was said and done last, as it was:\n\nYou called Grep with {}\n\n"#]].assert_eq(head);
    stage.done("All counted.");
    assert_eq!(stage.end(), &EndReason::Completed);
    assert_eq!(History::replay(stage.records.clone()), *stage.turn.history());
}

#[test]
fn the_list_of_tasks_outlives_each_summary() {
    let mut setup = setup();
    let todo = ToolSpec { name: "Todo".to_owned(), ..setup.frame.tools[0].clone() };
    setup.frame.tools = setup.frame.tools.iter().cloned().chain([todo]).collect();
    let mut stage = Stage::with(setup, History::new()).prompted("Tidy up.");
    for (id, tasks) in [("t1", r#"{"tasks":["old"]}"#), ("t2", r#"{"tasks":["sweep","dust"]}"#)] {
        stage.calls(&[(id, "Todo", tasks)]);
        stage.finish(id, "kept");
    }
    // Much work afterwards pushes the call out of what was done last.
    for round in 0..20 {
        let id = format!("r{round}");
        stage.calls(&[(&id, "Read", &format!(r#"{{"file_path":"/p/{round}"}}"#))]);
        stage.finish(&id, &"x".repeat(2000));
    }
    stage.done("Done.");
    for _ in 0..2 {
        stage = stage.next();
        stage.feed(Event::CompactAsked(String::new()));
        stage.done("They tidy up.");
        let lists = stage.history().matches("Your list of tasks, as you last wrote it:").count();
        assert_eq!(lists, 1, "{}", stage.history());
        assert!(stage.history().contains(r#"{\"tasks\":[\"sweep\",\"dust\"]}"#), "{}", stage.history());
        assert_eq!(stage.history().matches("Tidy up.").count(), 1);
    }
    let stage = stage.next().prompted("Go on.");
    assert!(!stage.sent().contains("old"), "{}", stage.sent());
}

// L12
#[test]
fn a_full_window_is_summed_up_once() {
    let mut stage = small().prompted("Go.");
    stage.reply(vec![Block::text("Working")], StopReason::ModelContextWindowExceeded);
    stage.done("Summary.");
    assert_eq!(stage.log.last().unwrap(), "ask Answer 2000");
    stage.reply(vec![Block::text("Again")], StopReason::ModelContextWindowExceeded);
    assert_eq!(stage.end(), &EndReason::ContextFull);
}

// R7
#[test]
fn a_prompt_that_is_too_long_is_summed_up_once_and_then_the_person_is_told() {
    let mut stage = small().prompted("Go.");
    stage.fail(ModelError::TooLong, 0.0);
    stage.done("Summary.");
    assert_eq!(stage.log.last().unwrap(), "ask Answer 2000");
    stage.fail(ModelError::TooLong, 0.0);
    assert_eq!(stage.end(), &EndReason::ContextFull);
}

// R7
#[test]
fn three_summaries_that_help_nothing_are_enough() {
    let mut stage = small().prompted("Go.");
    for round in 0..3 {
        let id = format!("t{round}");
        stage.usage(used(9000));
        stage.calls(&[(&id, "Read", &format!(r#"{{"file_path":"/p/{round}"}}"#))]);
        stage.finish(&id, "x");
        stage.done("Summary.");
    }
    stage.usage(used(9000));
    stage.calls(&[("t9", "Grep", "{}")]);
    stage.finish("t9", "x");
    assert_eq!(stage.end(), &EndReason::ContextFull);
}

#[test]
fn a_conversation_too_long_to_be_summed_up_is_told_in_less_and_less_room() {
    let mut stage = small().prompted(&"long ".repeat(50_000));
    let mut sizes = Vec::new();
    for _ in 0..4 {
        sizes.push(stage.sent().len());
        stage.fail(ModelError::TooLong, 0.0);
    }
    assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]), "{sizes:?}");
    // It was only our own guess that it is full, so the turn is tried without a summary.
    assert_eq!(stage.log.last().unwrap(), "ask Answer 2000");
    stage.fail(ModelError::TooLong, 0.0);
    for _ in 0..4 {
        stage.fail(ModelError::TooLong, 0.0);
    }
    assert_eq!(stage.end(), &EndReason::ContextFull);
}

#[test]
fn a_summary_that_fails_does_not_stop_a_turn_that_has_room() {
    let mut stage = small().prompted("Go.");
    stage.usage(used(7000));
    stage.calls(&[("t1", "Grep", "{}")]);
    stage.finish("t1", "x");
    stage.reply(vec![], StopReason::EndTurn);
    assert!(stage.log.contains(&"Note(Warning(\"the model gave no summary\"))".to_owned()));
    stage.done("Done.");
    assert_eq!(stage.end(), &EndReason::Completed);
}

#[test]
fn a_person_can_ask_for_a_summary() {
    let mut stage = Stage::new().prompted("First wish.");
    stage.done("Granted.");
    let mut stage = stage.next();
    stage.feed(Event::CompactAsked(String::new()));
    stage.done("They wished.");
    assert_eq!(stage.end(), &EndReason::Completed);
    assert!(matches!(stage.records.last(), Some(Record::Compacted(_))));
    let stage = stage.next().prompted("Second wish.");
    expect![[r#"
        U[T("This conversation was too long and was cut down. What happened so far, in your own summary:\n\nThey wished."), T("The user's own words from before:\n\nFirst wish."), T("What was said and done last, as it was:\n\nYou said: Granted."), T("Second wish.")]
    "#]]
    .assert_eq(&stage.sent());
}

// C3, C5
#[test]
fn a_transcript_makes_the_same_request_again() {
    let mut stage = Stage::new().prompted("Hi \u{2028} \"there\"\n");
    stage.reply(
        vec![
            Block::Thinking { text: String::new(), signature: "S/+=".to_owned() },
            Block::call("t1", "Grep", "{\"a\" :\t1,\n \"a\":2}"),
        ],
        StopReason::ToolUse,
    );
    stage.finish("t1", "x");
    let lines: Vec<String> =
        stage.records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    assert!(lines.iter().all(|line| !line.contains('\n')));
    let records = lines.iter().map(|line| serde_json::from_str::<Record>(line).unwrap());
    let mut again = Stage::with(setup(), History::replay(records));
    again.feed(Event::Continued);
    assert_eq!(again.requests[0], stage.requests[1]);
}

// C8
#[test]
fn a_thousand_turns_stay_within_the_context() {
    let mut stage = Stage::new();
    let output = "y".repeat(10_000);
    for round in 0..1000 {
        stage = stage.next().prompted("Go.");
        let id = format!("t{round}");
        stage.calls(&[(&id, "Grep", "{}")]);
        if !stage.questions.is_empty() {
            stage.answer(agent::permission::PermissionDecision::Allow);
        }
        stage.finish(&id, &output);
        // A summary comes when our guess says so.
        while stage.ended.is_none() {
            stage.done("ok");
        }
    }
    let history = stage.turn.history().messages();
    assert!(history.len() < 250, "{}", history.len());
    assert!(shown(history).len() < 2_000_000);
}
