//! Questions: which keys decide, when, and what.

use tui::{Event, Input, Intent};

use crate::kit::{Stage, asked, question};

fn stage() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    stage
}

fn answer(question: u64, choice: usize, words: &str) -> Option<Intent> {
    Some(Intent::Answer { question, choice, words: words.to_owned() })
}

/// What keys decide once the question stood there for a while.
fn check(keys: &[Input], expected: Option<Intent>) {
    let mut stage = stage();
    stage.apply(asked(7, "cargo build"));
    stage.wait(400);
    let decided = keys.iter().find_map(|key| stage.press(key.clone()));
    assert_eq!(decided, expected, "{keys:?}");
}

#[test]
fn a_number_decides_at_once() {
    check(&[Input::Letter('1')], answer(7, 0, ""));
    check(&[Input::Letter('2')], answer(7, 1, ""));
    check(&[Input::Letter('4')], answer(7, 3, ""));
}

#[test]
fn arrows_and_letters_move_and_enter_decides() {
    check(&[Input::Enter], answer(7, 0, ""));
    check(&[Input::Down, Input::Enter], answer(7, 1, ""));
    check(&[Input::Letter('j'), Input::Letter('k'), Input::Enter], answer(7, 0, ""));
    check(&[Input::Up, Input::Enter], answer(7, 3, ""));
}

#[test]
fn escape_is_the_third_option_without_words() {
    check(&[Input::Escape], answer(7, 2, ""));
    check(&[Input::Cancel], answer(7, 2, ""));
    check(&[Input::Letter('3'), Input::Enter], answer(7, 2, ""));
}

#[test]
fn the_third_option_takes_words() {
    let keys = [Input::Letter('3'), Input::Letter('n'), Input::Letter('1'), Input::Enter];
    check(&keys, answer(7, 2, "n1"));
    check(
        &[Input::Letter('3'), Input::Pasted("use sed\nplease".to_owned()), Input::Enter],
        answer(7, 2, "use sed\nplease"),
    );
}

#[test]
fn other_keys_decide_nothing() {
    use tui_keys::*;
    for key in
        [Input::Letter('0'), Input::Letter('5'), Input::Letter('y'), Input::Tab, left(), right(), Input::Home]
    {
        check(&[key], None);
    }
    // A sideways key does not move a list that goes downwards.
    check(&[right(), Input::Enter], answer(7, 0, ""));
}

mod tui_keys {
    use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
    use tui::{Input, read_input};

    fn key(code: KeyCode) -> Input {
        read_input(Event::Key(KeyEvent::new(code, KeyModifiers::NONE))).unwrap()
    }

    pub(super) fn left() -> Input {
        key(KeyCode::Left)
    }

    pub(super) fn right() -> Input {
        key(KeyCode::Right)
    }
}

#[test]
fn what_is_typed_while_the_question_appears_approves_nothing_and_stays() {
    let mut stage = stage();
    stage.letters("ye");
    stage.apply(asked(7, "rm -rf build"));
    for key in ["s", " ", "1", " ", "2"] {
        stage.wait(100);
        assert_eq!(stage.press(Input::Letter(key.chars().next().unwrap())), None);
    }
    assert_eq!(stage.press(Input::Enter), None);
    stage.wait(399);
    assert_eq!(stage.press(Input::Enter), None);
    stage.wait(400);
    assert_eq!(stage.press(Input::Letter('4')), answer(7, 3, ""));
    stage.apply(Event::Settled(7));
    assert!(stage.shown().contains("› yes 1 2"), "{}", stage.shown());
}

#[test]
fn several_questions_queue_and_each_names_its_agent() {
    let mut stage = stage();
    let of = |id, agent: &str| {
        Event::Asked(Box::new(tui::Question { agent: agent.to_owned(), ..question(id, "make all") }))
    };
    stage.apply(of(1, "Terminal"));
    stage.apply(of(2, "Researcher"));
    stage.wait(400);
    assert!(stage.shown().contains("Terminal wants to run a command · 1 more wait"), "{}", stage.shown());
    assert_eq!(stage.press(Input::Letter('4')), answer(1, 3, ""));
    stage.apply(Event::Settled(1));
    assert!(stage.shown().contains("Researcher wants to run a command"), "{}", stage.shown());
    // The key for the first one is no answer to the second.
    assert_eq!(stage.press(Input::Letter('1')), None);
    stage.wait(400);
    assert_eq!(stage.press(Input::Letter('1')), answer(2, 0, ""));
}

#[test]
fn a_question_that_is_settled_elsewhere_goes_and_the_end_of_a_turn_takes_all() {
    let mut stage = stage();
    stage.apply(asked(1, "make one"));
    stage.apply(asked(2, "make two"));
    stage.apply(asked(3, "make three"));
    stage.apply(Event::Settled(2));
    stage.apply(Event::Settled(1));
    assert!(stage.shown().contains("make three"), "{}", stage.shown());
    stage.apply(Event::TurnEnded(tui::Ending::Stopped("Interrupted.".to_owned())));
    assert!(!stage.shown().contains("make three"), "{}", stage.shown());
}

#[test]
fn more_questions_than_anybody_reads_are_refused() {
    let mut stage = stage();
    for id in 0..70 {
        stage.view.apply(asked(id, "make"), stage.now);
    }
    assert_eq!(stage.view.take_intents().len(), 6);
}

#[test]
fn an_option_that_is_not_offered_keeps_its_number_free() {
    let mut stage = stage();
    let mut question = question(7, "for file in *; do rm $file; done");
    question.choices.remove(1);
    stage.apply(Event::Asked(Box::new(question)));
    stage.wait(400);
    assert!(!stage.shown().contains("Always"), "{}", stage.shown());
    assert_eq!(stage.press(Input::Letter('2')), None);
    assert_eq!(stage.press(Input::Letter('4')), answer(7, 2, ""));
}

#[test]
fn the_whole_command_can_be_read_however_long_it_is_and_whatever_it_hides() {
    let mut stage = stage();
    let long: String = (0..600).map(|line| format!("echo line {line} \t\u{202e}\u{1b}[2J\n")).collect();
    assert!(long.len() > 10_000);
    stage.apply(asked(7, &long));
    stage.wait(400);
    let mut seen = String::new();
    for _ in 0..125 {
        seen.push_str(&stage.shown());
        stage.press(Input::PageDown);
    }
    for line in 0..600 {
        assert!(seen.contains(&format!("echo line {line} ")), "line {line}");
    }
    assert!(seen.contains("\\u{202e}␛[2J"), "{}", stage.shown());
    assert!(stage.shown().contains("1. Allow this time"), "{}", stage.shown());
}

#[test]
fn the_question_says_what_always_saves_and_where() {
    let mut stage = stage();
    stage.apply(asked(7, "cargo build"));
    assert!(
        stage.shown().contains("saves 'allow Bash(cargo build *)' for this project"),
        "{}",
        stage.shown()
    );
}
