//! From keys to what the person wants. Never does it.

use std::time::Duration;

use super::{HINT, View};
use crate::completion::query;
use crate::dialog::Pressed;
use crate::event::{Delivery, Intent};
use crate::key::Input;
use crate::picker::Picked;

impl View {
    /// Takes a key. What the person wants by it, if it is not for the view alone.
    pub fn press(&mut self, input: Input, now: Duration) -> Option<Intent> {
        if let Input::Resized(columns, rows) = input {
            self.size = (columns, rows);
            self.transcript.set_columns(usize::from(columns));
            return None;
        }
        match self.dialogs.press(&input, now) {
            Pressed::Decided(intent) => return Some(intent),
            Pressed::Taken => return None,
            Pressed::NotForUs => {}
        }
        if let Some(picker) = &mut self.picker {
            match picker.press(&input) {
                Picked::Open => return None,
                Picked::Closed => {
                    self.picker = None;
                    return None;
                }
                Picked::One(index) => {
                    self.picker = None;
                    return Some(Intent::Rewind(index));
                }
            }
        }
        if self.offer.is_open() && self.press_offer(&input) {
            return self.asked();
        }
        self.press_composer(input, now)
    }

    /// Keys while something is offered. Says whether it was one for the offer.
    fn press_offer(&mut self, input: &Input) -> bool {
        match input {
            Input::Up => self.offer.up(),
            Input::Down => self.offer.down(),
            Input::Escape => self.offer.close(),
            // What is written already needs no second enter.
            Input::Enter if self.offer.is_written() => {
                self.offer.close();
                return false;
            }
            Input::Tab | Input::Enter => {
                if let Some((length, text)) = self.offer.taken() {
                    self.composer.complete(length, &text);
                }
            }
            _ => return false,
        }
        true
    }

    fn press_composer(&mut self, input: Input, now: Duration) -> Option<Intent> {
        match input {
            Input::Enter => return self.enter(Delivery::NextStep, now),
            Input::Tab if self.is_busy() => return self.enter(Delivery::AfterTurn, now),
            Input::Escape => return self.escape(now),
            Input::Cancel => return self.cancel(now),
            Input::EndOfFile if self.composer.is_empty() => return Some(Intent::Leave),
            Input::Up if self.walks_queue() && self.composer.is_on_first_line() => {
                if let Some(words) = self.queue.above(&self.composer.whole()) {
                    self.composer.replace(&words);
                }
            }
            Input::Down if self.queue.is_editing() && self.composer.is_on_last_line() => {
                if let Some(words) = self.queue.below(&self.composer.whole()) {
                    self.composer.replace(&words);
                }
            }
            Input::BackTab => return Some(Intent::NextMode),
            Input::Editor => return Some(Intent::Edit(self.composer.whole())),
            Input::Suspend => return Some(Intent::Suspend),
            Input::Redraw => return Some(Intent::Redraw),
            Input::Expand => self.transcript.expand(),
            Input::Thoughts => {
                let words = if self.transcript.toggle_thoughts() {
                    "thoughts are shown"
                } else {
                    "thoughts are folded"
                };
                self.say_hint(words, now);
            }
            input => {
                self.composer.press(&input);
            }
        }
        self.asked()
    }

    /// Whether the key up goes to messages that wait, and not to prompts of the past.
    fn walks_queue(&self) -> bool {
        self.queue.is_editing() || (self.composer.is_empty() && !self.queue.messages().is_empty())
    }

    /// Asks what could stand here, if that is new.
    fn asked(&mut self) -> Option<Intent> {
        let query = query(self.composer.before()).map(str::to_owned);
        let is_new = self.offer.ask(query.as_deref());
        is_new.then(|| Intent::Complete(self.offer.query().to_owned()))
    }

    fn enter(&mut self, delivery: Delivery, now: Duration) -> Option<Intent> {
        if self.composer.before().ends_with('\\') {
            self.composer.complete(1, "\n");
            return None;
        }
        if self.composer.whole().trim().is_empty() {
            return None;
        }
        let words = self.composer.take();
        let _ = self.offer.ask(None);
        let words = words.trim().to_owned();
        if let Some(command) = command(&words) {
            return Some(command);
        }
        if self.is_busy() {
            self.enqueue(words, delivery, now);
            return None;
        }
        Some(Intent::Say(words))
    }

    /// Stops what is under way; twice in a quiet moment clears what is written, or goes back.
    fn escape(&mut self, now: Duration) -> Option<Intent> {
        if self.is_busy() {
            return Some(Intent::Interrupt);
        }
        let is_second = self.escaped.take().is_some_and(|before| now.saturating_sub(before) < HINT);
        if !is_second {
            self.escaped = Some(now);
            let words = if self.composer.is_empty() { "esc again to go back" } else { "esc again to clear" };
            self.say_hint(words, now);
            return None;
        }
        self.hint = None;
        if self.composer.is_empty() {
            return Some(Intent::ListPrompts);
        }
        drop(self.composer.take());
        None
    }

    fn cancel(&mut self, now: Duration) -> Option<Intent> {
        let is_second = self.cancelled.take().is_some_and(|before| now.saturating_sub(before) < HINT);
        if is_second {
            return Some(Intent::Leave);
        }
        self.cancelled = Some(now);
        if !self.composer.is_empty() {
            drop(self.composer.take());
        }
        self.say_hint("ctrl-c again to leave", now);
        self.is_busy().then_some(Intent::Interrupt)
    }
}

/// The command that a line is, if it is one.
pub fn command(words: &str) -> Option<Intent> {
    let line = words.strip_prefix('/').filter(|line| is_command(line))?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some(Intent::Command { name: name.to_owned(), rest: rest.trim().to_owned() })
}

/// Whether a line is meant for us: `/help`, but not `/etc/hosts is wrong`.
fn is_command(line: &str) -> bool {
    let name = line.split(char::is_whitespace).next().unwrap_or_default();
    !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '?')
}
