//! What is said in whole lines.

use tui::{Ending, Event, Notice, Plain, Task, TaskState};

use crate::kit::asked;
use crate::turn::change;

#[test]
fn plain_mode_says_everything_in_whole_lines_without_signs() {
    let mut plain = Plain::default();
    let events = [
        Event::TurnBegan,
        Event::Thinking("hm".to_owned()),
        Event::Thinking("hm".to_owned()),
        Event::Text("Hello\u{1b}[2J wor".to_owned()),
        Event::Text("ld.\nMore".to_owned()),
        Event::Break,
        Event::ToolBegan { id: 1, tool: "Bash".to_owned(), title: "ls".to_owned(), change: None },
        Event::ToolEnded { id: 1, output: "a\nb".to_owned(), is_error: false },
        Event::ToolEnded { id: 2, output: "no".to_owned(), is_error: true },
        Event::Told(Notice::Warning, "odd".to_owned()),
        Event::Void,
        asked(3, "rm x"),
        Event::Page("# List\n- a".to_owned()),
        Event::TurnEnded(Ending::Failed("it broke".to_owned())),
    ];
    let text: String = events.iter().map(|event| plain.apply(event)).collect();
    expect_test::expect![[r#"
        Thinking.
        Hello␛[2J world.
        More
        Tool Bash: ls
        It is done: b
        It failed: no
        Warning: odd
        The answer broke off and begins again.
        Question: agent wants to run a command.
        Why: no rule covers it
        rm x
        1. Allow this time
        2. Always allow (saves 'allow Bash(cargo build *)' for this project)
        3. Wait and tell agent what to do differently
        4. Never allow (saves 'deny Bash(cargo build *)' for this project)
        Your number, or nothing to wait:
        # List
        - a
        Error: it broke
    "#]]
    .assert_eq(&text);
}

#[test]
fn plain_mode_reads_out_an_edit_before_it_is_decided_and_only_once() {
    let mut plain = Plain::default();
    let question = tui::Question {
        change: Some(change()),
        body: String::new(),
        why: "\u{1b}[2Jthe rule says so".to_owned(),
        choices: Vec::new(),
        ..crate::kit::question(1, "")
    };
    let began = Event::ToolBegan {
        id: 1,
        tool: "Edit".to_owned(),
        title: "src/main.rs".to_owned(),
        change: Some(change()),
    };
    let events = [Event::Asked(Box::new(question)), began.clone(), began];
    let text: String = events.iter().map(|event| plain.apply(event)).collect();
    expect_test::expect![[r#"
        Question: agent wants to run a command.
        Why: ␛[2Jthe rule says so
        File src/main.rs: 1 lines added, 1 removed.
          9   fn main() {
         10 -     old();
         10 +     a_call_that_is_so_long_that_it_does_not_fit_into_one_row_of_the_terminal();
        (unchanged lines)
        110   }
        Your number, or nothing to wait:
        Tool Edit: src/main.rs
        Tool Edit: src/main.rs
        File src/main.rs: 1 lines added, 1 removed.
          9   fn main() {
         10 -     old();
         10 +     a_call_that_is_so_long_that_it_does_not_fit_into_one_row_of_the_terminal();
        (unchanged lines)
        110   }
    "#]]
    .assert_eq(&text);
}

#[test]
fn plain_mode_says_what_was_not_heard_and_only_what_is_new_of_tasks() {
    let mut plain = Plain::default();
    let task = |state, text: &str| Task { state, text: text.to_owned() };
    let events = [
        Event::Model("test-model".to_owned()),
        Event::Mode("default".to_owned()),
        Event::Mode("plan".to_owned()),
        Event::Mode("plan".to_owned()),
        Event::Mode("default".to_owned()),
        Event::Edited("a prompt\n".to_owned()),
        Event::Restored("hello\nthere".to_owned()),
        Event::Tasks(vec![task(TaskState::Open, "read"), task(TaskState::Doing, "write")]),
        Event::Tasks(vec![task(TaskState::Done, "read"), task(TaskState::Doing, "write")]),
        Event::Doing("merging".to_owned()),
        Event::Doing("merging".to_owned()),
    ];
    let text: String = events.iter().map(|event| plain.apply(event)).collect();
    expect_test::expect![[r#"
        Status: test-model
        Mode: plan
        Mode: default
        It was: a prompt
        This was not heard. Type it again if you want it: hello
        there
        Task, to do: read
        Task, being done: write
        Task, done: read
        Now: merging
    "#]]
    .assert_eq(&text);
}
