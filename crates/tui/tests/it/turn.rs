//! A turn as the person sees it: what is live, what waits, and how it ends.

use tui::{Change, ChangeLine, Ending, Event, Input, Intent, Sign, Task, TaskState, Theme};

use crate::kit::Stage;

fn began(stage: &mut Stage, id: u64, tool: &str) {
    stage.apply(Event::ToolBegan { id, tool: tool.to_owned(), title: format!("call {id}"), change: None });
}

#[test]
fn esc_to_interrupt_is_said_only_while_there_is_something_to_interrupt() {
    let endings =
        [Ending::Done, Ending::Stopped("Interrupted.".to_owned()), Ending::Failed("it broke".to_owned())];
    for ending in endings {
        let mut stage = Stage::new(80, 24);
        assert!(!stage.shown().contains("esc to interrupt"));
        stage.apply(Event::TurnBegan);
        stage.wait(61_000);
        assert!(stage.shown().contains("(1 min 01 s · esc to interrupt)"), "{}", stage.shown());
        assert_eq!(stage.press(Input::Escape), Some(Intent::Interrupt));
        stage.apply(Event::TurnEnded(ending));
        assert!(!stage.shown().contains("esc to interrupt"), "{}", stage.shown());
        assert!(stage.view.wakes_at(stage.now).is_none());
    }
}

#[test]
fn messages_typed_meanwhile_wait_visibly_and_can_be_taken_back() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    stage.letters("first");
    assert_eq!(stage.press(Input::Enter), None);
    stage.letters("second");
    assert_eq!(stage.press(Input::Tab), None);
    assert!(
        stage.shown().contains("next: first") && stage.shown().contains("later: second"),
        "{}",
        stage.shown()
    );
    stage.press(Input::Up);
    stage.letters(" changed");
    assert_eq!(stage.press(Input::Tab), None);
    assert!(stage.shown().contains("later: second changed"), "{}", stage.shown());
    // A step takes along what is for it; the rest is the next prompt.
    began(&mut stage, 1, "Read");
    assert_eq!(stage.view.take_intents(), [Intent::Steer("first".to_owned())]);
    stage.apply(Event::TurnEnded(Ending::Done));
    assert_eq!(stage.view.take_intents(), [Intent::Say("second changed".to_owned())]);
}

#[test]
fn after_a_stop_nothing_is_sent_by_itself() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    stage.letters("wait for me");
    stage.press(Input::Enter);
    stage.apply(Event::TurnEnded(Ending::Stopped("Interrupted.".to_owned())));
    assert_eq!(stage.view.take_intents(), []);
    assert!(stage.shown().contains("› wait for me"), "{}", stage.shown());
}

#[test]
fn too_many_messages_stay_with_the_person() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    for number in 0..33 {
        stage.letters(&format!("message {number}"));
        stage.press(Input::Enter);
    }
    assert!(stage.shown().contains("› message 32"), "{}", stage.shown());
}

#[test]
fn a_prompt_that_nobody_answered_comes_back() {
    let mut stage = Stage::new(80, 24);
    stage.letters("and more");
    stage.apply(Event::Restored("the prompt".to_owned()));
    assert_eq!(stage.press(Input::Enter), Some(Intent::Say("the prompt\nand more".to_owned())));
}

#[test]
fn output_is_short_and_can_be_shown_whole() {
    let mut stage = Stage::new(80, 60);
    stage.apply(Event::TurnBegan);
    began(&mut stage, 1, "Bash");
    stage.apply(Event::ToolReported { id: 1, line: "compiling 3 of 9".to_owned() });
    assert!(stage.shown().contains("│ compiling 3 of 9"), "{}", stage.shown());
    let output: String = (0..30).map(|line| format!("out {line}\n")).collect();
    stage.apply(Event::ToolEnded { id: 1, output, is_error: false });
    let shown = stage.shown();
    assert!(shown.contains("│ out 29") && !shown.contains("out 3\n"), "{shown}");
    assert!(shown.contains("25 more lines (ctrl-o shows them)"), "{shown}");
    stage.press(Input::Expand);
    assert!(stage.shown().contains("\nout 3\n"), "{}", stage.shown());
    stage.press(Input::Expand);
    assert!(stage.shown().contains("no output is shortened"), "{}", stage.shown());
}

#[test]
fn calls_stand_in_the_order_in_which_they_were_made() {
    let mut stage = Stage::new(80, 40);
    stage.apply(Event::TurnBegan);
    began(&mut stage, 1, "Read");
    began(&mut stage, 2, "Grep");
    stage.apply(Event::ToolEnded { id: 2, output: "b".to_owned(), is_error: false });
    stage.apply(Event::ToolEnded { id: 1, output: "a".to_owned(), is_error: false });
    stage.apply(Event::TurnEnded(Ending::Done));
    let shown = stage.shown();
    assert!(shown.find("call 1").unwrap() < shown.find("call 2").unwrap(), "{shown}");
}

#[test]
fn words_stand_behind_the_calls_that_they_were_said_behind() {
    let mut stage = Stage::new(80, 40);
    stage.view.apply(Event::TurnBegan, stage.now);
    stage.view.apply(
        Event::ToolBegan { id: 1, tool: "Read".to_owned(), title: "call 1".to_owned(), change: None },
        stage.now,
    );
    stage.view.apply(Event::ToolEnded { id: 1, output: "a".to_owned(), is_error: false }, stage.now);
    stage.view.apply(Event::Thinking("A thought.".to_owned()), stage.now);
    stage.view.apply(Event::Text("The answer.\n\n".to_owned()), stage.now);
    stage.draw();
    let shown = stage.shown();
    let places: Vec<usize> =
        ["call 1", "A thought.", "The answer."].iter().map(|words| shown.find(words).unwrap()).collect();
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn a_call_that_never_ended_is_marked_when_the_turn_is_over() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    began(&mut stage, 1, "Bash");
    stage.apply(Event::TurnEnded(Ending::Stopped("Interrupted.".to_owned())));
    assert!(stage.shown().contains("✗ Bash call 1"), "{}", stage.shown());
}

pub(crate) fn change() -> Change {
    let line = |sign, number, text: &str| ChangeLine { sign, number, text: text.to_owned() };
    Change {
        path: "src/main.rs".to_owned(),
        lines: vec![
            line(Sign::Kept, 9, "fn main() {"),
            line(Sign::Removed, 10, "    old();"),
            line(
                Sign::Added,
                10,
                "    a_call_that_is_so_long_that_it_does_not_fit_into_one_row_of_the_terminal();",
            ),
            line(Sign::Gap, 0, ""),
            line(Sign::Kept, 110, "}"),
        ],
    }
}

#[test]
fn an_edit_is_a_diff_with_numbers_in_the_question_and_in_the_transcript() {
    for theme in [Theme::coloured(), Theme::colourless()] {
        let mut stage = Stage::with(60, 40, theme);
        stage.apply(Event::TurnBegan);
        let tui::Question { body: _, .. } = crate::kit::question(1, "");
        let question =
            tui::Question { change: Some(change()), body: String::new(), ..crate::kit::question(1, "") };
        stage.apply(Event::Asked(Box::new(question)));
        let asked = stage.shown();
        stage.apply(Event::Settled(1));
        stage.apply(Event::ToolBegan {
            id: 1,
            tool: "Edit".to_owned(),
            title: String::new(),
            change: Some(change()),
        });
        stage.apply(Event::ToolEnded { id: 1, output: "changed".to_owned(), is_error: false });
        for shown in [asked, stage.shown()] {
            assert!(shown.contains("src/main.rs +1 -1"), "{shown}");
            assert!(shown.contains(" 10 -     old();") && shown.contains("110   }"), "{shown}");
            assert!(shown.contains(" 10 +     a_call_that_is_so_long_that_it_does_not_fit_into"), "{shown}");
        }
        let red = stage.terminal.screen().contents_formatted().contains("\u{1b}[31m");
        assert_eq!(red, theme == Theme::coloured());
    }
}

#[test]
fn thoughts_are_dimmed_and_folded_until_they_are_wanted() {
    let mut stage = Stage::new(60, 30);
    stage.apply(Event::TurnBegan);
    let thought = "First thought about it.\nSecond thought, which is longer than the first one was.\nThird.";
    stage.apply(Event::Thinking(thought.to_owned()));
    assert!(stage.shown().contains("Third."), "{}", stage.shown());
    stage.apply(Event::Text("Answer.".to_owned()));
    stage.apply(Event::Break);
    assert!(
        !stage.shown().contains("Third.") && stage.shown().contains("∴ First thought"),
        "{}",
        stage.shown()
    );
    assert!(stage.is_dim("First thought") && !stage.is_dim("Answer."), "{}", stage.shown());
    // Rows that went out stay; the whole thought is shown again.
    stage.press(Input::Thoughts);
    assert_eq!(stage.shown().matches("Third.").count(), 1, "{}", stage.shown());
    assert!(stage.is_dim("Third."), "{}", stage.shown());
    stage.apply(Event::Thinking(thought.to_owned()));
    stage.apply(Event::Break);
    assert_eq!(stage.shown().matches("Third.").count(), 2, "{}", stage.shown());
    // Folded again and unfolded: nothing is shown that was shown whole.
    stage.press(Input::Thoughts);
    stage.press(Input::Thoughts);
    assert_eq!(stage.shown().matches("Third.").count(), 2, "{}", stage.shown());
}

#[test]
fn a_long_edit_is_cut_in_the_transcript_and_can_be_shown_whole() {
    let mut stage = Stage::new(80, 24);
    let line = |number| ChangeLine { sign: Sign::Added, number, text: format!("new {number}.") };
    let change = Change { path: "long.txt".to_owned(), lines: (1..=500).map(line).collect() };
    stage.apply(Event::TurnBegan);
    stage.apply(Event::ToolBegan {
        id: 1,
        tool: "Write".to_owned(),
        title: "long.txt".to_owned(),
        change: Some(change),
    });
    stage.apply(Event::ToolEnded { id: 1, output: "written".to_owned(), is_error: false });
    assert!(stage.shown().contains("… 460 more lines (ctrl-o shows them)"), "{}", stage.shown());
    assert!(!stage.all().contains("new 41."), "{}", stage.all());
    stage.press(Input::Expand);
    assert!(stage.all().contains("Write long.txt\n  1 + new 1."), "{}", stage.all());
    assert!(stage.shown().contains("500 + new 500."), "{}", stage.shown());
}

#[test]
fn what_is_watched_takes_words_at_once_and_says_nothing_of_interrupting() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::Watching);
    stage.apply(Event::Doing("merging".to_owned()));
    stage.wait(61_000);
    assert!(stage.shown().contains("merging (1 min 01 s)"), "{}", stage.shown());
    assert!(stage.view.wakes_at(stage.now).is_some());
    let task = Task { state: TaskState::Doing, text: "Researcher: reading".to_owned() };
    stage.apply(Event::Tasks(vec![task]));
    assert!(stage.shown().contains("▸ Researcher: reading"), "{}", stage.shown());
    stage.letters("look there too");
    assert_eq!(stage.press(Input::Enter), Some(Intent::Say("look there too".to_owned())));
    assert_ne!(stage.press(Input::Escape), Some(Intent::Interrupt));
    stage.apply(Event::TurnEnded(Ending::Done));
    assert!(stage.view.wakes_at(stage.now + std::time::Duration::from_secs(9)).is_none());
    assert!(!stage.shown().contains("merging"), "{}", stage.shown());
}

#[test]
fn any_message_that_waits_can_be_changed_taken_away_or_left() {
    let mut stage = Stage::new(80, 30);
    stage.apply(Event::TurnBegan);
    for words in ["first", "second", "third"] {
        stage.letters(words);
        stage.press(Input::Enter);
    }
    // Up to the second one, which is changed in its place.
    stage.press(Input::Up);
    stage.press(Input::Up);
    assert!(stage.shown().contains("› second"), "{}", stage.shown());
    stage.letters(" thought");
    stage.press(Input::Enter);
    assert!(stage.shown().contains("next: first\nnext: second thought\nnext: third\n"), "{}", stage.shown());
    // The first one is taken away; the others stay.
    for _ in 0..3 {
        stage.press(Input::Up);
    }
    assert!(stage.shown().contains("› first"), "{}", stage.shown());
    stage.press(Input::CutBefore);
    stage.press(Input::Down);
    assert!(
        stage.shown().contains("› second thought") && !stage.shown().contains("first"),
        "{}",
        stage.shown()
    );
    stage.press(Input::Down);
    stage.press(Input::Down);
    assert!(stage.shown().contains("next: second thought\nnext: third\n"), "{}", stage.shown());
    stage.apply(Event::TurnEnded(Ending::Done));
    assert_eq!(stage.view.take_intents(), [Intent::Say("second thought\n\nthird".to_owned())]);
}

#[test]
fn a_long_paste_that_comes_back_is_one_item_again() {
    let paste: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    stage.letters("see ");
    stage.press(Input::Pasted(paste.clone()));
    stage.letters("there");
    stage.press(Input::Enter);
    stage.press(Input::Up);
    assert!(stage.shown().contains("› see [pasted: 5000 lines]"), "{}", stage.shown());
    assert!(stage.shown().contains("there"), "{}", stage.shown());
    stage.press(Input::Enter);
    // A stop gives it back, and so does a model that never heard it.
    stage.apply(Event::TurnEnded(Ending::Stopped("Interrupted.".to_owned())));
    assert!(stage.shown().contains("› see [pasted: 5000 lines]"), "{}", stage.shown());
    let Some(Intent::Say(said)) = stage.press(Input::Enter) else { panic!("nothing was said") };
    assert_eq!(said, format!("see {paste}there"));
    stage.apply(Event::Restored(said));
    assert!(stage.shown().contains("› see [pasted: 5000 lines]"), "{}", stage.shown());
}

#[test]
fn what_all_turns_cost_stands_on_the_status_line() {
    let mut stage = Stage::new(80, 24);
    assert!(!stage.shown().contains('$'), "{}", stage.shown());
    stage.apply(Event::Cost(123_456));
    assert!(stage.shown().contains("$1.23"), "{}", stage.shown());
}

#[test]
fn tasks_are_shown_while_they_are_worked_on() {
    let mut stage = Stage::new(60, 30);
    let task = |state, text: &str| Task { state, text: text.to_owned() };
    stage.apply(Event::TurnBegan);
    let tasks =
        vec![task(TaskState::Done, "read"), task(TaskState::Doing, "write"), task(TaskState::Open, "test")];
    stage.apply(Event::Tasks(tasks));
    assert!(stage.shown().contains("☑ read\n▸ write\n☐ test"), "{}", stage.shown());
    stage.apply(Event::TurnEnded(Ending::Done));
    assert!(!stage.shown().contains("☐ test"), "{}", stage.shown());
}

#[test]
fn an_answer_that_broke_off_is_marked_and_the_wait_is_counted() {
    let mut stage = Stage::new(80, 30);
    stage.apply(Event::TurnBegan);
    stage.apply(Event::Text("Half an answer.\n\nAnd ha".to_owned()));
    stage.apply(Event::Void);
    let after = std::time::Duration::from_secs(8);
    let reason = "the provider cannot answer now".to_owned();
    stage.apply(Event::Retrying { attempt: 2, attempts_max: 8, after, reason });
    stage.wait(3000);
    let shown = stage.shown();
    assert!(shown.contains("broke off here") && !shown.contains("And ha"), "{shown}");
    assert!(shown.contains("again in 5 s, attempt 2 of 8"), "{shown}");
    stage.apply(Event::Text("The whole.".to_owned()));
    assert!(!stage.shown().contains("again in"), "{}", stage.shown());
}

#[test]
fn leaving_and_going_back_need_the_key_twice() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(stage.press(Input::Cancel), None);
    assert!(stage.shown().contains("ctrl-c again to leave"), "{}", stage.shown());
    stage.wait(2000);
    assert_eq!(stage.press(Input::Cancel), None);
    assert_eq!(stage.press(Input::Cancel), Some(Intent::Leave));
    assert_eq!(stage.press(Input::Escape), None);
    assert_eq!(stage.press(Input::Escape), Some(Intent::ListPrompts));
    stage.apply(Event::Prompts(vec!["the last".to_owned(), "the first".to_owned()]));
    assert!(stage.shown().contains("  the first\n▸ the last"), "{}", stage.shown());
    stage.press(Input::Up);
    assert_eq!(stage.press(Input::Enter), Some(Intent::Rewind(1)));
    stage.apply(Event::Prompts(Vec::new()));
    assert!(stage.shown().contains("nothing to go back to"), "{}", stage.shown());
    stage.letters("words");
    stage.press(Input::Escape);
    assert_eq!(stage.press(Input::Escape), None);
    assert!(!stage.shown().contains("words"), "{}", stage.shown());
    assert_eq!(stage.press(Input::EndOfFile), Some(Intent::Leave));
}

#[test]
fn a_turn_is_stopped_by_the_key_for_leaving_too() {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    assert_eq!(stage.press(Input::Cancel), Some(Intent::Interrupt));
    assert_eq!(stage.press(Input::Cancel), Some(Intent::Leave));
}
