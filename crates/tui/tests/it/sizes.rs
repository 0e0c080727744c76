//! The same moment on small, usual and large terminals.

use expect_test::{Expect, expect};
use tui::{Event, Theme};

use crate::kit::{Stage, asked};

fn scene(stage: &mut Stage) {
    stage.apply(Event::Said("Why does the build fail?".to_owned()));
    stage.apply(Event::TurnBegan);
    stage.apply(Event::Text("I look at the **build** first.\n\n".to_owned()));
    stage.apply(Event::Break);
    let title = "cargo build --release".to_owned();
    stage.apply(Event::ToolBegan { id: 1, tool: "Bash".to_owned(), title, change: None });
    stage.apply(Event::ToolEnded {
        id: 1,
        output: "error: no such file\nexit code 101".to_owned(),
        is_error: true,
    });
    stage.apply(Event::Context(12));
    stage.apply(Event::Tokens(12_345));
}

fn check(columns: u16, rows: u16, expect: Expect) {
    let mut stage = Stage::new(columns, rows);
    scene(&mut stage);
    stage.apply(asked(7, "cargo build --release && ./target/release/tool"));
    stage.wait(500);
    expect.assert_eq(&stage.shown());
}

#[test]
fn a_question_fits_a_usual_terminal() {
    check(
        80,
        24,
        expect![[r#"

            › Why does the build fail?

            I look at the build first.

            ✗ Bash cargo build --release
              │ error: no such file
              │ exit code 101
            ────────────────────────────────────────────────────────────────────────────────
            ? agent wants to run a command
              no rule covers it
              cargo build --release && ./target/release/tool

            ▸ 1. Allow this time
              2. Always allow
                 saves 'allow Bash(cargo build *)' for this project
              3. Wait and tell agent what to do differently
              4. Never allow
                 saves 'deny Bash(cargo build *)' for this project
            1-4 or ↑↓ and enter · esc waits"#]],
    );
}

#[test]
fn a_question_fits_a_small_terminal() {
    check(
        40,
        10,
        expect![[r#"
              │ exit code 101
            ? agent wants to run a command
              cargo build --release && ./target/rele
              ase/tool
            ▸ 1. Allow this time
              2. Always allow
              3. Wait and tell agent what to do
                 differently
              4. Never allow
            1-4 or ↑↓ and enter · esc waits"#]],
    );
}

#[test]
fn a_question_fits_a_large_terminal() {
    check(
        300,
        100,
        expect![[r#"

            › Why does the build fail?

            I look at the build first.

            ✗ Bash cargo build --release
              │ error: no such file
              │ exit code 101
            ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
            ? agent wants to run a command
              no rule covers it
              cargo build --release && ./target/release/tool

            ▸ 1. Allow this time
              2. Always allow
                 saves 'allow Bash(cargo build *)' for this project
              3. Wait and tell agent what to do differently
              4. Never allow
                 saves 'deny Bash(cargo build *)' for this project
            1-4 or ↑↓ and enter · esc waits"#]],
    );
}

#[test]
fn a_busy_turn_shows_what_is_done_and_how_to_stop_it() {
    let mut stage = Stage::with(80, 24, Theme::colourless());
    scene(&mut stage);
    stage.apply(Event::Text("The file is\nmissing".to_owned()));
    stage.wait(3000);
    expect![[r#"

        › Why does the build fail?

        I look at the build first.

        ✗ Bash cargo build --release
          │ error: no such file
          │ exit code 101

        The file is missing

        ⠇ answering (3 s · esc to interrupt)
        ────────────────────────────────────────────────────────────────────────────────
        ›
        ────────────────────────────────────────────────────────────────────────────────
        test-model · 88% context left · 12.3k tokens                               /help"#]]
    .assert_eq(&stage.shown());
}

#[test]
fn no_size_makes_it_panic_or_write_outside() {
    for columns in [1, 2, 3, 5, 9, 17, 40, 80, 300] {
        for rows in [1, 2, 3, 5, 8, 10, 24, 100] {
            let mut stage = Stage::new(columns, rows);
            scene(&mut stage);
            stage.letters("多くの言葉 and e\u{301} more");
            stage.apply(asked(7, "cargo build"));
            stage.wait(500);
            stage.apply(Event::Settled(7));
            stage.apply(Event::Text(
                "| a | b |\n|---|---|\n| 1 | 多 |\n\n```rust\nfn main() {}\n```\n".to_owned(),
            ));
            // Also where nothing is drawn, it could be.
            stage.view.live(stage.now);
            stage.resize(80, 24);
            stage.resize(columns, rows);
            assert!(stage.terminal.screen().cursor_position().0 < rows);
        }
    }
}

#[test]
fn a_terminal_that_was_tiny_for_a_moment_is_whole_again() {
    let mut stage = Stage::new(80, 24);
    scene(&mut stage);
    stage.letters("and then");
    stage.resize(1, 1);
    stage.resize(80, 24);
    assert!(stage.shown().ends_with("/help"), "{}", stage.shown());
    assert_eq!(stage.shown().matches("› and then").count(), 1, "{}", stage.shown());
}
