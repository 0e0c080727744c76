//! The whole state of the terminal conversation: a fold over what happens, and a function from keys to what the person wants. Never reads
//! a clock, a file or the terminal: time comes with each call.

mod press;
mod queue;

use std::time::Duration;

use ratatui::text::Line;

use crate::completion::Offer;
use crate::composer::Composer;
use crate::dialog::Dialogs;
use crate::event::{Delivery, Ending, Event, Intent, Notice, Task};
use crate::picker::Picker;
use crate::status::{STEP, Status};
use crate::theme::Theme;
use crate::transcript::Transcript;
pub use press::command;
use queue::Queue;

/// How long a hint stands, and a second key counts as the second.
const HINT: Duration = Duration::from_secs(2);
/// Less is no terminal, but one that is being resized.
const COLUMNS_MIN: u16 = 8;
const ROWS_MIN: u16 = 3;

/// What does not change while a view lives.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// How things look.
    pub theme: Theme,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
}

/// The state of the terminal conversation.
#[derive(Debug)]
pub struct View {
    pub(crate) theme: Theme,
    pub(crate) size: (u16, u16),
    pub(crate) transcript: Transcript,
    pub(crate) composer: Composer,
    pub(crate) dialogs: Dialogs,
    pub(crate) picker: Option<Picker>,
    pub(crate) offer: Offer,
    pub(crate) status: Status,
    pub(crate) tasks: Vec<Task>,
    pub(crate) queue: Queue,
    pub(crate) hint: Option<(Duration, String)>,
    /// When escape, or the key to leave, was pressed last.
    pub(crate) escaped: Option<Duration>,
    pub(crate) cancelled: Option<Duration>,
    /// What follows from events by itself.
    outbox: Vec<Intent>,
}

impl View {
    /// Nothing was said yet.
    pub fn new(facts: Facts) -> View {
        View {
            theme: facts.theme,
            size: facts.size,
            transcript: Transcript::new(facts.theme, usize::from(facts.size.0).max(1)),
            composer: Composer::default(),
            dialogs: Dialogs::default(),
            picker: None,
            offer: Offer::default(),
            status: Status::default(),
            tasks: Vec::new(),
            queue: Queue::default(),
            hint: None,
            escaped: None,
            cancelled: None,
            outbox: Vec::new(),
        }
    }

    /// Takes something that happened.
    pub fn apply(&mut self, event: Event, now: Duration) {
        match event {
            Event::Said(words) => {
                self.transcript.say(&words);
                self.composer.remember(&words);
            }
            Event::TurnBegan => self.begin(now),
            Event::Watching => self.status.watched = Some(now),
            Event::Text(words) => {
                self.doing("answering");
                self.transcript.text(&words);
            }
            Event::Thinking(words) => {
                self.doing("thinking");
                self.transcript.think(&words);
            }
            Event::Preparing(tool) => {
                self.doing(&tool);
                self.transcript.prepare(&tool);
                self.deliver();
            }
            Event::Doing(words) => self.doing(&words),
            Event::Break => self.transcript.end_words(),
            Event::Void => self.transcript.void(),
            Event::ToolBegan { id, tool, title, change } => {
                self.doing(&tool);
                self.transcript.begin_call(id, tool, title, change);
                self.deliver();
            }
            Event::ToolReported { id, line } => self.transcript.report(id, &line),
            Event::ToolEnded { id, output, is_error } => {
                self.doing("");
                self.transcript.end_call(id, &output, is_error);
            }
            Event::Tasks(tasks) => self.tasks = tasks,
            Event::Asked(question) => {
                self.transcript.end_words();
                let refused = self.dialogs.ask(*question, now);
                self.outbox.extend(refused);
                self.deliver();
            }
            Event::Settled(id) => self.dialogs.settle(id, now),
            Event::Told(notice, words) => self.transcript.tell(notice, &words),
            Event::Page(text) => self.transcript.page(&text),
            Event::Retrying { attempt, attempts_max, after, reason } => {
                let words = format!("attempt {attempt} of {attempts_max}: {reason}");
                self.status.retry = Some((now + after, words));
            }
            Event::Tokens(tokens) => self.status.tokens = tokens,
            Event::Context(percent) => self.status.context = Some(percent),
            Event::Cost(cost) => self.status.cost = cost,
            Event::Restored(words) => self.restore(&words),
            Event::TurnEnded(ending) => self.end(ending),
            Event::Model(model) => self.status.model = model,
            Event::Mode(mode) => self.status.mode = mode,
            Event::Suggested { query, suggestions } => self.offer.fill(&query, suggestions),
            Event::Prompts(prompts) if prompts.is_empty() => {
                self.say_hint("there is nothing to go back to", now);
            }
            Event::Prompts(prompts) => self.picker = Some(Picker::new(prompts)),
            Event::Edited(words) => self.composer.replace(words.trim_end_matches('\n')),
            Event::Reset(words) => {
                self.transcript.end_all();
                self.tasks.clear();
                self.status.context = None;
                self.transcript.tell(Notice::Note, &words);
            }
        }
    }

    /// The rows that are finished since the last time, for the scrollback.
    pub fn take_finished(&mut self) -> Vec<Line<'static>> {
        self.transcript.take_finished()
    }

    /// What follows from what happened, without a key.
    pub fn take_intents(&mut self) -> Vec<Intent> {
        std::mem::take(&mut self.outbox)
    }

    /// Whether a turn is under way.
    pub fn is_busy(&self) -> bool {
        self.status.is_busy()
    }

    /// When the picture changes by itself.
    pub fn wakes_at(&self, now: Duration) -> Option<Duration> {
        let moving = self.status.is_moving().then(|| now + STEP);
        let hint = self.hint.as_ref().map(|(until, _)| *until).filter(|until| *until > now);
        let armed = self.dialogs.wakes_at().filter(|at| *at > now);
        [moving, hint, armed].into_iter().flatten().min()
    }

    /// Whether the terminal is large enough to draw on. What happens meanwhile is drawn when it is.
    pub fn fits(&self) -> bool {
        self.size.0 >= COLUMNS_MIN && self.size.1 >= ROWS_MIN
    }

    pub(crate) fn columns(&self) -> usize {
        usize::from(self.size.0).max(1)
    }

    fn begin(&mut self, now: Duration) {
        self.status.began = Some(now);
        self.status.retry = None;
        self.status.doing.clear();
    }

    fn end(&mut self, ending: Ending) {
        self.status.began = None;
        self.status.watched = None;
        self.status.retry = None;
        self.dialogs.clear();
        self.transcript.end_all();
        match ending {
            Ending::Done => {
                let next = self.queue.next_prompt();
                if !next.is_empty() {
                    self.outbox.push(Intent::Say(next.join("\n\n")));
                }
            }
            Ending::Stopped(words) => {
                self.transcript.tell(Notice::Note, &words);
                self.take_back();
            }
            Ending::Failed(words) => {
                self.transcript.tell(Notice::Error, &words);
                self.take_back();
            }
        }
    }

    /// Hands over what was said for the next step: a step is under way, and the request that follows it takes it along.
    fn deliver(&mut self) {
        let words = self.queue.take(Delivery::NextStep);
        if !words.is_empty() {
            self.outbox.push(Intent::Steer(words.join("\n\n")));
        }
    }

    /// Nothing is sent by itself after a stop: what waits goes back to the person.
    fn take_back(&mut self) {
        let words = self.queue.take_all();
        if !words.is_empty() {
            self.restore(&words.join("\n\n"));
        }
    }

    fn restore(&mut self, words: &str) {
        let written = self.composer.whole();
        let both = [words, written.as_str()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        self.composer.replace(&both.join("\n"));
    }

    fn enqueue(&mut self, words: String, delivery: Delivery, now: Duration) {
        if let Err(words) = self.queue.put(words, delivery) {
            self.composer.replace(&words);
            self.say_hint("too many messages wait", now);
        }
    }

    fn doing(&mut self, words: &str) {
        words.clone_into(&mut self.status.doing);
        self.status.retry = None;
    }

    fn say_hint(&mut self, words: &str, now: Duration) {
        self.hint = Some((now + HINT, words.to_owned()));
    }
}
