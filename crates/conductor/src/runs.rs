//! All runs of one project, for a front end: start, list, show, resume, cancel, direct, accept, reject, and listen. Never waits for a
//! model, and never lets two processes work on one run.

mod directing;
mod dismissal;
mod guests;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent::StreamController;
use document::Revision;
use serde::Serialize;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use workspace::command::{Actor as Hand, FileCommand, FileResult, Refusal};
use workspace::documents::Documents;
use workspace::sidecar::Sidecar;

use crate::actor::{MAILBOX_MAX, Message, RunActor};
use crate::core::{Conductor, Event, Sent};
use crate::draft::{Draft, Proposal};
use crate::error::RunError;
use crate::event::{EVENTS_MAX, RunEvent, RunEvents};
use crate::folder::{self, Found, RunFolder, names, objective, rebuilt};
use crate::kit::{Settings, Thinker};
use crate::limits::{LISTED_MAX, WORKERS_MAX};
use crate::mark::Marks;
use crate::paper::Paper;
use crate::record::Record;
use crate::role::Role;
use crate::status::Status;

pub use guests::check_guest;

/// How long another process may take to do what it is asked to.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(50);

/// The runs of one project. Clones are the same.
#[derive(Clone)]
pub struct Runs {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    documents: Documents,
    sidecar: Sidecar,
    settings: Settings,
    events: broadcast::Sender<RunEvent>,
    live: Mutex<Live>,
}

/// What runs here. Locked for a moment only, never across an await.
#[derive(Default)]
struct Live {
    runs: HashMap<String, Handle>,
    tasks: JoinSet<()>,
    is_closed: bool,
}

#[derive(Clone)]
struct Handle {
    mailbox: mpsc::Sender<Message>,
    view: watch::Receiver<View>,
    stop: StreamController,
}

impl Handle {
    /// Whether its task has ended and let go of everything.
    fn is_gone(&self) -> bool {
        self.view.has_changed().is_err()
    }

    /// Waits for that.
    async fn gone(&self) -> View {
        let mut view = self.view.clone();
        while view.changed().await.is_ok() {}
        view.borrow().clone()
    }
}

/// A run as it is now.
#[derive(Debug, Clone)]
pub struct View {
    /// What is kept of it.
    pub record: Arc<Record>,
    /// What each worker is doing, in one line.
    pub lines: BTreeMap<String, String>,
    /// When each worker began what it is doing, in milliseconds since 1970.
    pub since: BTreeMap<String, u64>,
}

/// What somebody wants of a new run.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// What it is for.
    pub objective: String,
    /// Who works; everybody who is always there if nobody is named.
    pub workers: Vec<String>,
    /// The model, if it is not the usual one.
    pub model: Option<String>,
}

/// A run that has begun: all that a page needs to open it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Started {
    /// Its name.
    pub id: String,
    /// Its document, from the root of the project.
    pub path: String,
    /// The revision of the document.
    pub revision: Revision,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outline {
    /// Its name.
    pub id: String,
    /// What it is for, in one line.
    pub objective: String,
    /// How it is.
    pub status: Status,
    /// Why, if that needs words.
    pub why: Option<String>,
    /// Who works.
    pub workers: Vec<String>,
    /// When it was made, in milliseconds since 1970.
    pub begun: u64,
    /// Whether this process works on it.
    pub is_live: bool,
}

/// Whether somebody hears what is said to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Whoever works on it does.
    Now,
    /// Nobody works on it. It is heard when somebody goes on with it.
    Later,
}

/// How many characters of an objective a list shows.
const OUTLINE_CHARS: usize = 120;

impl Runs {
    /// The runs of the project whose documents these are. Blocks for a moment.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the project's own folder cannot be used.
    pub fn new(documents: Documents, settings: Settings) -> Result<Runs, RunError> {
        let failed = |what: &str, why: String| RunError::Io { what: what.to_owned(), why };
        let root =
            documents.root().canonicalize().map_err(|error| failed("the project", error.to_string()))?;
        let sidecar = Sidecar::open(&root).map_err(|error| failed(".agent-doc", error.to_string()))?;
        let events = broadcast::Sender::new(EVENTS_MAX);
        Ok(Runs {
            inner: Arc::new(Inner { root, documents, sidecar, settings, events, live: Mutex::default() }),
        })
    }

    /// Begins a run. Its document is there when this returns; nobody has been asked anything yet.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is nothing to do, nobody to do it, or no place for it.
    pub async fn start(&self, wanted: Wanted) -> Result<Started, RunError> {
        let words = objective(&wanted.objective)?;
        let workers = self.chosen(&wanted.workers)?;
        let thinker = self.thinker(wanted.model.as_deref())?;
        let id = uuid::Uuid::now_v7().to_string();
        let create = FileCommand::CreateRunDocument { run_id: id.clone(), objective: words.clone() };
        let reply = self.inner.documents.execute(create.by(Hand::Conductor)).await?;
        let path = match reply.result {
            FileResult::Created { path } => path,
            FileResult::Error { message, kind } => return Err(Refusal { message, kind }.into()),
            _ => format!("runs/{id}/draft.md"),
        };
        let paper = Paper::open(&self.inner.documents, &path).await?;
        paper.restore(&workers).await?;
        let settings = &self.inner.settings;
        let mut record = Record::new(&id, &words, &workers, &settings.person, (settings.clock)());
        (record.model, record.limits) = (wanted.model, settings.limits);
        let revision = paper.read().await?.revision;
        let folder = RunFolder::find(&self.inner.root, &id)?;
        self.spawn(folder, record, paper, thinker, None).await?;
        Ok(Started { id, path, revision })
    }

    /// Goes on with a run that is not over, or that the person has said something new about. One that is over and has nothing to do
    /// stays so.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is none, or another process works on it.
    pub async fn resume(&self, id: &str) -> Result<Started, RunError> {
        self.open(id, None).await
    }

    /// All runs, the latest first, after skipping some.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the folder cannot be read.
    pub async fn list(&self, skip: usize, count: usize) -> Result<Vec<Outline>, RunError> {
        let root = self.inner.root.clone();
        let work = move || {
            let chosen = names(&root)?.into_iter().skip(skip).take(count.min(LISTED_MAX));
            let read = |id: String| {
                let found = RunFolder::find(&root, &id).and_then(|folder| folder.read());
                (id, found)
            };
            Ok::<_, RunError>(chosen.map(read).collect::<Vec<_>>())
        };
        let found = tokio::task::spawn_blocking(work).await.map_err(|_| RunError::Closing)??;
        Ok(found.into_iter().map(|(id, found)| self.outline(id, found)).collect())
    }

    fn outline(&self, id: String, found: Result<Found, RunError>) -> Outline {
        let live = self.handle(&id).map(|handle| Arc::clone(&handle.view.borrow().record));
        let is_live = live.is_some();
        let record = match (live, found) {
            (Some(record), _) => Ok(record),
            (None, Ok(Found::Record(record))) => Ok(Arc::new(*record)),
            (None, Ok(Found::Lost)) => {
                Err("its record is lost; 'agent-doc runs resume' makes it again from the document".to_owned())
            }
            (None, Err(error)) => Err(error.to_string()),
        };
        match record {
            Ok(record) => Outline {
                id,
                objective: one_line(&record.objective),
                status: record.status,
                why: record.why.clone(),
                workers: record.authors(),
                begun: record.begun,
                is_live,
            },
            Err(why) => {
                let status = Status::Blocked;
                Outline {
                    id,
                    objective: String::new(),
                    status,
                    why: Some(why),
                    workers: Vec::new(),
                    begun: 0,
                    is_live,
                }
            }
        }
    }

    /// A run as it is now, by its name or the beginning of it.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is none.
    pub async fn show(&self, id: &str) -> Result<View, RunError> {
        if let Some(handle) = self.handle(id) {
            return Ok(handle.view.borrow().clone());
        }
        let folder = self.folder(id).await?;
        if let Some(handle) = self.handle(folder.id()) {
            return Ok(handle.view.borrow().clone());
        }
        let record = self.record(&folder).await?;
        Ok(View { record: Arc::new(record), lines: BTreeMap::new(), since: BTreeMap::new() })
    }

    /// The document of a run as it reads now.
    ///
    /// # Errors
    ///
    /// [`RunError`] if it cannot be read.
    pub async fn draft(&self, id: &str) -> Result<Draft, RunError> {
        let folder = self.folder(id).await?;
        Paper::open(&self.inner.documents, &document_of(folder.id())).await?.read().await
    }

    /// What the person can accept or reject.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such run.
    pub async fn proposals(&self, id: &str) -> Result<Vec<Proposal>, RunError> {
        let (view, draft) = (self.show(id).await?, self.draft(id).await?);
        // Nobody may have looked at the document since a guest wrote in it.
        let mut authors = view.record.authors();
        authors.extend(draft.guests(&authors));
        Ok(authors.iter().flat_map(|name| draft.proposals(name)).collect())
    }

    /// Takes a proposal into the canon, with the name of its author.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such proposal any more.
    pub async fn accept(&self, id: &str, proposal: &str, person: &str) -> Result<(), RunError> {
        self.settle(id, proposal, person, true).await
    }

    /// Takes a proposal out of the document. It stays in the record, and is not proposed again.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such proposal any more.
    pub async fn reject(&self, id: &str, proposal: &str, person: &str) -> Result<(), RunError> {
        self.settle(id, proposal, person, false).await
    }

    async fn settle(
        &self,
        id: &str,
        proposal: &str,
        person: &str,
        is_accepted: bool,
    ) -> Result<(), RunError> {
        let (reply, answer) = oneshot::channel();
        let (proposal, person) = (proposal.to_owned(), person.to_owned());
        let message = Message::Settle { proposal, person, is_accepted, reply };
        let folder = self.folder(id).await?;
        match self.listening(folder.id()).await {
            Some(handle) => handle.mailbox.send(message).await.map_err(|_| RunError::Closing)?,
            None => drop(self.open(folder.id(), Some(message)).await?),
        }
        answer.await.map_err(|_| RunError::Closing)?
    }

    /// Ends a run, also one that another process works on. What was found stays.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is none, or it has ended, or the other process does not listen.
    pub async fn cancel(&self, id: &str, person: &str) -> Result<(), RunError> {
        let folder = self.folder(id).await?;
        let over = |record: &Record| RunError::Over { run: record.id.clone(), status: record.status.words() };
        if let Some(handle) = self.listening(folder.id()).await {
            let event = Message::Event(Event::Cancelled(person.to_owned()));
            handle.mailbox.send(event).await.map_err(|_| RunError::Closing)?;
            return self.ended(folder.id()).await.map(drop);
        }
        let record = self.record(&folder).await?;
        if record.status.is_final() {
            return Err(over(&record));
        }
        match folder.lock(&self.inner.sidecar) {
            Ok(_lock) => {
                let mut conductor = Conductor::new(record, false);
                conductor.step(Event::Cancelled(person.to_owned()));
                let record = conductor.record().clone();
                tokio::task::spawn_blocking(move || folder.keep(&record))
                    .await
                    .map_err(|_| RunError::Closing)?
            }
            Err(held @ RunError::Held { .. }) => {
                self.say(&folder, "/cancel", person, None).await?;
                let begun = Instant::now();
                while begun.elapsed() < PATIENCE {
                    if self.record(&folder).await?.status.is_final() {
                        return Ok(());
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                Err(held)
            }
            Err(error) => Err(error),
        }
    }

    /// Waits until nothing more happens in a run that is worked on here.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such run.
    pub async fn ended(&self, id: &str) -> Result<View, RunError> {
        let folder = self.folder(id).await?;
        match self.handle(folder.id()) {
            Some(handle) => Ok(handle.gone().await),
            None => self.show(folder.id()).await,
        }
    }

    /// Listens to all runs, or to one.
    #[must_use]
    pub fn subscribe(&self, id: Option<&str>) -> RunEvents {
        RunEvents::new(self.inner.events.subscribe(), id.map(Into::into))
    }

    /// Who can work.
    #[must_use]
    pub fn roles(&self) -> &[Role] {
        &self.inner.settings.roles
    }

    /// Stops all runs, so that they can be gone on with later, and waits for that.
    pub async fn close(&self) {
        let (runs, mut tasks) = {
            let mut live = self.lock();
            live.is_closed = true;
            (std::mem::take(&mut live.runs), std::mem::take(&mut live.tasks))
        };
        runs.values().for_each(|handle| handle.stop.abort());
        while tasks.join_next().await.is_some() {}
    }

    fn chosen(&self, wanted: &[String]) -> Result<Vec<String>, RunError> {
        let roles = &self.inner.settings.roles;
        if wanted.is_empty() {
            return Ok(Role::standing().into_iter().map(|role| role.name).collect());
        }
        let mut chosen: Vec<String> = Vec::new();
        for name in wanted {
            let known = roles.iter().find(|role| role.name.eq_ignore_ascii_case(name.trim()));
            let all = || roles.iter().map(|role| role.name.clone()).collect::<Vec<_>>().join(", ");
            let role = known.ok_or_else(|| RunError::NoWorker(name.clone(), all()))?;
            if !chosen.contains(&role.name) {
                chosen.push(role.name.clone());
            }
        }
        if chosen.len() > WORKERS_MAX {
            return Err(RunError::TooMany(format!("no more than {WORKERS_MAX} can work in one run")));
        }
        Ok(chosen)
    }

    fn thinker(&self, model: Option<&str>) -> Result<Thinker, RunError> {
        (self.inner.settings.think)(model).map_err(|why| RunError::Io { what: "the model".to_owned(), why })
    }

    async fn folder(&self, id: &str) -> Result<RunFolder, RunError> {
        let (root, id) = (self.inner.root.clone(), id.to_owned());
        let find = move || RunFolder::named(&root, &id);
        tokio::task::spawn_blocking(find).await.map_err(|_| RunError::Closing)?
    }

    /// What is kept of a run; what is lost is made again, but not kept.
    async fn record(&self, folder: &RunFolder) -> Result<Record, RunError> {
        let reading = folder.clone();
        let found =
            tokio::task::spawn_blocking(move || reading.read()).await.map_err(|_| RunError::Closing)??;
        match found {
            Found::Record(record) => Ok(*record),
            Found::Lost => {
                let draft =
                    Paper::open(&self.inner.documents, &document_of(folder.id())).await?.read().await?;
                let settings = &self.inner.settings;
                Ok(rebuilt(folder.id(), &draft, &settings.roles, &settings.person, (settings.clock)()))
            }
        }
    }

    async fn open(&self, id: &str, first: Option<Message>) -> Result<Started, RunError> {
        let folder = self.folder(id).await?;
        let path = document_of(folder.id());
        let paper = Paper::open(&self.inner.documents, &path).await?;
        let id = folder.id().to_owned();
        if self.listening(&id).await.is_none() {
            let mut record = self.record(&folder).await?;
            // What a run may take is said here and now, and not in a file that came with the project.
            record.limits = self.inner.settings.limits;
            let thinker = self.thinker(record.model.as_deref())?;
            self.spawn(folder, record, paper.clone(), thinker, first).await?;
        }
        Ok(Started { id, path, revision: paper.read().await?.revision })
    }

    /// Gives a run a task of its own. Its record is on the disk when this returns.
    async fn spawn(
        &self,
        folder: RunFolder,
        record: Record,
        paper: Paper,
        thinker: Thinker,
        first: Option<Message>,
    ) -> Result<(), RunError> {
        let lock = folder.lock(&self.inner.sidecar)?;
        let (kept, first_record) = (folder.clone(), record.clone());
        let keep = move || {
            if matches!(kept.read()?, Found::Lost) {
                kept.set_aside()?;
                kept.keep(&first_record)?;
            }
            kept.artifacts()
        };
        let artifacts = tokio::task::spawn_blocking(keep).await.map_err(|_| RunError::Closing)??;
        let failed = |error: std::io::Error| RunError::Io {
            what: ".agent-doc/runs".to_owned(),
            why: error.to_string(),
        };
        let transcripts = self.inner.sidecar.private_folder("runs").map_err(failed)?.join(folder.id());
        let (mailbox, inbox) = mpsc::channel(MAILBOX_MAX);
        if let Some(first) = first {
            // The box is empty, so there is room.
            drop(mailbox.try_send(first));
        }
        let view = View { record: Arc::new(record.clone()), lines: BTreeMap::new(), since: BTreeMap::new() };
        let (view_sender, view) = watch::channel(view);
        let (stop, id, worked) = (StreamController::new(), folder.id().to_owned(), record.spent.milliseconds);
        let has_model = matches!(thinker, Thinker::Model(..));
        let actor = RunActor {
            conductor: Conductor::new(record, has_model),
            paper,
            marks: Marks::of(&self.inner.sidecar, folder.id()),
            folder,
            artifacts,
            transcripts,
            settings: self.inner.settings.clone(),
            thinker,
            inbox,
            mailbox: mailbox.clone(),
            view: view_sender,
            events: self.inner.events.clone(),
            stop: stop.clone(),
            thinking: stop.child(),
            tasks: JoinSet::new(),
            workers: BTreeMap::new(),
            begun: Instant::now(),
            worked,
            sent: Sent::Nothing,
            _lock: lock,
        };
        let mut live = self.lock();
        if live.is_closed {
            return Err(RunError::Closing);
        }
        while live.tasks.try_join_next().is_some() {}
        live.runs.retain(|_, handle| !handle.is_gone());
        live.tasks.spawn(actor.run());
        live.runs.insert(id, Handle { mailbox, view, stop });
        Ok(())
    }

    /// The way to a run that is worked on here.
    fn handle(&self, id: &str) -> Option<Handle> {
        self.lock().runs.get(id).filter(|handle| !handle.is_gone()).cloned()
    }

    /// As [`handle`](Self::handle), for one that still listens. One that is about to end is waited for.
    async fn listening(&self, id: &str) -> Option<Handle> {
        let handle = self.handle(id)?;
        if handle.mailbox.is_closed() {
            handle.gone().await;
            return None;
        }
        Some(handle)
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Runs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Runs").field("root", &self.inner.root).finish_non_exhaustive()
    }
}

/// The document of a run, from the root of the project.
#[must_use]
pub fn document_of(id: &str) -> String {
    format!("{}/{id}/draft.md", folder::RUNS)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|letter| !letter.is_control()).take(OUTLINE_CHARS).collect()
}
