//! A session as a picture for the README, drawn from what the terminal shows. The file is made by this test and compared with.

use std::fmt::Write as _;

use expect_test::expect_file;
use tui::{Change, ChangeLine, Event, Sign};

use crate::kit::{Stage, question};

const CELL: (f32, f32) = (8.4, 18.0);
const COLUMNS: u16 = 84;
const ROWS: u16 = 29;

fn colour(colour: vt100::Color) -> &'static str {
    match colour {
        vt100::Color::Idx(1) => "#e06c75",
        vt100::Color::Idx(2) => "#98c379",
        vt100::Color::Idx(3) => "#e5c07b",
        vt100::Color::Idx(4) => "#61afef",
        vt100::Color::Idx(5) => "#c678dd",
        vt100::Color::Idx(6) => "#56b6c2",
        _ => "#dcdfe4",
    }
}

/// A cell and how it looks.
fn style(cell: &vt100::Cell) -> String {
    let mut style = format!("fill=\"{}\"", colour(cell.fgcolor()));
    if cell.bold() {
        style.push_str(" font-weight=\"bold\"");
    }
    if cell.italic() {
        style.push_str(" font-style=\"italic\"");
    }
    if cell.dim() {
        style.push_str(" opacity=\"0.6\"");
    }
    style
}

fn svg(screen: &vt100::Screen, title: &str) -> String {
    let (width, height) = (f32::from(COLUMNS) * CELL.0 + 32.0, f32::from(ROWS) * CELL.1 + 32.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#1e2127\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, monospace\" font-size=\"14\">\n"
    );
    for row in 0..ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let Some(cell) = screen.cell(row, column).filter(|cell| cell.has_contents()) else {
                column += 1;
                continue;
            };
            let (start, looks, mut run) = (column, style(cell), String::new());
            while let Some(cell) =
                screen.cell(row, column).filter(|cell| style(cell) == looks && column < COLUMNS)
            {
                run.push_str(if cell.has_contents() { cell.contents() } else { " " });
                column += 1;
            }
            // Blanks at the beginning would be left out, and several of them be one.
            let blanks = u16::try_from(run.len() - run.trim_start().len()).unwrap();
            let words = run.trim();
            if !words.is_empty() {
                let length = f32::from(u16::try_from(words.chars().count()).unwrap()) * CELL.0;
                let (x, y) = (16.0 + f32::from(start + blanks) * CELL.0, 30.0 + f32::from(row) * CELL.1);
                let words = words.replace('&', "&amp;").replace('<', "&lt;").replace(' ', "\u{a0}");
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\" {looks}>{words}</text>"
                )
                .unwrap();
            }
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

#[test]
fn a_session_is_drawn_for_the_readme() {
    let mut stage = Stage::new(COLUMNS, ROWS);
    stage.apply(Event::Model("anthropic/claude".to_owned()));
    stage.apply(Event::Said("the tally test fails, can you mend it?".to_owned()));
    stage.apply(Event::TurnBegan);
    stage.apply(Event::Text("I run the test first, then look at what it compares.\n".to_owned()));
    stage.apply(Event::Break);
    let began = |id, tool: &str, title: &str| Event::ToolBegan {
        id,
        tool: tool.to_owned(),
        title: title.to_owned(),
        change: None,
    };
    let ended = |id, output: &str, is_error| Event::ToolEnded { id, output: output.to_owned(), is_error };
    stage.apply(began(1, "Bash", "cargo test tally"));
    stage.apply(ended(1, "assertion failed: `left == right`\n  left: 11\n right: 12\nexit code 101", true));
    stage.apply(began(2, "Read", "src/tally.rs"));
    stage.apply(ended(2, &"line\n".repeat(48), false));
    stage.apply(Event::Text(
        "The last word is **not counted**: `split(' ')` leaves out what ends with a line break.\n".to_owned(),
    ));
    stage.apply(Event::Break);
    let line = |sign, number, text: &str| ChangeLine { sign, number, text: text.to_owned() };
    let change = Change {
        path: "src/tally.rs".to_owned(),
        lines: vec![
            line(Sign::Kept, 11, "pub fn tally(text: &str) -> usize {"),
            line(Sign::Removed, 12, "    text.split(' ').count() - 1"),
            line(Sign::Added, 12, "    text.split_whitespace().count()"),
            line(Sign::Kept, 13, "}"),
        ],
    };
    stage.apply(Event::Context(7));
    let mut asked = question(1, "");
    asked.heading = "edit a file".to_owned();
    asked.why = String::new();
    asked.change = Some(change);
    asked.choices[1].note =
        "saves 'allow Edit(/src/tally.rs)' in ~/.config/agent-doc/…/permissions.rules".to_owned();
    asked.choices[3].note = String::new();
    stage.apply(Event::Asked(Box::new(asked)));
    stage.wait(500);
    let picture = svg(
        stage.terminal.screen(),
        "A conversation in the terminal: the agent asks whether it may edit a file",
    );
    expect_file!["../../../../docs/pictures/chat.svg"].assert_eq(&picture);
}
