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
    pane.anew(&format!("NO_COLOR=1 {PROGRAM} chat --model offline"));
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

#[tokio::test(flavor = "multi_thread")]
async fn hostile_output_of_a_tool_does_nothing_to_the_terminal_or_the_clipboard() {
    let (_person, server, pane) = world("--allow Bash").await;
    pane.tmux(&["set-option", "-s", "set-clipboard", "on"]);
    pane.line("attack");
    let print = r"printf '\033]52;c;ZXZpbA==\007\033[2J\033[H\033[?1049h 10%%\r 100%%\nthe end\n'";
    let input = serde_json::json!({ "command": print }).to_string();
    answer(asked(&server).await, crate::anthropic::call(0, "t1", "Bash", &input), "tool_use").await;
    answer(asked(&server).await, words(0, "Done."), "end_turn").await;
    let shown = pane.until("Done.");
    assert!(shown.contains("› attack") && shown.contains("│ the end"), "{shown}");
    assert!(shown.trim_end().ends_with("/help"), "{shown}");
    assert_eq!(pane.tmux(&["display-message", "-p", "#{alternate_on}"]).trim(), "0");
    assert_eq!(pane.tmux(&["list-buffers"]), "", "something was put on the clipboard");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_while_a_question_appears_stays_in_the_prompt() {
    let (person, server, pane) = world("").await;
    pane.line("go");
    let exchange = asked(&server).await;
    pane.letters("yes 1 2");
    pane.until("› yes 1 2");
    let input = serde_json::json!({ "command": "touch made" }).to_string();
    answer(exchange, crate::anthropic::call(0, "t1", "Bash", &input), "tool_use").await;
    pane.question();
    assert!(!person.scratch.path("project/made").exists());
    pane.keys(&["Escape"]);
    pane.until("waiting for user feedback");
    let shown = pane.until("› yes 1 2");
    assert!(!person.scratch.path("project/made").exists(), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_is_made_as_small_as_it_gets_comes_back_whole() {
    let (_person, server, pane) = world("").await;
    pane.line("tell");
    answer(asked(&server).await, words(0, "It is so."), "end_turn").await;
    pane.until("It is so.");
    pane.letters("half a prompt");
    pane.until("› half a prompt");
    pane.tmux(&["resize-window", "-x", "1", "-y", "1"]);
    pane.letters(" more");
    pane.tmux(&["resize-window", "-x", "90", "-y", "30"]);
    let rule = "─".repeat(90);
    pane.wait("the whole picture", |shown| {
        let last: Vec<&str> = shown.trim_end().lines().rev().take(4).map(str::trim_end).collect();
        matches!(last[..], [status, below, written, above]
            if status.ends_with("/help") && below == rule && written == "› half a prompt more" && above == rule)
    });
}

#[test]
fn a_terminal_of_sixteen_colours_gets_no_others() {
    let person = Person::new();
    let pane = Pane::shell(&person, None, 100, 40);
    pane.anew(&format!("TERM=linux {PROGRAM} chat --model offline"));
    pane.until("/help");
    pane.line("what does this project do?");
    pane.until("Tally counts");
    pane.without("esc to interrupt");
    let painted = pane.tmux(&["capture-pane", "-p", "-e"]);
    assert!(painted.contains("36m"), "{painted:?}");
    assert!(!painted.contains("38;") && !painted.contains("48;"), "{painted:?}");
}
