//! The loop between the person, events and what is shown. Never decides what is said or done: a host stands behind it.

mod lines;
mod screen;

use agent::StreamController;
use anyhow::Result;
use tokio::sync::{mpsc, oneshot};
use tui::{Change, Event, Intent, Question};
use workspace::conversation::{Conversation, TurnEvent};

use super::asking::Reply;
use crate::signals;
use lines::Lines;
use screen::Pictures;

/// Messages that wait, at most. Who says more waits too.
const MESSAGES_MAX: usize = 1024;
/// Messages that are taken in before a key is looked at again.
const BATCH_MAX: usize = 256;

/// What tasks have to say to the front end.
pub(super) enum Message {
    /// It happened in a turn; and what it changes in a file, if it does, as that was before.
    Turn(TurnEvent, Option<Box<Change>>),
    /// It happened elsewhere.
    Event(Event),
    /// Somebody must decide.
    Ask(Box<Question>, oneshot::Sender<Reply>),
    /// Somebody waits no longer for what they asked.
    Withdrawn,
    /// A turn is over, and the conversation is back. An error says that it could not be kept.
    Returned(Box<Conversation>, Option<String>),
    /// The task of a turn died. What was said until then is in the transcript of this name.
    Lost(String),
    /// Work beside the conversation is over.
    Worked(tui::Ending),
}

/// Where tasks say it.
pub(super) type Mailbox = mpsc::Sender<Message>;

/// Both ends of it.
pub(super) fn mailbox() -> (Mailbox, mpsc::Receiver<Message>) {
    mpsc::channel(MESSAGES_MAX)
}

/// Who stands behind the keys.
pub(super) trait Host {
    /// Does what the person wants.
    async fn act(&mut self, intent: Intent, console: &mut Console) -> Flow;

    /// Takes in what a task says.
    fn hear(&mut self, message: Message, console: &mut Console);

    /// Ends all that is under way.
    async fn close(&mut self, console: &mut Console);
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Leave,
}

/// The terminal, and what stands on it.
pub(super) struct Console {
    face: Face,
    messages: mpsc::Receiver<Message>,
}

/// What the person has before them.
enum Face {
    /// Pictures that are drawn anew, and single keys.
    Pictures(Box<Pictures>),
    /// Whole lines, said and typed.
    Lines(Box<Lines>),
}

/// What came next from the person's side.
enum Next {
    /// They want this.
    Wanted(Intent),
    /// Nothing that a host must know.
    Nothing,
    /// They are gone, with this exit code.
    Gone(u8),
}

impl Console {
    /// Takes the terminal.
    pub(super) fn open(log: &std::path::Path, messages: mpsc::Receiver<Message>) -> Result<Console> {
        Ok(Console { face: Face::Pictures(Box::new(Pictures::open(log)?)), messages })
    }

    /// Leaves the terminal as it is, and talks in whole lines.
    pub(super) fn plain(messages: mpsc::Receiver<Message>) -> Console {
        Console { face: Face::Lines(Box::new(Lines::open())), messages }
    }

    pub(super) fn apply(&mut self, event: Event) {
        match &mut self.face {
            Face::Pictures(pictures) => pictures.apply(event),
            Face::Lines(lines) => lines.apply(&event),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        match &self.face {
            Face::Pictures(pictures) => pictures.is_busy(),
            Face::Lines(lines) => lines.is_busy(),
        }
    }

    /// Gives the terminal to somebody else for a while.
    pub(super) fn lend<T>(&mut self, borrower: impl FnOnce() -> T) -> Result<T> {
        match &mut self.face {
            Face::Pictures(pictures) => pictures.lend(borrower),
            Face::Lines(_) => Ok(borrower()),
        }
    }

    /// Goes on until the person leaves or the system wants us to end. The exit code.
    pub(super) async fn run(&mut self, host: &mut impl Host) -> u8 {
        // A terminal that cannot be written to is gone, and what is under way ends as if it had been closed.
        let code = self.turn_by_turn(host).await.unwrap_or(signals::HUNG_UP);
        host.close(self).await;
        // What the end said is still seen.
        while let Ok(message) = self.messages.try_recv() {
            host.hear(message, self);
        }
        if let Face::Pictures(pictures) = &mut self.face {
            pictures.end();
        }
        code
    }

    async fn turn_by_turn(&mut self, host: &mut impl Host) -> Result<u8> {
        // In whole lines ctrl-c comes as a signal, and is a key like any other.
        let mut signal = match &self.face {
            Face::Pictures(_) => signals::listen(StreamController::new()),
            Face::Lines(_) => signals::listen_for_ends(),
        };
        let mut batch = Vec::with_capacity(BATCH_MAX);
        self.show()?;
        loop {
            let Console { face, messages } = &mut *self;
            let next = async {
                match face {
                    Face::Pictures(pictures) => pictures.next().await,
                    Face::Lines(lines) => Ok(lines.next().await),
                }
            };
            tokio::select! {
                biased;
                code = &mut signal => return Ok(code.unwrap_or(signals::TERMINATED)),
                next = next => {
                    let flow = match next? {
                        Next::Gone(code) => return Ok(code),
                        Next::Wanted(intent) => host.act(intent, self).await,
                        Next::Nothing => Flow::On,
                    };
                    if flow == Flow::Leave {
                        return Ok(0);
                    }
                    self.show()?;
                }
                count = messages.recv_many(&mut batch, BATCH_MAX) => {
                    if count == 0 {
                        return Ok(0);
                    }
                    for message in batch.drain(..) {
                        host.hear(message, self);
                    }
                    for intent in self.intents() {
                        // Nothing that follows by itself ends the program.
                        host.act(intent, self).await;
                    }
                    self.show_soon()?;
                }
            }
        }
    }

    /// What follows from what happened, without the person.
    fn intents(&mut self) -> Vec<Intent> {
        match &mut self.face {
            Face::Pictures(pictures) => pictures.intents(),
            Face::Lines(lines) => lines.intents(),
        }
    }

    /// Shows what there is.
    fn show(&mut self) -> Result<()> {
        match &mut self.face {
            Face::Pictures(pictures) => pictures.draw(),
            Face::Lines(lines) => lines.prompt(),
        }
    }

    /// Shows it, if it is time.
    fn show_soon(&mut self) -> Result<()> {
        match &mut self.face {
            Face::Pictures(pictures) => pictures.draw_soon(),
            Face::Lines(lines) => lines.prompt(),
        }
    }
}
