//! All open documents of one root. Never touches a path that is not beneath the root, and never opens a document twice.

mod create;
mod past;
pub(crate) mod path;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use document::Author;
use tokio::sync::{OnceCell, broadcast};
use tokio::task::JoinSet;

use crate::SharedText;
use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use crate::event::{ChangeKind, DocumentChanged, EVENTS_FEW, EVENTS_MAX, Subscription};
use crate::keeper::{Keeper, KeeperError};
use crate::owner::{DocumentActor, DocumentHandle, Options, Waits, cause, kind_of};

/// How many documents may be open at once.
const DOCUMENTS_MAX: usize = 4096;

/// Makes the keeper of a file. The path is absolute, checked, and beneath the root.
pub type KeeperFactory = Arc<dyn Fn(&Path) -> Result<Box<dyn Keeper>, KeeperError> + Send + Sync>;
/// What a document begins with, by its path.
pub type OptionsFor = Arc<dyn Fn(&str) -> Options + Send + Sync>;

/// The documents of one root. Clones are the same hub.
#[derive(Clone)]
pub struct Hub {
    root: Arc<Root>,
    keepers: KeeperFactory,
    options: OptionsFor,
    events: broadcast::Sender<DocumentChanged>,
    open: Arc<Mutex<Open>>,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hub").field("root", &self.root.path).finish_non_exhaustive()
    }
}

struct Root {
    folder: File,
    path: PathBuf,
}

/// An owner that can begin, or why it cannot.
type Prepared = Result<(DocumentHandle, DocumentActor), KeeperError>;

/// What is open. Locked for a moment only, never across an await.
#[derive(Default)]
struct Open {
    documents: HashMap<String, Arc<OnceCell<DocumentHandle>>>,
    tasks: JoinSet<()>,
    is_closed: bool,
}

impl Hub {
    /// Opens a root. Blocks for a moment.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if there is no such folder.
    pub fn open_root(root: &Path, keepers: KeeperFactory, options: OptionsFor) -> io::Result<Self> {
        let path = root.canonicalize()?;
        let folder = path::open_folder(&path)?;
        if !folder.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let events = broadcast::Sender::new(match (options)("").waits {
            Waits::Aside => EVENTS_MAX,
            Waits::Here => EVENTS_FEW,
        });
        Ok(Self { root: Arc::new(Root { folder, path }), keepers, options, events, open: Arc::default() })
    }

    /// The root, with links followed.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// The owner of the document at a path relative to the root.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the path is none, leads out of the root, or is no document.
    pub async fn document(&self, path: &str) -> Result<DocumentHandle, Refusal> {
        let path = path::checked(path)?;
        if let Some(handle) = self.opened(&path) {
            return Ok(handle);
        }
        let root = Arc::clone(&self.root);
        // Two names of one file must lead to one owner.
        let waits = self.waits(&path);
        let path = blocking(waits, move || path::resolved(&root.folder, &root.path, &path)).await?;
        let path = path::checked(&path)?;
        let cell = self.cell(&path)?;
        let handle = cell.get_or_try_init(|| self.open_document(path.clone())).await.cloned();
        if handle.is_err() {
            let mut open = self.lock();
            if open.documents.get(&path).is_some_and(|known| Arc::ptr_eq(known, &cell)) && !cell.initialized()
            {
                open.documents.remove(&path);
            }
        }
        handle
    }

    /// Has a command done by the owner of the document that it names.
    pub async fn execute(&self, mut request: Request) -> Reply {
        let refused = |refusal: Refusal| Reply { revision: 0, duplicate: false, result: refusal.into() };
        let named = match &request.command {
            FileCommand::CreateRunDocument { run_id, objective } => {
                let (run_id, objective) = (run_id.clone(), objective.clone());
                return self.create_run(&run_id, objective, &request.actor).await.unwrap_or_else(refused);
            }
            command => command.path().unwrap_or_default().to_owned(),
        };
        let path = match path::checked(&named) {
            Ok(path) => path,
            Err(refusal) => return refused(refusal),
        };
        match self.document(&path).await {
            Ok(handle) => {
                set_path(&mut request.command, handle.path().to_owned());
                let whole = matches!(request.command, FileCommand::Write { .. }).then(|| request.clone());
                let reply = handle.execute(request).await;
                match (whole, gone(&reply)) {
                    // Whoever writes the whole of a document whose file was deleted puts it back, and its owner goes on with it.
                    (Some(whole), Some(refusal)) => {
                        let path = handle.path().to_owned();
                        let made = self.create_by_write(path, whole, refusal).await;
                        handle.file_changed();
                        made.unwrap_or_else(refused)
                    }
                    (_, _) => reply,
                }
            }
            Err(refusal) if refusal.kind == FileErrorKind::NotFound => {
                self.create_by_write(path, request, refusal).await.unwrap_or_else(refused)
            }
            Err(refusal) => refused(refusal),
        }
    }

    /// Listens to what happens to all documents.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(self.events.subscribe(), None)
    }

    /// The paths of the documents that are open.
    #[must_use]
    pub fn documents(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.lock().documents.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// A file of the root may have changed. Does nothing if it is not open.
    pub fn file_changed(&self, path: &Path) {
        let relative = path.strip_prefix(&self.root.path).unwrap_or(path).to_str().map(str::to_owned);
        let cell = relative.and_then(|path| self.lock().documents.get(&path).cloned());
        if let Some(handle) = cell.as_ref().and_then(|cell| cell.get()) {
            handle.file_changed();
        }
    }

    /// Any file may have changed.
    pub fn rescan(&self) {
        let cells: Vec<_> = self.lock().documents.values().cloned().collect();
        for handle in cells.iter().filter_map(|cell| cell.get()) {
            handle.file_changed();
        }
    }

    /// Closes a document that nobody else holds; whoever asks for it opens it again.
    pub async fn let_go(&self, path: &str) {
        let unused = {
            let mut open = self.lock();
            let is_unused = |cell: &Arc<OnceCell<DocumentHandle>>| {
                Arc::strong_count(cell) == 1 && cell.get().is_some_and(DocumentHandle::is_the_last)
            };
            if open.documents.get(path).is_some_and(is_unused) { open.documents.remove(path) } else { None }
        };
        if let Some(handle) = unused.as_ref().and_then(|cell| cell.get()) {
            handle.stop().await;
            handle.ended().await;
        }
    }

    /// Takes no more commands, has everything written, and waits for that.
    pub async fn shutdown(&self) {
        let (documents, mut tasks) = {
            let mut open = self.lock();
            open.is_closed = true;
            (std::mem::take(&mut open.documents), std::mem::take(&mut open.tasks))
        };
        for handle in documents.values().filter_map(|cell| cell.get()) {
            handle.stop().await;
        }
        while tasks.join_next().await.is_some() {}
    }

    /// The owner of a document that is open.
    fn opened(&self, path: &str) -> Option<DocumentHandle> {
        let cell = self.lock().documents.get(path).cloned()?;
        cell.get().filter(|handle| !handle.is_closed()).cloned()
    }

    /// The place of a document in the list; a new one if its owner has ended.
    fn cell(&self, path: &str) -> Result<Arc<OnceCell<DocumentHandle>>, Refusal> {
        let mut open = self.lock();
        if open.is_closed {
            return Err(Refusal::new(FileErrorKind::IoError, format!("{path}: the program is closing")));
        }
        let is_dead =
            |cell: &Arc<OnceCell<DocumentHandle>>| cell.get().is_some_and(DocumentHandle::is_closed);
        if open.documents.len() >= DOCUMENTS_MAX {
            open.documents.retain(|_, cell| !is_dead(cell));
        }
        if open.documents.get(path).is_some_and(is_dead) {
            open.documents.remove(path);
        }
        if open.documents.len() >= DOCUMENTS_MAX && !open.documents.contains_key(path) {
            let message = format!("{path}: {DOCUMENTS_MAX} documents are open already; close some");
            return Err(Refusal::new(FileErrorKind::IoError, message));
        }
        Ok(Arc::clone(open.documents.entry(path.to_owned()).or_default()))
    }

    async fn open_document(&self, path: String) -> Result<DocumentHandle, Refusal> {
        let mut prepared = self.prepare_owner(path.clone()).await?;
        if matches!(prepared, Err(KeeperError::Owned)) {
            // A document that was moved here may have its history in the hands of the owner of its old name.
            self.let_go_of_moved().await;
            prepared = self.prepare_owner(path.clone()).await?;
        }
        let (handle, actor) = prepared.map_err(|error| unread(&path, &error))?;
        let mut open = self.lock();
        // Those that ended are let go, so that the set does not grow for ever.
        while open.tasks.try_join_next().is_some() {}
        open.tasks.spawn(actor.run());
        Ok(handle)
    }

    /// Opens the files of a document.
    async fn prepare_owner(&self, path: String) -> Result<Prepared, Refusal> {
        let (hub, waits) = (self.clone(), self.waits(&path));
        let work = move || {
            let keeper = (hub.keepers)(&hub.root.path.join(&path));
            Ok(keeper.and_then(|keeper| {
                DocumentActor::open_with(&path, keeper, (hub.options)(&path), hub.events.clone())
            }))
        };
        blocking(waits, work).await
    }

    fn waits(&self, path: &str) -> Waits {
        (self.options)(path).waits
    }

    /// Ends the owners whose files have gone from their names. What they had to write is noted.
    async fn let_go_of_moved(&self) {
        let is_gone = |path: &str| matches!(self.root.path.join(path).try_exists(), Ok(false));
        let cells: Vec<_> = {
            let mut open = self.lock();
            let gone: Vec<String> = open.documents.keys().filter(|path| is_gone(path)).cloned().collect();
            gone.iter().filter_map(|path| open.documents.remove(path)).collect()
        };
        for handle in cells.iter().filter_map(|cell| cell.get()) {
            handle.stop().await;
            handle.ended().await;
        }
    }

    async fn create_run(&self, run_id: &str, objective: String, actor: &Actor) -> Result<Reply, Refusal> {
        path::check_run_id(run_id)?;
        let path = format!("runs/{run_id}/draft.md");
        self.create(path, create::run_document(&objective).into(), actor.author()).await
    }

    /// Writing the whole of a document that is not there makes it.
    async fn create_by_write(
        &self,
        path: String,
        request: Request,
        missing: Refusal,
    ) -> Result<Reply, Refusal> {
        match (request.command, &request.actor) {
            (FileCommand::Write { content, .. }, Actor::User(_) | Actor::System)
                if request.base.is_none_or(|base| base == 0) =>
            {
                let bytes = content.len();
                let reply = self.create(path, content, request.actor.author()).await?;
                Ok(Reply { result: FileResult::Written { bytes }, ..reply })
            }
            (_, _) => Err(missing),
        }
    }

    async fn create(&self, path: String, text: SharedText, author: Author) -> Result<Reply, Refusal> {
        document::text::check(&text)
            .map_err(|error| Refusal::new(FileErrorKind::InvalidContent, format!("{path}: {error}")))?;
        let (root, waits) = (Arc::clone(&self.root), self.waits(&path));
        let path = blocking(waits, move || {
            let made = create::create_beneath(&root.folder, &root.path, &path, &text);
            made.map_err(|error| path::refused(&path, &error)).map(|()| path)
        });
        let path = path.await?;
        let revision = self.document(&path).await?.read().revision;
        let kind = ChangeKind::Created;
        let event = DocumentChanged {
            path: path.as_str().into(),
            revision,
            base: revision,
            author,
            section: None,
            kind,
        };
        // Nobody may be listening.
        drop(self.events.send(event));
        Ok(Reply { revision, duplicate: false, result: FileResult::Created { path } })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The refusal of an owner whose file is gone.
fn gone(reply: &Reply) -> Option<Refusal> {
    match &reply.result {
        FileResult::Error { message, kind } => {
            (*kind == FileErrorKind::NotFound).then(|| Refusal::new(kind.clone(), message.clone()))
        }
        FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Written { .. }
        | FileResult::Created { .. } => None,
    }
}

fn set_path(command: &mut FileCommand, plain: String) {
    match command {
        FileCommand::Read { path }
        | FileCommand::Write { path, .. }
        | FileCommand::ReadSection { path, .. }
        | FileCommand::WriteSection { path, .. }
        | FileCommand::AppendSection { path, .. }
        | FileCommand::EditSection { path, .. } => *path = plain,
        FileCommand::CreateRunDocument { .. } => {}
    }
}

fn unread(path: &str, error: &KeeperError) -> Refusal {
    Refusal::new(kind_of(error), format!("{path}: {}; nothing was changed", cause(error)))
}

/// Does work that may block where it may.
async fn blocking<T: Send + 'static>(
    waits: Waits,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let broken = |_| Refusal::new(FileErrorKind::IoError, "the disk could not be asked; try again");
    waits.during(work).await.map_err(broken)?
}
