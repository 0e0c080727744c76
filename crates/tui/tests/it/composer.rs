//! What the person writes.

use crossterm::event::{Event as Key, KeyCode, KeyEvent, KeyModifiers};
use tui::{Event, Input, Intent, read_input};

use crate::kit::Stage;

fn say(words: &str) -> Option<Intent> {
    Some(Intent::Say(words.to_owned()))
}

/// A key as the terminal tells it.
fn key(code: KeyCode, modifiers: KeyModifiers) -> Input {
    read_input(Key::Key(KeyEvent::new(code, modifiers))).unwrap()
}

fn control(letter: char) -> Input {
    key(KeyCode::Char(letter), KeyModifiers::CONTROL)
}

#[test]
fn lines_are_broken_by_three_keys_and_sent_by_enter() {
    let mut stage = Stage::new(80, 24);
    stage.letters("one");
    stage.press(key(KeyCode::Enter, KeyModifiers::SHIFT));
    stage.letters("two");
    stage.press(control('j'));
    stage.letters("three\\");
    assert_eq!(stage.press(Input::Enter), None);
    stage.letters("four");
    assert_eq!(stage.press(Input::Enter), say("one\ntwo\nthree\nfour"));
    assert_eq!(stage.press(Input::Enter), None);
}

#[test]
fn words_are_edited_where_the_cursor_is() {
    let mut stage = Stage::new(80, 24);
    stage.letters("alpha gamma e\u{301}x");
    stage.press(Input::Home);
    stage.press(key(KeyCode::Right, KeyModifiers::CONTROL));
    stage.letters(" beta");
    stage.press(Input::End);
    stage.press(key(KeyCode::Backspace, KeyModifiers::NONE));
    // The mark goes with its letter.
    stage.press(key(KeyCode::Backspace, KeyModifiers::NONE));
    stage.press(control('w'));
    stage.press(control('u'));
    stage.press(control('y'));
    stage.press(key(KeyCode::Char('b'), KeyModifiers::ALT));
    stage.press(key(KeyCode::Delete, KeyModifiers::NONE));
    stage.press(control('k'));
    assert_eq!(stage.press(Input::Enter), say("alpha"));
}

#[test]
fn earlier_prompts_come_back_and_the_draft_is_not_lost() {
    let mut stage = Stage::new(80, 24);
    for prompt in ["first", "second"] {
        stage.letters(prompt);
        assert_eq!(stage.press(Input::Enter), say(prompt));
    }
    stage.letters("draft");
    stage.press(Input::Up);
    stage.press(Input::Up);
    stage.press(Input::Up);
    assert!(stage.shown().contains("› first"), "{}", stage.shown());
    stage.press(Input::Down);
    stage.press(Input::Down);
    assert_eq!(stage.press(Input::Enter), say("draft"));
}

#[test]
fn a_paste_of_thousands_of_lines_is_one_item_and_arrives_whole() {
    let mut stage = Stage::new(80, 24);
    let paste: String = (0..5000).map(|line| format!("line {line}\r\n")).collect();
    stage.letters("look: ");
    assert_eq!(stage.press(Input::Pasted(paste)), None);
    assert!(stage.shown().contains("› look: [pasted: 5000 lines]"), "{}", stage.shown());
    stage.letters(" end");
    let Some(Intent::Say(words)) = stage.press(Input::Enter) else { panic!("nothing was said") };
    assert!(
        words.starts_with("look: line 0\nline 1\n") && words.ends_with("line 4999\n end"),
        "{}",
        words.len()
    );
    stage.press(Input::Pasted("a\nb\n".repeat(50)));
    stage.press(key(KeyCode::Backspace, KeyModifiers::NONE));
    assert!(!stage.shown().contains("pasted"), "{}", stage.shown());
}

#[test]
fn a_short_paste_is_text() {
    let mut stage = Stage::new(80, 24);
    stage.press(Input::Pasted("one\ntwo\u{7}\u{f0000}".to_owned()));
    assert_eq!(stage.press(Input::Enter), say("one\ntwo\u{fffd}"));
}

#[test]
fn what_is_offered_is_asked_for_once_and_taken_by_tab() {
    let mut stage = Stage::new(80, 24);
    stage.letters("see ");
    assert_eq!(stage.press(Input::Letter('@')), Some(Intent::Complete("@".to_owned())));
    assert_eq!(stage.press(Input::Letter('s')), Some(Intent::Complete("@s".to_owned())));
    let suggestion = |text: &str| tui::Suggestion { text: text.to_owned(), about: String::new() };
    stage.apply(Event::Suggested { query: "@".to_owned(), suggestions: vec![suggestion("late")] });
    assert!(!stage.shown().contains("late"), "{}", stage.shown());
    let suggestions = vec![suggestion("src/lib.rs"), suggestion("src/main.rs")];
    stage.apply(Event::Suggested { query: "@s".to_owned(), suggestions });
    assert!(stage.shown().contains("▸ src/lib.rs"), "{}", stage.shown());
    stage.press(Input::Down);
    stage.press(Input::Tab);
    assert_eq!(stage.press(Input::Enter), say("see @src/main.rs"));
}

#[test]
fn a_line_with_a_slash_is_a_command_and_a_path_is_not() {
    let mut stage = Stage::new(80, 24);
    stage.letters("/model  openai/x ");
    let command = Intent::Command { name: "model".to_owned(), rest: "openai/x".to_owned() };
    assert_eq!(stage.press(Input::Enter), Some(command));
    stage.letters("/etc/hosts is wrong");
    assert_eq!(stage.press(Input::Enter), say("/etc/hosts is wrong"));
}

#[test]
fn a_prompt_that_is_higher_than_its_room_scrolls_with_the_cursor() {
    let mut stage = Stage::new(40, 12);
    for line in 0..30 {
        stage.letters(&format!("row {line}"));
        stage.press(control('j'));
    }
    stage.letters("last");
    assert!(stage.shown().contains("last"), "{}", stage.shown());
    for _ in 0..30 {
        stage.press(Input::Up);
    }
    assert!(stage.shown().contains("row 0"), "{}", stage.shown());
}

#[test]
fn the_cursor_stands_behind_what_was_typed_also_if_it_is_wide() {
    let mut stage = Stage::new(80, 24);
    stage.letters("多e\u{301}");
    let (_, column) = stage.terminal.screen().cursor_position();
    assert_eq!(column, 2 + 2 + 1);
}

#[test]
fn keys_that_mean_nothing_do_nothing() {
    for code in [KeyCode::F(1), KeyCode::Insert, KeyCode::CapsLock] {
        assert_eq!(read_input(Key::Key(KeyEvent::new(code, KeyModifiers::NONE))), None);
    }
    assert_eq!(read_input(Key::FocusGained), None);
}
