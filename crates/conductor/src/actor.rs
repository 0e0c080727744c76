//! The task of one run: hears workers, the document and the person, lets the core decide, keeps the record, and does what was decided.
//! Never decides anything, and never waits for a model: whoever asks one does so in a task of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use agent::message::Usage;
use futures_util::FutureExt as _;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use workspace::command::{Actor as Hand, FileErrorKind, Refusal};
use workspace::lock::OwnerLock;

use crate::ask::ask;
use crate::brief;
use crate::core::{Conductor, Effect, Event, Outcome, Sent};
use crate::draft::{Draft, PERSON};
use crate::error::RunError;
use crate::event::{Happening, RunEvent};
use crate::folder::RunFolder;
use crate::kit::{Post, Settings, Thinker};
use crate::limits::LOOK;
use crate::mark::{Mark, Marks};
use crate::paper::{Change, Paper, Written};
use crate::record::{Record, Settled};
use crate::role::Role;
use crate::runs::View;
use crate::worker::{self, Heard, Job};

/// Messages that may wait for a run.
pub(crate) const MAILBOX_MAX: usize = 1024;
/// How long workers that are stopped may take.
const GRACE: Duration = Duration::from_secs(2);

/// What the task of a run hears.
pub(crate) enum Message {
    /// Something happened.
    Event(Event),
    /// What a worker is doing.
    Line { worker: String, line: String },
    /// The person decided about a proposal.
    Settle {
        proposal: String,
        person: String,
        is_accepted: bool,
        reply: oneshot::Sender<Result<(), RunError>>,
    },
}

/// The task of one run.
pub(crate) struct RunActor {
    pub(crate) conductor: Conductor,
    pub(crate) paper: Paper,
    pub(crate) marks: Marks,
    pub(crate) folder: RunFolder,
    pub(crate) artifacts: PathBuf,
    pub(crate) transcripts: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) thinker: Thinker,
    pub(crate) inbox: mpsc::Receiver<Message>,
    pub(crate) mailbox: mpsc::Sender<Message>,
    /// Let go before the view is: whoever waits for the end of that finds it free.
    pub(crate) _lock: OwnerLock,
    pub(crate) view: watch::Sender<View>,
    pub(crate) events: broadcast::Sender<RunEvent>,
    pub(crate) stop: StreamController,
    /// Stops what models are asked about plan and canon.
    pub(crate) thinking: StreamController,
    pub(crate) tasks: JoinSet<()>,
    pub(crate) workers: BTreeMap<String, (StreamController, Heard)>,
    pub(crate) begun: Instant,
    /// What it worked before this process.
    pub(crate) worked: u64,
    /// What was sent and not looked at yet.
    pub(crate) sent: Sent,
}

impl RunActor {
    /// Works until the run is over or the program ends. In the latter case it can be gone on with.
    pub(crate) async fn run(self) {
        let (documents, path) = (self.paper.documents().clone(), self.paper.path().to_owned());
        self.work().await;
        // Many runs in one process must not keep all their documents open.
        if let Ok(Some(hub)) = documents.hub().await {
            hub.let_go(&path).await;
        }
    }

    async fn work(mut self) {
        let mut changes = self.paper.changes();
        let opened = match self.paper.read().await {
            Ok(draft) => Event::Opened(draft),
            Err(error) => return self.broken(&error),
        };
        let limit = self.conductor.record().limits.milliseconds_max.saturating_sub(self.worked);
        let deadline = self.begun + Duration::from_millis(limit);
        let stop = self.stop.clone();
        if self.take(opened).await.is_err() {
            return;
        }
        let said = self.guest_said().await;
        if let Some(event) = said
            && self.take(event).await.is_err()
        {
            return;
        }
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut is_timed, mut stopped) = (true, std::pin::pin!(stop.subscribe()));
        loop {
            let event = if self.is_over() {
                // What was said in the last moment is heard before it leaves.
                let Some(change) = changes.next().now_or_never() else { break };
                self.changed(change).await
            } else {
                tokio::select! {
                    biased;
                    () = &mut stopped => return self.leave().await,
                    Some(message) = self.inbox.recv() => self.hear(message).await,
                    Some(joined) = self.tasks.join_next() => self.lost(&joined),
                    change = changes.next() => self.changed(change).await,
                    // Guests are in processes of their own, and nobody tells when they say something.
                    _ = looks.tick() => self.guest_said().await,
                    () = tokio::time::sleep_until(deadline), if is_timed => {
                        is_timed = false;
                        Some(Event::TimeUp)
                    }
                }
            };
            if let Some(event) = event
                && self.take(event).await.is_err()
            {
                return;
            }
        }
        self.leave().await;
    }

    /// Whether nothing more happens.
    fn is_over(&self) -> bool {
        self.conductor.record().status.is_final() && self.tasks.is_empty() && self.inbox.is_empty()
    }

    /// Lets the core decide, keeps what it decided, and does it. The record could not be kept if there is an error, and then nothing
    /// is done: it would be done again by the next process.
    async fn take(&mut self, event: Event) -> Result<(), RunError> {
        let mut next = Some(event);
        // What follows at once from an effect is taken at once.
        while let Some(event) = next.take() {
            let before = self.conductor.record().clone();
            let effects = self.conductor.step(event);
            if *self.conductor.record() != before {
                self.keep().await.inspect_err(|error| self.broken(error))?;
                self.tell(&before);
            }
            let mut events = Vec::new();
            for effect in effects {
                events.extend(self.act(effect).await);
            }
            let mut events = events.into_iter();
            next = events.next();
            for event in events {
                // The rest waits its turn; there is always room for as few as these.
                drop(self.mailbox.try_send(Message::Event(event)));
            }
        }
        Ok(())
    }

    async fn keep(&mut self) -> Result<(), RunError> {
        let worked = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.conductor.stamp((self.settings.clock)(), self.worked.saturating_add(worked));
        let (folder, record) = (self.folder.clone(), self.conductor.record().clone());
        let kept = tokio::task::spawn_blocking(move || folder.keep(&record)).await;
        kept.unwrap_or(Err(RunError::Closing))
    }

    async fn hear(&mut self, message: Message) -> Option<Event> {
        match message {
            Message::Event(event) => Some(event),
            Message::Line { worker, line } => {
                self.view.send_modify(|view| drop(view.lines.insert(worker.clone(), line.clone())));
                let phase = self.conductor.record().worker(&worker)?.phase;
                self.say(Happening::Worker { name: worker, phase, line });
                None
            }
            Message::Settle { proposal, person, is_accepted, reply } => {
                let settled = self.settle(&proposal, &person, is_accepted).await;
                let (told, event) = match settled {
                    Ok(event) => (Ok(()), Some(event)),
                    Err(error) => (Err(error), None),
                };
                // Whoever asked may be gone.
                drop(reply.send(told));
                event
            }
        }
    }

    async fn changed(&mut self, change: Change) -> Option<Event> {
        // What is typed after something was sent could be taken for it, for only the latest text can be read.
        self.sent = match (change.is_typed, change.sent) {
            (true, _) => Sent::Nothing,
            (false, Sent::Nothing) => self.sent,
            (false, sent) => self.sent.max(sent),
        };
        let draft = self.paper.read().await.ok()?;
        let is_latest = change.revision.is_none_or(|revision| revision >= draft.revision);
        let sent = if is_latest { std::mem::replace(&mut self.sent, Sent::Nothing) } else { Sent::Nothing };
        let is_news = draft.revision != self.conductor.draft().revision || sent != Sent::Nothing;
        is_news.then_some(Event::Changed { draft, sent })
    }

    /// What a guest said that was not taken yet; the next one is found with the next look.
    async fn guest_said(&self) -> Option<Event> {
        let marks = self.marks.clone();
        let all = tokio::task::spawn_blocking(move || marks.all()).await.ok()?;
        let record = self.conductor.record();
        let is_taken = |mark: &Mark| {
            record.guest(&mark.guest).and_then(|guest| guest.finished.as_ref()) == Some(&mark.id)
        };
        let Mark { id: mark, guest, summary, .. } = all.into_iter().find(|mark| !is_taken(mark))?;
        let draft = self.paper.read().await.ok()?;
        Some(Event::GuestFinished { guest, mark, summary, draft })
    }

    /// A task ended. One that died must not be waited for.
    fn lost(&mut self, joined: &Result<(), tokio::task::JoinError>) -> Option<Event> {
        if joined.as_ref().err().is_none_or(|error| !error.is_panic()) {
            return None;
        }
        let record = self.conductor.record();
        let running = record.plan.iter().filter(|item| item.state == crate::plan::ItemState::Running);
        let dead = running.min_by_key(|item| item.id)?;
        let (worker, item) = (dead.worker.clone(), dead.id);
        let outcome = Outcome::Failed("internal error: the worker broke down".to_owned());
        Some(Event::Ended { worker, item, outcome, heard: usize::MAX, draft: self.conductor.draft().clone() })
    }

    /// Does one thing. What follows from it at once is given back.
    async fn act(&mut self, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Plan => self.plan(),
            Effect::Replan(item) => self.replan(item),
            Effect::Start { worker, item } => self.start(&worker, item),
            Effect::Steer { worker, words } => {
                if let Some((_, heard)) = self.workers.get(&worker) {
                    heard.say(&words);
                }
                None
            }
            Effect::Stop(worker) => {
                if let Some((stop, _)) = self.workers.get(&worker) {
                    stop.abort();
                }
                None
            }
            Effect::Synthesize { count, objection } => self.synthesize(count, objection.as_deref()),
            Effect::WriteCanon { count, base, content } => {
                Some(self.write_canon(count, base, &content).await)
            }
            Effect::Answer { directive, words } => self.answer(directive, &words).await,
            Effect::Restore(sections) => {
                if let Err(error) = self.paper.restore(&sections).await {
                    tracing::warn!(%error, "sections could not be put in place");
                }
                None
            }
            Effect::End(status) => {
                tracing::info!(run = self.folder.id(), status = status.words(), "run ended");
                // Nobody waits for an answer any more.
                self.thinking.abort();
                self.thinking = self.stop.child();
                None
            }
        }
    }

    fn plan(&mut self) -> Option<Event> {
        let Thinker::Model(model, name) = self.thinker.clone() else {
            return Some(Event::Planned(Err("no model".to_owned())));
        };
        let roles: Vec<Role> =
            self.conductor.record().names().iter().filter_map(|name| self.role(name)).collect();
        let prompt = brief::plan(self.conductor.record(), &roles, self.conductor.draft());
        self.think(async move {
            let (said, tokens) = ask(&model, &name, brief::CONDUCTOR, prompt).await;
            (Event::Planned(said), tokens)
        });
        None
    }

    fn replan(&mut self, item: u32) -> Option<Event> {
        let Thinker::Model(model, name) = self.thinker.clone() else {
            return Some(Event::Replanned { item, said: Err("no model".to_owned()) });
        };
        let record = self.conductor.record();
        let roles: Vec<Role> = record.names().iter().filter_map(|name| self.role(name)).collect();
        let prompt = brief::replan(record, record.item(item)?, &roles, self.conductor.draft());
        self.think(async move {
            let (said, tokens) = ask(&model, &name, brief::CONDUCTOR, prompt).await;
            (Event::Replanned { item, said }, tokens)
        });
        None
    }

    fn synthesize(&mut self, count: u32, objection: Option<&str>) -> Option<Event> {
        let Thinker::Model(model, name) = self.thinker.clone() else {
            return Some(Event::Synthesized { count, said: Err("no model".to_owned()) });
        };
        let prompt = brief::synthesis(self.conductor.record(), self.conductor.draft(), objection);
        self.think(async move {
            let (said, tokens) = ask(&model, &name, brief::CONDUCTOR, prompt).await;
            (Event::Synthesized { count, said }, tokens)
        });
        None
    }

    /// Asks a model away from here, unless the run is stopped meanwhile.
    fn think(&mut self, asking: impl Future<Output = (Event, u64)> + Send + 'static) {
        let (mailbox, stop) = (self.mailbox.clone(), self.thinking.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = stop.subscribe() => {}
                (event, tokens) = asking => {
                    let usage = Usage { output: tokens, ..Usage::default() };
                    let spent = Event::Worked { worker: None, turns: 1, usage };
                    for event in [event, spent] {
                        if mailbox.send(Message::Event(event)).await.is_err() {
                            // The run is over.
                        }
                    }
                }
            }
        });
    }

    fn role(&self, name: &str) -> Option<Role> {
        self.settings.roles.iter().find(|role| role.name == name).cloned()
    }

    fn start(&mut self, worker: &str, item: u32) -> Option<Event> {
        let record = self.conductor.record();
        let known = record.item(item)?.clone();
        let failed = |why: String| Event::Ended {
            worker: worker.to_owned(),
            item,
            outcome: Outcome::Hopeless(why),
            heard: 0,
            draft: self.conductor.draft().clone(),
        };
        let Some(role) = self.role(worker) else {
            return Some(failed(format!(
                "nobody here can be {worker}; describe it in .agent-doc/workers/{worker}.md"
            )));
        };
        let stop = self.stop.child();
        let heard = Heard::new(known.words.clone());
        let post = Post {
            run: record.id.clone(),
            role,
            document: self.paper.path().to_owned(),
            artifacts: self.artifacts.clone(),
            model: record.model.clone(),
        };
        let job = Job {
            item: known,
            post,
            equip: Arc::clone(&self.settings.equip),
            paper: self.paper.clone(),
            transcript: record.worker(worker).and_then(|worker| worker.transcript.clone()),
            transcripts: self.transcripts.clone(),
            view: self.view.subscribe(),
            tell: self.mailbox.clone(),
            stop: stop.clone(),
            heard: heard.clone(),
            clock: self.settings.clock,
        };
        let now = (self.settings.clock)();
        self.view.send_modify(|view| {
            view.since.insert(worker.to_owned(), now);
        });
        self.workers.insert(worker.to_owned(), (stop, heard));
        self.tasks.spawn(worker::work(job));
        None
    }

    async fn write_canon(&self, count: u32, base: u64, content: &str) -> Event {
        let name = format!("{}/canon/{count}", self.folder.id());
        let written = self.paper.write_canon(content, base, name).await;
        let draft = match self.paper.read().await {
            Ok(draft) => draft,
            Err(error) => return Event::CanonRefused { count, why: error.to_string() },
        };
        match written {
            Ok(Written::Done { revision, is_duplicate }) => {
                let sources = self.conductor.record().canon.sources.clone();
                self.say(Happening::Merged { revision, sources });
                Event::CanonWritten { count, revision, is_duplicate, draft }
            }
            Ok(Written::Conflict) => Event::CanonConflict { count, draft },
            Err(error) => Event::CanonRefused { count, why: error.to_string() },
        }
    }

    async fn answer(&self, directive: u32, words: &str) -> Option<Event> {
        let taken = self.conductor.record().directives.iter().find(|taken| taken.id == directive)?;
        self.say(Happening::Taken { line: taken.line.clone(), answer: words.to_owned() });
        let name = format!("{}/directive/{directive}", self.folder.id());
        match self.paper.append(PERSON, words, Hand::Conductor, name).await {
            Ok(_) => Some(Event::Answered(directive)),
            Err(error) => {
                // It was taken all the same, and that is told elsewhere; it is said again after a restart.
                tracing::warn!(%error, directive, "a directive could not be answered in the document");
                None
            }
        }
    }

    /// Takes a proposal out of its section, so that it stands in the canon or nowhere.
    async fn settle(&self, id: &str, person: &str, is_accepted: bool) -> Result<Event, RunError> {
        let draft = self.paper.read().await?;
        let names = self.conductor.record().authors();
        let found = names.iter().flat_map(|name| draft.proposals(name)).find(|proposal| proposal.id == id);
        let proposal = found.ok_or_else(|| RunError::NoProposal(id.to_owned()))?;
        let hand = Hand::User(person.to_owned());
        let name = format!("{}/settle/{id}/{}", self.folder.id(), draft.revision);
        match self.paper.take_out(&proposal.author, &proposal.text, draft.revision, hand, name).await {
            Ok(_) => {}
            // It stands there twice, or in lines that end otherwise. The decision counts all the same.
            Err(RunError::Refused(Refusal {
                kind: FileErrorKind::MultipleMatches { .. } | FileErrorKind::NoMatch,
                ..
            })) => {}
            Err(error) => return Err(error),
        }
        let settled = Settled { id: proposal.id, author: proposal.author, text: proposal.text };
        let draft: Draft = self.paper.read().await?;
        Ok(if is_accepted { Event::Accepted(settled, draft) } else { Event::Rejected(settled, draft) })
    }

    /// Tells everybody what is different now.
    fn tell(&self, before: &Record) {
        let record = Arc::new(self.conductor.record().clone());
        self.view.send_modify(|view| view.record = Arc::clone(&record));
        for guest in &record.guests {
            if before.guest(&guest.name).is_none_or(|known| known.phase != guest.phase) {
                let (name, phase, line) = (guest.name.clone(), guest.phase, String::new());
                self.say(Happening::Worker { name, phase, line });
            }
        }
        for worker in &record.workers {
            if before.worker(&worker.name).is_none_or(|known| known.phase != worker.phase) {
                let line = self.view.borrow().lines.get(&worker.name).cloned().unwrap_or_default();
                self.say(Happening::Worker { name: worker.name.clone(), phase: worker.phase, line });
            }
        }
        if before.status != record.status || before.why != record.why {
            self.say(Happening::Status { status: record.status, why: record.why.clone() });
        }
    }

    fn say(&self, happening: Happening) {
        // Nobody may be listening.
        drop(self.events.send(RunEvent { run: self.folder.id().into(), happening }));
    }

    /// Stops all that it started. What it did not finish is gone on with by the next process.
    async fn leave(mut self) {
        self.stop.abort();
        // Nobody takes their messages any more, so nobody waits for room.
        self.inbox.close();
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, ended).await.is_err() {
            // They are cut off; what they have written is in the document.
        }
    }

    /// The run cannot be kept or read here. It stays as it was last kept.
    fn broken(&self, error: &RunError) {
        tracing::error!(run = self.folder.id(), %error, "run given up");
        let why = Some(error.to_string());
        self.say(Happening::Status { status: crate::status::Status::Blocked, why: why.clone() });
        self.view.send_modify(|view| {
            let mut record = Record::clone(&view.record);
            (record.status, record.why) = (crate::status::Status::Blocked, why);
            view.record = Arc::new(record);
        });
        self.stop.abort();
    }
}
