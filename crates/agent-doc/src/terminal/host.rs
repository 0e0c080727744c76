//! The conversation behind the keys: one turn at a time, and between them whatever the person types. Never runs a tool by itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use agent::history::History;
use agent::message::Block;
use agent::permission::{Answer, Mode, Scope};
use agent::turn::{Delivery, EndReason, Event as TurnInput};
use tokio::task::JoinHandle;
use tui::{Change, Ending, Event, Intent, Notice};
use workspace::conversation::{Conversation, Remote, Transcripts, TurnEvent, remote};
use workspace::outside::PermissionDesk;

use super::asking::{Desk, Reply, Waiting};
use super::chat::{mode_name, shown};
use super::console::{Console, Flow, Host, Mailbox, Message};
use super::past::show_past;
use super::told::{Teller, words};
use super::{changes, completing, work};
use crate::prices::Prices;
use crate::wiring::talk::Talk;

/// How long the end waits for a turn that is being stopped.
const END_GRACE: Duration = Duration::from_secs(2);

/// What is under way.
enum Under {
    /// A turn of the conversation.
    Turn { remote: Remote, stop: StreamController, task: JoinHandle<()> },
    /// Work beside it.
    Work { stop: StreamController, task: JoinHandle<()> },
}

/// The conversation behind the keys.
pub(super) struct ChatHost {
    pub(super) talk: Talk,
    pub(super) mailbox: Mailbox,
    /// The project, without links on the way to it.
    root: PathBuf,
    /// The file that rules go to, as it is shown.
    rules: String,
    teller: Teller,
    under: Option<Under>,
    /// Questions of others than the turn.
    asked: Waiting,
    files: completing::Files,
    /// What was said to a turn that ended before the model got it.
    unheard: Vec<Block>,
    /// What is said as soon as the conversation is back from the turn that has just ended.
    next: Option<String>,
    is_leaving: bool,
}

impl ChatHost {
    pub(super) fn new(talk: Talk, mailbox: Mailbox) -> ChatHost {
        let rules = talk.files.kept_in().map(|path| shown(&path)).unwrap_or_default();
        let root = talk.root.canonicalize().unwrap_or_else(|_| talk.root.clone());
        let files = completing::Files::of(&root);
        ChatHost {
            teller: Teller::new(rules.clone()),
            root,
            rules,
            talk,
            mailbox,
            under: None,
            asked: Waiting::default(),
            files,
            unheard: Vec::new(),
            next: None,
            is_leaving: false,
        }
    }

    pub(super) fn greet(&mut self, console: &mut Console) {
        console.apply(Event::Model(self.talk.model.clone()));
        console.apply(Event::Mode(mode_name(self.talk.policy.mode()).to_owned()));
        let past = self.talk.conversation.history().map(|history| history.messages().to_vec());
        let past = past.unwrap_or_default();
        if past.is_empty() {
            let root = shown(&self.talk.root);
            console.apply(Event::Told(Notice::Note, format!("agent-doc in {root}. Ask, or type /help.")));
        } else {
            show_past(&past, console);
        }
    }

    /// Ends what was opened. The name of the conversation, if something was said in it.
    pub(super) async fn close_all(self) -> Option<String> {
        let conversation = self.talk.conversation;
        let is_empty = conversation.history().is_none_or(|history| history.messages().is_empty());
        self.talk.opened.documents.close().await;
        self.talk.opened.servers.stop().await;
        (!is_empty).then(|| conversation.id().to_owned())
    }

    /// Begins a turn.
    pub(super) fn begin(&mut self, first: TurnInput, console: &mut Console) {
        let (far, mut near) = remote();
        let stop = StreamController::new();
        let absent = Conversation::absent(&self.talk.conversation);
        let mut conversation = std::mem::replace(&mut self.talk.conversation, absent);
        let (mailbox, stopped, root) = (self.mailbox.clone(), stop.clone(), self.root.clone());
        let name = conversation.id().to_owned();
        let task = tokio::spawn(async move {
            let told = mailbox.clone();
            let mut tell = move |event: TurnEvent| {
                // Before the turn goes on, and with it the call.
                let change = changes::beside(&event, &root).map(Box::new);
                send(&told, Message::Turn(event, change));
            };
            // A bug in it must not take the conversation along.
            let turning = tokio::spawn(async move {
                let ended = conversation.turn(first, &mut near, &stopped, &mut tell).await;
                Message::Returned(Box::new(conversation), ended.err().map(|error| error.to_string()))
            });
            if mailbox.send(turning.await.unwrap_or(Message::Lost(name))).await.is_err() {
                // The person has left.
            }
        });
        self.under = Some(Under::Turn { remote: far, stop, task });
        console.apply(Event::TurnBegan);
    }

    /// Begins work beside the conversation.
    pub(super) fn begin_work(
        &mut self,
        console: &mut Console,
        work: impl FnOnce(Mailbox, StreamController) -> JoinHandle<()>,
    ) {
        let stop = StreamController::new();
        let task = work(self.mailbox.clone(), stop.clone());
        self.under = Some(Under::Work { stop, task });
        console.apply(Event::TurnBegan);
    }

    fn interrupt(&mut self) {
        match &self.under {
            Some(Under::Turn { stop, .. } | Under::Work { stop, .. }) => stop.abort(),
            None => {}
        }
        // Whoever waits for an answer here gets none.
        self.asked.clear();
    }

    fn say(&mut self, said: String, console: &mut Console) {
        console.apply(Event::Said(said.clone()));
        self.begin(TurnInput::Prompted(vec![Block::text(said)]), console);
    }

    fn steer(&mut self, said: String, console: &mut Console) {
        let heard = match &self.under {
            Some(Under::Turn { remote, .. }) => {
                remote.say(vec![Block::text(said.clone())], Delivery::NextStep).is_ok()
            }
            Some(Under::Work { .. }) | None => false,
        };
        console.apply(if heard { Event::Said(said) } else { Event::Restored(said) });
    }

    fn answer(&mut self, question: u64, reply: Reply, console: &mut Console) {
        let Err(reply) = self.asked.answer(question, reply) else { return };
        let Some((id, decision)) = self.teller.decision(question, reply.choice) else { return };
        let Some(Under::Turn { remote, .. }) = &self.under else { return };
        if remote.answer(id, Answer { decision, words: reply.words, scope: Scope::Local }).is_err() {
            console.apply(Event::Told(Notice::Warning, "the turn is over; nothing was decided".to_owned()));
        }
    }

    /// A desk for agents that work beside the conversation.
    pub(super) fn desk(&self) -> Arc<dyn PermissionDesk> {
        let (mailbox, root, rules) = (self.mailbox.clone(), self.root.clone(), self.rules.clone());
        Arc::new(Desk { mailbox, root, rules })
    }

    /// Puts the policy in force, also in a turn that runs.
    pub(super) fn enforce(&mut self) {
        let policy = self.talk.policy.clone();
        if let Some(setup) = self.talk.conversation.setup_mut() {
            setup.policy = policy.clone();
        }
        if let Some(Under::Turn { remote, .. }) = &self.under
            && remote.set_policy(policy).is_err()
        {
            // The turn is over, and the next one begins with it.
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode, console: &mut Console) {
        self.talk.policy.set_mode(mode);
        self.enforce();
        console.apply(Event::Mode(mode_name(mode).to_owned()));
    }

    /// Something happened in the turn.
    fn hear_turn(&mut self, event: TurnEvent, change: Option<Box<Change>>, console: &mut Console) {
        match &event {
            TurnEvent::RuleMade { rule, .. } => self.talk.policy.add(rule.clone()),
            TurnEvent::Ended(ended) if ended.reason == EndReason::Completed => {
                self.unheard = ended.queued.concat();
            }
            TurnEvent::Ended(ended) if !ended.queued.is_empty() => {
                console.apply(Event::Restored(words(&ended.queued.concat())));
            }
            _ => {}
        }
        let is_counted = matches!(event, TurnEvent::Model(agent::model::ModelEvent::Usage(_)));
        for event in self.teller.tell(event, change.map(|change| *change)) {
            console.apply(event);
        }
        if is_counted && let Some(prices) = Prices::of(&self.talk.settings) {
            console.apply(Event::Cost(thousandths_of_a_cent(prices.cost(&self.teller.usage()))));
        }
    }

    /// A turn is over.
    fn returned(&mut self, conversation: Conversation, error: Option<String>, console: &mut Console) {
        self.under = None;
        self.asked.clear();
        self.talk.conversation = conversation;
        self.enforce();
        if let Some(error) = error {
            return console.apply(Event::TurnEnded(Ending::Failed(format!(
                "{error}; nothing more is kept. Leave, and go on with --continue"
            ))));
        }
        // The turn had no next step for it, so it is the next prompt.
        let unheard = std::mem::take(&mut self.unheard);
        if self.is_leaving {
            return;
        }
        if !unheard.is_empty() {
            self.begin(TurnInput::Prompted(unheard), console);
            self.next.take().into_iter().for_each(|said| console.apply(Event::Restored(said)));
        } else if let Some(said) = self.next.take() {
            self.say(said, console);
        }
    }

    /// The task of a turn died: the conversation goes on with what is kept of it.
    fn lost(&mut self, name: &str, console: &mut Console) {
        self.under = None;
        self.asked.clear();
        let words =
            "internal error: the turn died; what was said until then is kept. Please report it".to_owned();
        console.apply(Event::TurnEnded(Ending::Failed(words)));
        match Transcripts::at(&self.talk.sidecar.sessions()).resume(name) {
            Ok((transcript, records)) => self.talk.conversation.move_to(transcript, History::replay(records)),
            Err(error) => console.apply(Event::Told(Notice::Error, error.to_string())),
        }
    }

    /// Whether a turn or other work has not given back everything yet.
    pub(super) fn is_under_way(&self) -> bool {
        self.under.is_some()
    }
}

impl Host for ChatHost {
    async fn act(&mut self, intent: Intent, console: &mut Console) -> Flow {
        match intent {
            Intent::Say(said) if self.under.is_none() => self.say(said, console),
            Intent::Say(said) if self.next.is_none() => self.next = Some(said),
            Intent::Say(said) => console.apply(Event::Restored(said)),
            Intent::Steer(said) => self.steer(said, console),
            Intent::Command { name, rest } => return self.command(&name, &rest, console),
            Intent::Interrupt => self.interrupt(),
            Intent::Answer { question, choice, words } => {
                self.answer(question, Reply { choice, words }, console);
            }
            Intent::Complete(query) => {
                let suggestions = self.files.suggest(&query);
                console.apply(Event::Suggested { query, suggestions });
            }
            Intent::ListPrompts => self.list_prompts(console),
            Intent::Rewind(index) => self.rewind(index, console),
            Intent::NextMode => {
                let next = match self.talk.policy.mode() {
                    Mode::Default => Mode::AcceptEdits,
                    Mode::AcceptEdits => Mode::Plan,
                    Mode::Plan | Mode::DontAsk | Mode::Bypass => Mode::Default,
                };
                self.set_mode(next, console);
            }
            Intent::Edit(text) => match work::edited(console, &self.talk.sidecar, &text) {
                Ok(text) => console.apply(Event::Edited(text)),
                Err(error) => console.apply(Event::Told(Notice::Error, format!("{error:#}"))),
            },
            Intent::Leave => return Flow::Leave,
            Intent::Suspend | Intent::Redraw => {}
        }
        Flow::On
    }

    fn hear(&mut self, message: Message, console: &mut Console) {
        match message {
            Message::Turn(event, change) => self.hear_turn(event, change, console),
            Message::Event(event) => console.apply(event),
            Message::Ask(mut question, answer) => {
                question.id = self.teller.next_id();
                if self.asked.put(question.id, answer) {
                    console.apply(Event::Asked(question));
                }
            }
            // Who waits no longer is looked for after every message.
            Message::Withdrawn => {}
            Message::Returned(conversation, error) => self.returned(*conversation, error, console),
            Message::Lost(name) => self.lost(&name, console),
            Message::Worked(ending) => {
                self.under = None;
                self.asked.clear();
                console.apply(Event::TurnEnded(ending));
            }
        }
        for id in self.asked.withdrawn() {
            console.apply(Event::Settled(id));
        }
    }

    async fn close(&mut self, _: &mut Console) {
        self.is_leaving = true;
        self.interrupt();
        if let Some(Under::Turn { task, .. } | Under::Work { task, .. }) = self.under.take()
            && tokio::time::timeout(END_GRACE, task).await.is_err()
        {
            // It does not listen; it ends with the program.
        }
    }
}

/// Says something to the console, and waits if it is behind.
fn send(mailbox: &Mailbox, message: Message) {
    match mailbox.try_send(message) {
        Ok(()) => {}
        Err(tokio::sync::mpsc::error::TrySendError::Full(message)) => {
            // How far a tool is may be left out; all else waits, and with it whoever says so much.
            if !matches!(message, Message::Turn(TurnEvent::ToolReported { .. }, _)) {
                // Nobody may be there any more.
                tokio::task::block_in_place(|| drop(mailbox.blocking_send(message)));
            }
        }
        Err(tokio::sync::mpsc::error::TrySendError::Closed(_)) => {}
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cost is positive, and no fortune"
)]
fn thousandths_of_a_cent(cost: f64) -> u64 {
    (cost * 100_000.0).round().max(0.0) as u64
}
