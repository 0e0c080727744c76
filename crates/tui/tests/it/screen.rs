//! What the screen writes: little, in the right place, and only ours.

use ratatui::text::Line;
use tui::{Event, Picture, Screen};

use crate::kit::Stage;

fn picture(rows: &[&str]) -> Picture {
    Picture { rows: rows.iter().map(|row| Line::from((*row).to_owned())).collect(), cursor: None }
}

#[test]
fn a_picture_that_did_not_change_writes_nothing_and_one_row_writes_that_row() {
    let mut screen = Screen::new(Vec::new(), 40);
    screen.draw(&[], &picture(&["one", "two", "three"])).unwrap();
    screen.out().clear();
    screen.draw(&[], &picture(&["one", "two", "three"])).unwrap();
    assert_eq!(screen.out().as_slice(), b"");
    screen.draw(&[], &picture(&["one", "2", "three"])).unwrap();
    let written = String::from_utf8(screen.out().clone()).unwrap();
    assert!(written.contains('2') && !written.contains("one") && !written.contains("three"), "{written:?}");
}

#[test]
fn finished_rows_stay_in_the_scrollback_in_order_and_once() {
    let mut stage = Stage::new(40, 10);
    stage.apply(Event::TurnBegan);
    for line in 0..200 {
        stage.apply(Event::Text(format!("line {line}\n\n")));
    }
    stage.apply(Event::TurnEnded(tui::Ending::Done));
    let all = stage.all();
    for line in 0..200 {
        assert_eq!(all.lines().filter(|row| *row == format!("line {line}")).count(), 1, "{line}: {all}");
    }
    let places: Vec<usize> = (0..200).map(|line| all.find(&format!("line {line}\n")).unwrap()).collect();
    assert!(places.is_sorted(), "{all}");
    assert!(!all.contains("esc to interrupt"), "{all}");
}

#[test]
fn a_region_that_shrinks_leaves_nothing_behind() {
    let mut stage = Stage::new(60, 20);
    stage.letters("first");
    for _ in 0..5 {
        stage.press(tui::Input::NewLine);
        stage.letters("more");
    }
    stage.press(tui::Input::Cancel);
    stage.wait(2000);
    assert_eq!(stage.shown().lines().filter(|line| !line.starts_with('─')).count(), 2, "{}", stage.shown());
}

#[test]
fn forgetting_leaves_the_cursor_on_an_empty_line() {
    let mut screen = Screen::new(Vec::new(), 40);
    screen.draw(&[Line::from("done")], &picture(&["one", "two"])).unwrap();
    screen.forget().unwrap();
    let mut terminal = vt100::Parser::default();
    terminal.process(screen.out());
    assert_eq!(terminal.screen().contents().trim_end(), "done");
    assert_eq!(terminal.screen().cursor_position(), (1, 0));
    assert!(!terminal.screen().hide_cursor());
}

#[test]
fn a_row_as_wide_as_the_terminal_takes_one_row() {
    let mut stage = Stage::new(20, 10);
    stage.apply(Event::Said("12345678901234567890".to_owned()));
    stage.apply(Event::Said("next".to_owned()));
    assert!(stage.all().contains("› 123456789012345678\n  90\n\n› next"), "{}", stage.all());
}
