//! Questions that wait for the person, one at a time. Never takes a key that was typed before the person can have read the question,
//! and never takes anything but a choice for one.

mod draw;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use crate::ask::Question;
use crate::composer::Composer;
use crate::event::Intent;
use crate::key::Input;
use draw::Body;

/// How long a question must have stood there, and the person not have typed, before a key decides anything.
const GUARD: Duration = Duration::from_millis(400);

/// Questions that wait, at most. More are refused: no person reads so many.
const QUESTIONS_MAX: usize = 64;

/// The questions.
#[derive(Debug, Default)]
pub(crate) struct Dialogs {
    waiting: VecDeque<Question>,
    chosen: usize,
    /// How far its text is scrolled.
    scrolled: usize,
    /// What is said with a choice, while it is being written.
    words: Option<Composer>,
    /// Whether a choice was meant whose note was not to be seen. It is shown now, and enter takes it.
    is_confirming: bool,
    /// When a key may decide.
    armed_at: Duration,
    /// What the last picture had room for.
    seen: Cell<Seen>,
    /// The rows of what would be done, for a width. They may be very many, and pictures are drawn often.
    body: RefCell<Option<Body>>,
}

/// What a picture of the question had room for.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// How far its text can be scrolled, and by how many rows at once.
    scroll_max: usize,
    page: usize,
    /// Which choices it showed with what they do beyond this one time.
    notes: Notes,
}

/// Which choices are shown with their notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Notes {
    #[default]
    All,
    Chosen,
    None,
}

/// What a key was to the dialog.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// It belongs to what the person was writing.
    NotForUs,
    /// It did something here, or means nothing here.
    Taken,
    /// It decided.
    Decided(Intent),
}

impl Dialogs {
    pub(crate) fn is_open(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn is_armed(&self, now: Duration) -> bool {
        now >= self.armed_at
    }

    /// When the picture changes by itself.
    pub(crate) fn wakes_at(&self) -> Option<Duration> {
        self.is_open().then_some(self.armed_at)
    }

    /// Puts a question behind the others. One too many is refused.
    pub(crate) fn ask(&mut self, question: Question, now: Duration) -> Option<Intent> {
        if self.waiting.len() >= QUESTIONS_MAX {
            let choice = question.refusing();
            return Some(Intent::Answer { question: question.id, choice, words: String::new() });
        }
        if self.waiting.is_empty() {
            self.begin(now);
        }
        self.waiting.push_back(question);
        None
    }

    /// A question is settled, by whomever.
    pub(crate) fn settle(&mut self, id: u64, now: Duration) {
        let is_shown = self.waiting.front().is_some_and(|first| first.id == id);
        self.waiting.retain(|question| question.id != id);
        if is_shown {
            self.begin(now);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.words = None;
        self.body.take();
    }

    /// The next question stands there.
    fn begin(&mut self, now: Duration) {
        self.chosen = 0;
        self.scrolled = 0;
        self.words = None;
        self.is_confirming = false;
        self.body.take();
        self.armed_at = now + GUARD;
    }

    /// Takes a key. Before the guard is over, letters belong to what the person was writing, and a line break decides nothing.
    pub(crate) fn press(&mut self, input: &Input, now: Duration) -> Pressed {
        let Some(question) = self.waiting.front() else { return Pressed::NotForUs };
        let refusing = question.refusing();
        if matches!(input, Input::Escape | Input::Cancel) {
            return self.decide(refusing, String::new(), now);
        }
        if let Some(words) = &mut self.words {
            if *input == Input::Enter {
                let words = words.take();
                return self.decide(Some(self.chosen), words.trim().to_owned(), now);
            }
            words.press(input);
            return Pressed::Taken;
        }
        if !self.is_armed(now) {
            self.armed_at = now + GUARD;
            return if *input == Input::Enter { Pressed::Taken } else { Pressed::NotForUs };
        }
        let last = question.choices.len().saturating_sub(1);
        match input {
            Input::Up | Input::Letter('k') => self.mark(self.chosen.checked_sub(1).unwrap_or(last)),
            Input::Down | Input::Letter('j') => {
                self.mark(if self.chosen < last { self.chosen + 1 } else { 0 });
            }
            Input::PageDown | Input::PageUp | Input::Home | Input::End => self.scroll(input),
            Input::Enter => return self.choose(self.chosen, now),
            // A key that bounces is no second thought.
            Input::Letter(_) if self.is_confirming => {}
            Input::Letter(letter) => {
                let number = letter.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
                let meant =
                    number.and_then(|number| question.choices.iter().position(|one| one.number == number));
                if let Some(meant) = meant {
                    return self.choose(meant, now);
                }
            }
            _ => {}
        }
        Pressed::Taken
    }

    /// Another choice is the one that enter takes.
    fn mark(&mut self, choice: usize) {
        self.chosen = choice;
        self.is_confirming = false;
    }

    fn scroll(&mut self, input: &Input) {
        let Seen { scroll_max, page, .. } = self.seen.get();
        // The terminal may have become higher since.
        let from = self.scrolled.min(scroll_max);
        self.scrolled = match input {
            Input::PageDown => from.saturating_add(page.max(1)).min(scroll_max),
            Input::PageUp => from.saturating_sub(page.max(1)),
            Input::End => scroll_max,
            _ => 0,
        };
    }

    fn choose(&mut self, choice: usize, now: Duration) -> Pressed {
        let Some(one) = self.waiting.front().and_then(|question| question.choices.get(choice)) else {
            return Pressed::Taken;
        };
        // What it does for longer than this one time must have been seen before it is done.
        let is_seen = match self.seen.get().notes {
            Notes::All => true,
            Notes::Chosen => choice == self.chosen,
            Notes::None => false,
        };
        let (is_seen, takes_words) = (is_seen || one.note.is_empty(), one.takes_words);
        self.mark(choice);
        if takes_words {
            self.words = Some(Composer::default());
        } else if is_seen {
            return self.decide(Some(choice), String::new(), now);
        } else {
            self.is_confirming = true;
            self.armed_at = now + GUARD;
        }
        Pressed::Taken
    }

    fn decide(&mut self, choice: Option<usize>, words: String, now: Duration) -> Pressed {
        let Some(question) = self.waiting.pop_front() else { return Pressed::Taken };
        self.begin(now);
        Pressed::Decided(Intent::Answer { question: question.id, choice, words })
    }
}
