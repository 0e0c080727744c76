//! One owner per document: a task that alone changes its text and alone has it written. Never lets two callers touch the
//! same text, and never holds up one document for another.

mod actor;
mod answer;
mod append;
mod apply;
mod clash;
mod crowd;
mod desk;
mod flush;
mod late;
mod passage;
mod peer;
mod requests;
mod rules;
mod stream;
mod touched;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use document::{Author, Revision};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinError;

pub use actor::DocumentActor;
pub use clash::Clash;
pub(crate) use desk::{cause, kind_of};
pub use peer::{Joined, PeerEvent, PeerEvents, PeerHandle, Visitor};
pub use stream::{Finished, Target};

use crate::SharedText;
use crate::command::{Actor, FileCommand, FileErrorKind, Refusal, Reply, Request};
use crate::event::{DocumentChanged, EVENTS_MAX, Subscription};
use crate::keeper::{Keeper, KeeperError};

/// How many messages wait in a mailbox before callers do.
const MAILBOX_MAX: usize = 1024;

/// A clock in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What an owner is told when it begins.
#[derive(Clone)]
pub struct Options {
    /// How often words of an answer are written at most.
    pub interval: Duration,
    /// Who saves the file with other programs.
    pub person: Author,
    /// How many bytes may be written at once.
    pub content_max: usize,
    /// How many bytes the document may have.
    pub document_max: usize,
    /// What time it is, for the journal.
    pub clock: Clock,
    /// Where the disk is waited for.
    pub waits: Waits,
}

/// Where an owner waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waits {
    /// On threads that are there for it, so that everything else goes on meanwhile.
    #[default]
    Aside,
    /// Where it stands. For a process that does one thing and ends, and that has nothing else to do meanwhile: to start threads would
    /// take longer than much of its work.
    Here,
}

impl Waits {
    /// Does work that may block.
    ///
    /// # Errors
    ///
    /// [`JoinError`] if the work broke down on a thread of its own.
    pub(crate) async fn during<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        match self {
            Waits::Aside => tokio::task::spawn_blocking(work).await,
            Waits::Here => Ok(work()),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Options").field("person", &self.person).finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(200),
            person: Author::new("user"),
            content_max: 4 << 20,
            document_max: 16 << 20,
            clock: Arc::new(|| {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            }),
            waits: Waits::default(),
        }
    }
}

/// A text and its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The whole text.
    pub text: SharedText,
    /// Its revision.
    pub revision: Revision,
}

/// What an owner hears.
enum Message {
    /// A command.
    Execute { request: Request, reply: oneshot::Sender<Reply> },
    /// An answer wants to begin.
    Stream { target: Target, actor: Actor, reply: oneshot::Sender<Result<u64, Refusal>> },
    /// Words of an answer.
    Say { stream: u64, text: String },
    /// An answer is complete.
    Finish { stream: u64, reply: Option<oneshot::Sender<Result<Finished, Refusal>>> },
    /// A peer comes, speaks, or goes.
    Peer(peer::PeerMessage),
    /// The file may have changed.
    FileChanged,
    /// Say when all that came before is done.
    Settled { reply: oneshot::Sender<()> },
    /// Take no more, write everything, and end.
    Stop,
}

/// A way to a document's owner. Clones lead to the same one.
#[derive(Clone)]
pub struct DocumentHandle {
    path: Arc<str>,
    people: mpsc::Sender<Message>,
    agents: mpsc::Sender<Message>,
    snapshot: watch::Receiver<Snapshot>,
    events: broadcast::Sender<DocumentChanged>,
}

impl std::fmt::Debug for DocumentHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DocumentHandle").field("path", &self.path).finish_non_exhaustive()
    }
}

impl DocumentActor {
    /// Reads the document and prepares its owner. Blocks; the path is the one that messages name.
    ///
    /// # Errors
    ///
    /// [`KeeperError`] if the file cannot be read.
    pub fn open(
        path: &str,
        keeper: Box<dyn Keeper>,
        options: Options,
    ) -> Result<(DocumentHandle, DocumentActor), KeeperError> {
        Self::open_with(path, keeper, options, broadcast::Sender::new(EVENTS_MAX))
    }

    /// As [`open`](Self::open), telling its events where others tell theirs.
    pub(crate) fn open_with(
        path: &str,
        keeper: Box<dyn Keeper>,
        options: Options,
        events: broadcast::Sender<DocumentChanged>,
    ) -> Result<(DocumentHandle, DocumentActor), KeeperError> {
        let path: Arc<str> = path.into();
        let mut desk = desk::Desk::open(Arc::clone(&path), keeper, options)?;
        let first = Snapshot { text: desk.shared_text(), revision: desk.revision };
        let (snapshot_sender, snapshot) = watch::channel(first);
        let (people, people_inbox) = mpsc::channel(MAILBOX_MAX);
        let (agents, agents_inbox) = mpsc::channel(MAILBOX_MAX);
        let actor = DocumentActor {
            desk,
            people: people_inbox,
            agents: agents_inbox,
            snapshot: snapshot_sender,
            events: events.clone(),
        };
        Ok((DocumentHandle { path, people, agents, snapshot, events }, actor))
    }
}

impl DocumentHandle {
    /// The document's path, relative to the root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Has a command done. What was answered with success is in the file.
    pub async fn execute(&self, request: Request) -> Reply {
        let named = match &request.command {
            FileCommand::CreateRunDocument { run_id, .. } => format!("runs/{run_id}/draft.md"),
            command => command.path().unwrap_or_default().to_owned(),
        };
        if named != *self.path {
            let message = format!("{named}: this is the owner of {}; ask for the other document", self.path);
            return self.refused(Refusal::new(FileErrorKind::NotFound, message));
        }
        let (reply, answer) = oneshot::channel();
        let mailbox = self.mailbox(&request.actor);
        if mailbox.send(Message::Execute { request, reply }).await.is_err() {
            return self.refused(self.stopped());
        }
        match answer.await {
            Ok(reply) => reply,
            Err(_) => {
                // The owner broke down in the middle. When its mailbox is closed too, it can be opened again.
                self.people.closed().await;
                self.refused(self.stopped())
            }
        }
    }

    /// The text as it is now, also when its file cannot be written or is gone.
    #[must_use]
    pub fn read(&self) -> Snapshot {
        self.snapshot.borrow().clone()
    }

    /// Begins an answer that arrives word by word.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is no such place, or it is somebody else's.
    pub async fn stream(&self, target: Target, actor: Actor) -> Result<StreamHandle, Refusal> {
        let (reply, answer) = oneshot::channel();
        let mailbox = self.mailbox(&actor).clone();
        mailbox.send(Message::Stream { target, actor, reply }).await.map_err(|_| self.stopped())?;
        let stream = answer.await.map_err(|_| self.stopped())??;
        Ok(StreamHandle { stream, mailbox: Some(mailbox), stopped: self.stopped() })
    }

    /// Says that the file may have changed, as a watcher heard. Returns at once.
    pub fn file_changed(&self) {
        // A full mailbox means a turn is near, and each turn reads the file; a closed one, that nobody cares.
        drop(self.people.try_send(Message::FileChanged));
    }

    /// Waits until everything that was asked for before is done.
    pub async fn settled(&self) {
        for mailbox in [&self.agents, &self.people] {
            let (reply, answer) = oneshot::channel();
            if mailbox.send(Message::Settled { reply }).await.is_ok() && answer.await.is_err() {
                return;
            }
        }
    }

    /// Listens to what happens to this document.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(self.events.subscribe(), Some(Arc::clone(&self.path)))
    }

    /// Whether the owner has ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.people.is_closed()
    }

    /// Whether nobody else holds a way to this owner.
    pub(crate) fn is_the_last(&self) -> bool {
        self.people.strong_count() == 1
    }

    /// Lets the owner write everything and end.
    pub async fn stop(&self) {
        if self.people.send(Message::Stop).await.is_err() {
            // It has ended already.
        }
    }

    /// Waits until the owner has ended and let go of its files.
    pub(crate) async fn ended(&self) {
        let mut snapshot = self.snapshot.clone();
        while snapshot.changed().await.is_ok() {}
    }

    fn mailbox(&self, actor: &Actor) -> &mpsc::Sender<Message> {
        match actor {
            Actor::User(_) | Actor::System => &self.people,
            Actor::Worker(_) | Actor::Conductor => &self.agents,
        }
    }

    fn stopped(&self) -> Refusal {
        let message =
            format!("{}: the document was closed; open it again, and read before you write", self.path);
        Refusal::new(FileErrorKind::IoError, message)
    }

    fn refused(&self, refusal: Refusal) -> Reply {
        Reply { revision: self.snapshot.borrow().revision, duplicate: false, result: refusal.into() }
    }
}

/// An answer on its way into a document. Dropped, it is finished with what was said.
#[derive(Debug)]
pub struct StreamHandle {
    stream: u64,
    mailbox: Option<mpsc::Sender<Message>>,
    stopped: Refusal,
}

impl StreamHandle {
    /// Adds words. Any cut is fine, also in the middle of a marker.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the document was closed.
    pub async fn say(&self, text: impl Into<String>) -> Result<(), Refusal> {
        let message = Message::Say { stream: self.stream, text: text.into() };
        match &self.mailbox {
            Some(mailbox) => mailbox.send(message).await.map_err(|_| self.stopped.clone()),
            None => Err(self.stopped.clone()),
        }
    }

    /// All is said: writes the rest and tells what came of it.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the disk or the owner failed.
    pub async fn finish(mut self) -> Result<Finished, Refusal> {
        let (reply, answer) = oneshot::channel();
        let message = Message::Finish { stream: self.stream, reply: Some(reply) };
        let mailbox = self.mailbox.take().ok_or_else(|| self.stopped.clone())?;
        mailbox.send(message).await.map_err(|_| self.stopped.clone())?;
        answer.await.map_err(|_| self.stopped.clone())?
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        if let Some(mailbox) = self.mailbox.take() {
            // A full mailbox leaves the answer where it is: shown as far as it was safe.
            drop(mailbox.try_send(Message::Finish { stream: self.stream, reply: None }));
        }
    }
}
