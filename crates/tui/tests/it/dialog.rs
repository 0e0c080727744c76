//! Questions: which keys decide, when, and what.

use tui::{Event, Input, Intent};

use crate::kit::{Stage, asked, question};

fn stage() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.apply(Event::TurnBegan);
    stage
}

fn answer(question: u64, choice: usize, words: &str) -> Option<Intent> {
    Some(Intent::Answer { question, choice: Some(choice), words: words.to_owned() })
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

/// A question of an agent of others: choices in its own order, with their numbers.
fn listed(id: u64, numbers: &[u8]) -> Event {
    let choice = |number: &u8| tui::Choice {
        number: *number,
        label: format!("choice {number}"),
        note: String::new(),
        takes_words: false,
        is_refusal: *number == 3,
    };
    let choices = numbers.iter().map(choice).collect();
    Event::Asked(Box::new(tui::Question { choices, ..question(id, "make all") }))
}

#[test]
fn escape_takes_the_choice_that_refuses_wherever_it_stands_and_no_other_one() {
    for (numbers, expected) in [
        (&[3, 1][..], Some(0)),
        (&[1, 3], Some(1)),
        (&[1, 2, 3, 4], Some(2)),
        (&[4, 3, 2, 1], Some(1)),
        (&[4, 1], None),
        (&[1, 2], None),
        (&[], None),
    ] {
        for key in [Input::Escape, Input::Cancel] {
            let mut stage = stage();
            stage.apply(listed(7, numbers));
            let refused = Some(Intent::Answer { question: 7, choice: expected, words: String::new() });
            assert_eq!(stage.press(key), refused, "{numbers:?}");
        }
    }
}

#[test]
fn more_questions_than_anybody_reads_are_refused() {
    let mut stage = stage();
    for id in 0..64 {
        stage.view.apply(asked(id, "make"), stage.now);
    }
    assert_eq!(stage.view.take_intents(), []);
    for (id, numbers) in [(64, &[3, 1][..]), (65, &[1, 2, 3, 4]), (66, &[4, 1])] {
        stage.view.apply(listed(id, numbers), stage.now);
    }
    let refused = |question, choice| Intent::Answer { question, choice, words: String::new() };
    assert_eq!(stage.view.take_intents(), [refused(64, Some(0)), refused(65, Some(2)), refused(66, None)]);
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

#[test]
fn a_small_terminal_shows_what_is_saved_before_it_is_saved() {
    let place = "~/.config/agent-doc/projects/a-name-that-is-long/permissions.rules";
    for (key, word, choice) in [('2', "allow", 1), ('4', "deny", 3)] {
        let mut stage = Stage::new(40, 10);
        stage.apply(Event::TurnBegan);
        let mut question = question(7, "cargo build --release && ./target/release/tool");
        for one in &mut question.choices {
            one.note = one.note.replace("for this project", &format!("in {place}"));
        }
        stage.apply(Event::Asked(Box::new(question)));
        stage.wait(400);
        assert!(!stage.shown().contains("saves"), "{}", stage.shown());
        assert_eq!(stage.press(Input::Letter(key)), None);
        let flat = |stage: &Stage| stage.shown().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat(&stage).contains(&format!("saves '{word} Bash(cargo build *)' in")),
            "{}",
            stage.shown()
        );
        assert!(stage.shown().replace(['\n', ' '], "").contains(place), "{}", stage.shown());
        // A key that bounces, or comes too soon, is no yes.
        assert_eq!(stage.press(Input::Enter), None);
        stage.wait(400);
        assert_eq!(stage.press(Input::Letter(key)), None);
        assert!(stage.shown().contains("enter does it"), "{}", stage.shown());
        assert_eq!(stage.press(Input::Enter), answer(7, choice, ""));
    }
}

#[test]
fn on_a_small_terminal_what_saves_nothing_is_decided_at_once_and_a_second_thought_is_free() {
    let mut stage = Stage::new(40, 10);
    stage.apply(Event::TurnBegan);
    stage.apply(asked(7, "cargo build --release && ./target/release/tool"));
    stage.wait(400);
    assert_eq!(stage.press(Input::Letter('4')), None);
    stage.wait(400);
    stage.press(Input::Down);
    assert!(stage.shown().contains("▸ 1. Allow this time"), "{}", stage.shown());
    assert_eq!(stage.press(Input::Letter('1')), answer(7, 0, ""));
}

#[test]
fn an_edit_of_any_length_can_be_read_to_its_end_and_scrolling_back_begins_at_once() {
    let mut stage = stage();
    let line = |number| tui::ChangeLine {
        sign: tui::Sign::Added,
        number,
        text: format!("row {number} \u{1b}[31mred\u{1b}[0m."),
    };
    let change = tui::Change { path: "long.txt".to_owned(), lines: (1..=5000).map(line).collect() };
    let question = tui::Question { change: Some(change), body: String::new(), ..question(7, "") };
    stage.apply(Event::Asked(Box::new(question)));
    stage.wait(400);
    // What only sets a colour is a part of the file too.
    assert!(stage.shown().contains("1 + row 1 ␛[31mred␛[0m."), "{}", stage.shown());
    stage.press(Input::End);
    assert!(stage.shown().contains("5000 + row 5000 "), "{}", stage.shown());
    for _ in 0..100 {
        stage.press(Input::PageDown);
    }
    stage.press(Input::PageUp);
    assert!(!stage.shown().contains("row 5000 "), "{}", stage.shown());
    stage.press(Input::Home);
    let mut seen = String::new();
    for _ in 0..1000 {
        seen.push_str(&stage.shown());
        stage.press(Input::PageDown);
    }
    for number in 1..=5000 {
        assert!(seen.contains(&format!("+ row {number} ")), "row {number}");
    }
}

#[test]
fn lines_that_come_and_go_are_green_and_red_in_the_question() {
    let mut stage = stage();
    let line = |sign, text: &str| tui::ChangeLine { sign, number: 1, text: text.to_owned() };
    let lines = vec![line(tui::Sign::Removed, "goes"), line(tui::Sign::Added, "comes")];
    let change = tui::Change { path: "x".to_owned(), lines };
    let question = tui::Question { change: Some(change), body: String::new(), ..question(7, "") };
    stage.apply(Event::Asked(Box::new(question)));
    assert_eq!(stage.colour_of("goes"), vt100::Color::Idx(1));
    assert_eq!(stage.colour_of("comes"), vt100::Color::Idx(2));
}
