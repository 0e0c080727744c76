//! Text of others cannot do anything to the terminal.

use expect_test::expect;
use tui::{Event, printed, shown};

use crate::kit::{Stage, asked};

/// Everything that has been used against terminals.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[H\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]0;title\u{1b}\\\u{1b}P1$r\u{1b}\\\u{9b}5A\u{8}\u{8}\u{c}\u{b}\
    \u{202e}live\u{202c}\u{200b}\u{feff}\u{2066}x\u{2069} 10%\r 50%\r100%\u{1b}[31mred\u{1b}[0m \u{1b}[?1049h \u{1b}c\0\
    Z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308} 👩‍👩‍👧‍👦 👍🏽 ❤\u{fe0f} 多 \u{e0041}\t|";

#[test]
fn what_a_terminal_would_obey_or_not_show_is_written_out() {
    expect![[r#"␛[2J␛[H␛]52;c;ZXZpbA==␇␛]0;title␛\␛P1$r␛\\u{9b}5A␈␈␌␋\u{202e}live\u{202c}\u{200b}\u{feff}\u{2066}x\u{2069} 10%␍ 50%␍100%red ␛[?1049h ␛c␀Ź̂̃ 👩👩👧👦 👍 ❤ 多 \u{e0041}    |"#]].assert_eq(&shown(HOSTILE));
    expect![[r#"

        bar  100%
    "#]]
    .assert_eq(&printed("\nbar 10%\rbar  50%\rbar  100%\r\n"));
}

#[test]
fn ordinary_text_of_any_script_stays_as_it_is() {
    for text in ["naïve café", "日本語のテキスト", "עברית ועוד", "हिन्दी", "a\u{301}", "→ ∀x ∈ ℝ", "🦀 crab"]
    {
        assert_eq!(shown(text), text);
    }
}

/// Puts hostile text everywhere and looks whether the frame stands.
fn check(columns: u16, rows: u16) {
    let mut stage = Stage::new(columns, rows);
    let text = HOSTILE.to_owned();
    stage.apply(Event::Said(text.clone()));
    stage.apply(Event::TurnBegan);
    stage.apply(Event::Thinking(text.clone()));
    stage.apply(Event::Text(format!("{text}\n\n```\n{text}\n```\n| {text} |\n|-|\n\n")));
    stage.apply(Event::Break);
    stage.apply(Event::ToolBegan { id: 1, tool: "Bash".to_owned(), title: text.clone(), change: None });
    stage.apply(Event::ToolReported { id: 1, line: text.clone() });
    stage.apply(Event::ToolEnded { id: 1, output: text.clone(), is_error: true });
    stage.apply(Event::Tasks(vec![tui::Task { state: tui::TaskState::Doing, text: text.clone() }]));
    stage.apply(Event::Told(tui::Notice::Warning, text.clone()));
    stage.press(tui::Input::Pasted(text.clone()));
    stage.apply(asked(1, &text));
    stage.wait(500);
    assert!(!stage.terminal.screen().alternate_screen());
    stage.apply(Event::Settled(1));
    let shown = stage.shown();
    let last = shown.lines().last().unwrap_or_default();
    assert!(last.starts_with("test-model") && last.ends_with("/help"), "{shown}");
    assert!(!shown.contains('\u{202e}'));
    let rule = "─".repeat(usize::from(columns));
    assert_eq!(shown.lines().filter(|line| *line == rule).count(), 2, "{shown}");
}

#[test]
fn hostile_text_leaves_the_frame_as_it_is() {
    check(80, 24);
    check(40, 12);
    check(300, 100);
}
