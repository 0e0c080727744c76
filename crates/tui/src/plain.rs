//! The conversation as plain lines, for screen readers, logs and terminals that can do nothing: what is finished, once, in words. Never
//! moves the cursor, and never uses a colour or a sign without words.

use crate::ask::Question;
use crate::change::Change;
use crate::event::{Ending, Event, Notice, Task, TaskState};
use crate::harmless;

/// Folds events into lines.
#[derive(Debug, Default)]
pub struct Plain {
    /// Words of the answer that are no whole line yet.
    words: String,
    is_thinking: bool,
    /// The change that was asked about last. It is not read twice.
    asked: Option<Change>,
    /// What was said of tasks and of what is being done, so that only what is new is said.
    tasks: Vec<Task>,
    doing: String,
    mode: String,
}

impl Plain {
    /// What to write for an event: whole lines.
    pub fn apply(&mut self, event: &Event) -> String {
        match event {
            Event::Text(words) => {
                self.words.push_str(words);
                self.is_thinking = false;
                self.lines()
            }
            Event::Thinking(_) if !self.is_thinking => {
                self.is_thinking = true;
                "Thinking.\n".to_owned()
            }
            Event::Break | Event::TurnBegan => self.rest(),
            Event::Void => format!("{}The answer broke off and begins again.\n", self.rest()),
            Event::ToolBegan { tool, title, change, .. } => {
                let is_known = *change == self.asked.take();
                let change = change.as_ref().filter(|_| !is_known).map(Change::plain).unwrap_or_default();
                let (tool, title) = (harmless::one_line(tool), harmless::one_line(title));
                format!("{}Tool {tool}: {title}\n{change}", self.rest())
            }
            Event::ToolEnded { output, is_error, .. } => ended(output, *is_error),
            Event::Told(notice, words) => {
                format!("{}{}: {}\n", self.rest(), label(*notice), harmless::one_line(words))
            }
            Event::Page(text) => format!("{}{}\n", self.rest(), harmless::shown(text.trim_end())),
            Event::Retrying { attempt, attempts_max, reason, .. } => {
                format!("Trying again, attempt {attempt} of {attempts_max}: {}\n", harmless::one_line(reason))
            }
            Event::Asked(question) => {
                self.asked.clone_from(&question.change);
                format!("{}{}", self.rest(), asked(question))
            }
            Event::Tasks(tasks) => self.tasks(tasks),
            Event::Doing(words) if *words != self.doing && !words.is_empty() => {
                self.doing.clone_from(words);
                format!("{}Now: {}\n", self.rest(), harmless::one_line(words))
            }
            Event::Model(name) => format!("{}Status: {}\n", self.rest(), harmless::one_line(name)),
            Event::Mode(mode) if *mode != self.mode && (*mode != "default" || !self.mode.is_empty()) => {
                self.mode.clone_from(mode);
                format!("{}Mode: {}\n", self.rest(), harmless::one_line(mode))
            }
            Event::Edited(words) => {
                format!("{}It was: {}\n", self.rest(), harmless::shown(words.trim_end()))
            }
            Event::Restored(words) => {
                format!(
                    "{}This was not heard. Type it again if you want it: {}\n",
                    self.rest(),
                    harmless::shown(words)
                )
            }
            Event::Reset(words) => format!("{}\n", harmless::one_line(words)),
            Event::TurnEnded(ending) => {
                let rest = self.rest();
                match ending {
                    Ending::Done => rest,
                    Ending::Stopped(words) => format!("{rest}{}\n", harmless::one_line(words)),
                    Ending::Failed(words) => format!("{rest}Error: {}\n", harmless::one_line(words)),
                }
            }
            _ => String::new(),
        }
    }

    /// The tasks that are new or further than before.
    fn tasks(&mut self, tasks: &[Task]) -> String {
        let said: String = tasks
            .iter()
            .filter(|task| !self.tasks.contains(task))
            .map(|task| {
                let state = match task.state {
                    TaskState::Open => "to do",
                    TaskState::Doing => "being done",
                    TaskState::Done => "done",
                };
                format!("Task, {state}: {}\n", harmless::one_line(&task.text))
            })
            .collect();
        self.tasks = tasks.to_vec();
        format!("{}{said}", self.rest())
    }

    fn lines(&mut self) -> String {
        let whole = self.words.rfind('\n').map_or(0, |end| end + 1);
        let lines: String = self.words.drain(..whole).collect();
        harmless::shown(&lines)
    }

    fn rest(&mut self) -> String {
        self.is_thinking = false;
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            String::new()
        } else {
            format!("{}\n", harmless::shown(words.trim_end()))
        }
    }
}

fn label(notice: Notice) -> &'static str {
    match notice {
        Notice::Note => "Note",
        Notice::Warning => "Warning",
        Notice::Error => "Error",
    }
}

fn ended(output: &str, is_error: bool) -> String {
    let output = harmless::printed(output.trim_end());
    let last = output.lines().last().unwrap_or_default();
    format!("{}: {last}\n", if is_error { "It failed" } else { "It is done" })
}

/// A question with its choices, for an answer in a line of its own.
fn asked(question: &Question) -> String {
    let mut text = format!(
        "Question: {} wants to {}.\n",
        harmless::one_line(&question.agent),
        harmless::one_line(&question.heading)
    );
    if !question.why.is_empty() {
        text.push_str(&format!("Why: {}\n", harmless::one_line(&question.why)));
    }
    if !question.body.is_empty() {
        text.push_str(&format!("{}\n", harmless::exact(&question.body)));
    }
    text.push_str(&question.change.as_ref().map(Change::plain).unwrap_or_default());
    for choice in &question.choices {
        let note = if choice.note.is_empty() {
            String::new()
        } else {
            format!(" ({})", harmless::one_line(&choice.note))
        };
        text.push_str(&format!("{}. {}{note}\n", choice.number, harmless::one_line(&choice.label)));
    }
    text.push_str("Your number, or nothing to wait:\n");
    text
}
