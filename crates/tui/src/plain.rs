//! The conversation as plain lines, for screen readers, logs and terminals that can do nothing: what is finished, once, in words. Never
//! moves the cursor, and never uses a colour or a sign without words.

use crate::ask::Question;
use crate::event::{Ending, Event, Notice};
use crate::harmless;

/// Folds events into lines.
#[derive(Debug, Default)]
pub struct Plain {
    /// Words of the answer that are no whole line yet.
    words: String,
    is_thinking: bool,
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
            Event::ToolBegan { tool, title, .. } => {
                format!("{}Tool {}: {}\n", self.rest(), harmless::one_line(tool), harmless::one_line(title))
            }
            Event::ToolEnded { output, is_error, .. } => ended(output, *is_error),
            Event::Told(notice, words) => {
                format!("{}{}: {}\n", self.rest(), label(*notice), harmless::one_line(words))
            }
            Event::Page(text) => format!("{}{}\n", self.rest(), harmless::shown(text.trim_end())),
            Event::Retrying { attempt, attempts_max, reason, .. } => {
                format!("Trying again, attempt {attempt} of {attempts_max}: {}\n", harmless::one_line(reason))
            }
            Event::Asked(question) => format!("{}{}", self.rest(), asked(question)),
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
    text.push_str(&format!("{}\n", harmless::shown(&question.body)));
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
