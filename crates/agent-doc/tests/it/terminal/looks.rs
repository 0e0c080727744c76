//! How it looks: small and resized terminals, no colours, hostile words, long pastes.

use super::pane::{PROGRAM, Pane, asked, world};
use crate::anthropic::{answer, begin, event, words};
use crate::chat::Person;

#[tokio::test(flavor = "multi_thread")]
async fn hostile_words_of_a_model_leave_the_frame_intact() {
    let (_person, server, pane) = world("").await;
    pane.line("attack");
    let hostile = "\u{1b}[2J\u{1b}[H\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[?1049h\u{202e}evil\u{202c} 10%\r100% \u{200b}end\n\n多👩‍👩‍👧Z\u{301}\u{302}\u{303}\u{304} fine";
    answer(asked(&server).await, words(0, hostile), "end_turn").await;
    let shown = pane.until("fine");
    assert!(shown.contains("␛[2J␛[H␛]52;c;ZXZpbA==␇␛[?1049h\\u{202e}evil"), "{shown}");
    assert!(shown.contains("› attack") && shown.trim_end().ends_with("/help"), "{shown}");
    assert_eq!(pane.tmux(&["display-message", "-p", "#{alternate_on}"]).trim(), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_is_resized_in_the_middle_shows_everything_once() {
    let (_person, server, pane) = world("").await;
    pane.line("tell");
    let mut exchange = asked(&server).await;
    begin(&mut exchange).await;
    let text = "Words that go on over the edge of a narrow terminal and are wrapped there, and more of them.";
    for object in crate::anthropic::opened(
        0,
        serde_json::json!({ "type": "text", "text": "" }),
        &[serde_json::json!({ "type": "text_delta", "text": text })],
    ) {
        event(&mut exchange, object).await;
    }
    pane.until("and more of them.");
    for (columns, rows) in [(60, 20), (120, 30), (40, 12), (70, 25)] {
        pane.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        // The picture is for the new size, and there is one of it.
        let rule = "─".repeat(columns);
        pane.wait("one picture of the new size", |shown| {
            let rules = shown.lines().filter(|line| *line == rule).count();
            rules == 2
                && shown.matches('─').count() == 2 * columns
                && shown.matches("esc to interrupt").count() == 1
        });
    }
    pane.keys(&["Escape"]);
    let shown = pane.until("Interrupted.");
    assert!(shown.trim_end().ends_with("/help"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_can_be_answered_on_a_small_terminal() {
    let (person, server, pane) = world("").await;
    pane.tmux(&["resize-window", "-x", "40", "-y", "10"]);
    pane.line("make");
    let command =
        serde_json::json!({ "command": "touch a_file_with_a_name_that_is_rather_long" }).to_string();
    answer(asked(&server).await, crate::anthropic::call(0, "t1", "Bash", &command), "tool_use").await;
    let shown = pane.until("4. Never allow");
    assert!(shown.contains("touch a_file_with_a_name_that_is_rathe\n  r_long"), "{shown}");
    // The keys count after a moment; until then they are passed over.
    for _ in 0..50 {
        std::thread::sleep(std::time::Duration::from_millis(500));
        pane.keys(&["1"]);
        if person.scratch.path("project/a_file_with_a_name_that_is_rather_long").exists() {
            break;
        }
    }
    answer(asked(&server).await, words(0, "Made."), "end_turn").await;
    pane.until("Made.");
}

#[test]
fn without_colours_there_are_none() {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 40);
    pane.line(&format!("clear; NO_COLOR=1 {PROGRAM} chat --model offline"));
    pane.until("/help");
    pane.line("what does this project do?");
    pane.until("Tally counts");
    let coloured = pane.tmux(&["capture-pane", "-p", "-e"]);
    let is_coloured = (30..38).chain(90..98).any(|code| coloured.contains(&format!("\u{1b}[{code}m")));
    assert!(!is_coloured, "{coloured:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paste_of_many_lines_is_one_item() {
    let (_person, server, pane) = world("").await;
    let pasted: String = (0..300).map(|line| format!("pasted line {line}\n")).collect();
    pane.tmux(&["set-buffer", &pasted]);
    pane.tmux(&["paste-buffer", "-p"]);
    pane.until("[pasted: 300 lines]");
    pane.keys(&["Enter"]);
    let exchange = asked(&server).await;
    let sent = crate::anthropic::messages(&exchange)[0].to_string();
    assert!(sent.contains("pasted line 0\\n") && sent.contains("pasted line 299"), "{sent}");
    answer(exchange, words(0, "Read."), "end_turn").await;
    pane.until("Read.");
}
