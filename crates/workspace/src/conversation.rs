//! A conversation with an agent: the machine of its turns, driven by real models, tools and a transcript. Never decides what
//! comes next; that is the work of the `agent` crate.

mod asking;
mod driver;
mod logged;
mod told;
mod toolbox;
mod transcript;

use std::sync::Arc;

use agent::StreamController;
use agent::history::History;
use agent::message::Block;
use agent::model::Model;
use agent::permission::{Answer, Policy, Rule};
use agent::turn::{Delivery, Ended, Event, QuestionId, Setup, Turn};
use tokio::sync::mpsc;

pub use asking::Asking;
pub use told::TurnEvent;
pub use toolbox::Toolbox;
pub use transcript::{Begun, Closing, Entry, Outline, Transcript, TranscriptError, Transcripts};

use driver::Driver;

/// What a person may say while a turn runs, at most, before the turn has taken it.
const REMOTE_MAX: usize = 256;

/// What a conversation needs of the world.
#[derive(Clone)]
pub struct Ports {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What it can do.
    pub tools: Toolbox,
    /// Who keeps a rule that a person made.
    pub rules: Arc<dyn KeepRule>,
    /// Milliseconds since 1970.
    pub clock: fn() -> u64,
}

/// Keeps rules.
pub trait KeepRule: Send + Sync {
    /// Keeps a rule where its scope says, for later sessions. The error is for the person.
    ///
    /// # Errors
    ///
    /// Why it could not be kept.
    fn keep(&self, rule: &Rule) -> Result<(), String>;
}

/// Why a turn broke off. What was committed before is in the transcript.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The transcript could not be written, so nothing more was done.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

/// A conversation between turns.
pub struct Conversation {
    ports: Ports,
    /// Nothing while a turn has it.
    parts: Option<(History, Setup)>,
    transcript: Option<Transcript>,
}

impl Conversation {
    /// A conversation that goes on with the history of its transcript.
    pub fn new(ports: Ports, setup: Setup, history: History, transcript: Transcript) -> Conversation {
        Conversation { ports, parts: Some((history, setup)), transcript: Some(transcript) }
    }

    /// What was said so far.
    pub fn history(&self) -> Option<&History> {
        self.parts.as_ref().map(|(history, _)| history)
    }

    /// What the next turn is started with.
    pub fn setup_mut(&mut self) -> Option<&mut Setup> {
        self.parts.as_mut().map(|(_, setup)| setup)
    }

    /// Its name.
    pub fn id(&self) -> &str {
        self.transcript.as_ref().map_or("", Transcript::id)
    }

    /// What stands in the place of a conversation while a turn has it. Nothing can be said in it, unless the turn is lost and
    /// it [moves](Self::move_to) to what was kept.
    #[must_use]
    pub fn absent(of: &Conversation) -> Conversation {
        let parts = of.parts.as_ref().map(|(_, setup)| (History::new(), setup.clone()));
        Conversation { ports: of.ports.clone(), parts, transcript: None }
    }

    /// Lets another model answer from the next turn on.
    pub fn set_model(&mut self, model: Arc<dyn Model>, name: &str) {
        if let Some((_, setup)) = &mut self.parts {
            setup.limits = model.limits();
            name.clone_into(&mut setup.frame.model);
        }
        self.ports.model = model;
    }

    /// Goes on with another conversation, with the same model, tools and rules. What was said so far stays where it is kept.
    pub fn move_to(&mut self, transcript: Transcript, history: History) {
        if let Some((now, _)) = &mut self.parts {
            *now = history;
            self.transcript = Some(transcript);
        }
    }

    /// Runs one turn to its end. `tell` hears all that happens, in order, and must not block for long.
    ///
    /// # Errors
    ///
    /// [`ConversationError`] if what was said could not be kept. The conversation can be opened again from its transcript.
    pub async fn turn(
        &mut self,
        first: Event,
        remote: &mut RemoteEnd,
        stop: &StreamController,
        tell: &mut (dyn FnMut(TurnEvent) + Send),
    ) -> Result<Ended, ConversationError> {
        let (Some((history, setup)), Some(transcript)) = (self.parts.take(), self.transcript.take()) else {
            return Err(TranscriptError::Closed.into());
        };
        let turn = Turn::new(setup, history);
        let driver = Driver::new(self.ports.clone(), transcript, stop.clone());
        tracing::info!(model = self.ports.model.id(), "turn begun");
        let mut tell = |event| {
            logged::log(&event);
            tell(event);
        };
        let (turn, transcript, ended) = driver.run(turn, first, remote, &mut tell).await?;
        self.parts = Some(turn.into_parts());
        self.transcript = Some(transcript);
        Ok(ended)
    }
}

/// The far end of a turn, for whoever steers it: a terminal, a page, another task.
#[derive(Debug, Clone)]
pub struct Remote {
    sender: mpsc::Sender<Event>,
}

/// The near end.
#[derive(Debug)]
pub struct RemoteEnd {
    receiver: mpsc::Receiver<Event>,
}

/// Nobody takes what was said: the turn is over, or too much is waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn does not listen")]
pub struct Unheard;

/// Both ends.
pub fn remote() -> (Remote, RemoteEnd) {
    let (sender, receiver) = mpsc::channel(REMOTE_MAX);
    (Remote { sender }, RemoteEnd { receiver })
}

impl Remote {
    /// Says something to the model while it works.
    ///
    /// # Errors
    ///
    /// [`Unheard`], and then nothing was said.
    pub fn say(&self, content: Vec<Block>, delivery: Delivery) -> Result<(), Unheard> {
        self.send(Event::Said { content, delivery })
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// [`Unheard`], and then the question is still open.
    pub fn answer(&self, question: QuestionId, answer: Answer) -> Result<(), Unheard> {
        self.send(Event::Answered { question, answer })
    }

    /// Puts other rules in force.
    ///
    /// # Errors
    ///
    /// [`Unheard`], and then the old ones are.
    pub fn set_policy(&self, policy: Policy) -> Result<(), Unheard> {
        self.send(Event::PolicyChanged(policy))
    }

    fn send(&self, event: Event) -> Result<(), Unheard> {
        self.sender.try_send(event).map_err(|_| Unheard)
    }
}
