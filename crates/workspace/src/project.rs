//! One project on the real disk: its hub, with a stored file and a journal for each document. Never opens anything before it is
//! asked for, and never writes outside of the project and its `.agent-doc` folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use document::frontmatter::{Frontmatter, Session};
use document::{Author, Document, Revision};

use crate::SharedText;
use crate::hub::{Hub, KeeperFactory};
use crate::journal::{History, Journal, JournalError, Keep};
use crate::keeper::{Beginning, Displaced, Entry, Found, Keeper, KeeperError};
use crate::lock::{LockError, OwnerLock};
use crate::owner::{Clock, Options};
use crate::sidecar::{Sidecar, SidecarError};
use crate::store::{self, Opened, StoredFile, united};

/// How long to wait for another process that has a document open. One command of a person is done long before.
const OWNER_PATIENCE: Duration = Duration::from_secs(10);
/// For how long an editor is taken to hold a version that is no longer in the file, if it saves when nobody runs. Soon after a
/// write it may not have noticed; later, it has loaded the file again or warned its person, and what is missing was deleted.
const EDITORS_HOLD_MILLISECONDS: u64 = 10 * 1000;
/// After how many operations the journal is looked through for what need not be kept.
const PRUNE_AFTER: usize = 256;

/// Why a project could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Its state folder cannot be used.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// Its root is no folder that can be read.
    #[error("the root cannot be opened")]
    Root(#[source] io::Error),
}

/// Opens the hub of a project: every document is kept by the store, with a journal in the project's state folder.
///
/// # Errors
///
/// [`ProjectError`] if the root or its state folder cannot be used.
pub fn open(root: &Path, options: Options) -> Result<Hub, ProjectError> {
    let root = root.canonicalize().map_err(ProjectError::Root)?;
    let shelf = Shelf { sidecar: Sidecar::open(&root)?, root: root.clone(), options: options.clone() };
    let keepers: KeeperFactory =
        Arc::new(move |path| shelf.open(path).map(|kept| Box::new(kept) as Box<dyn Keeper>));
    Hub::open_root(&root, keepers, Arc::new(move |_| options.clone())).map_err(ProjectError::Root)
}

/// Opens files with their journals.
struct Shelf {
    sidecar: Sidecar,
    root: PathBuf,
    options: Options,
}

impl Shelf {
    fn open(&self, path: &Path) -> Result<Kept, KeeperError> {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let lock = self.lock(relative)?;
        let limits = store::Options {
            root: Some(self.root.clone()),
            limit: self.options.document_max as u64,
            ..store::Options::default()
        };
        let opened = StoredFile::open(path, limits)?;
        let mut journal = self.journal(relative, &opened.text)?;
        let clock = Arc::clone(&self.options.clock);
        // A journal that cannot be made shorter now is as good as before.
        drop(journal.prune(clock(), &Keep::default()));
        let since = saved_at(path).map_or(clock(), |saved| saved.min(clock()));
        let since = since.saturating_sub(EDITORS_HOLD_MILLISECONDS);
        let document = journal.document(since)?;
        let beginning = beginning(document, journal.history(), &opened);
        Ok(Kept {
            file: opened.file,
            journal,
            clock,
            beginning: Some(beginning),
            settled: None,
            unpruned: 0,
            _lock: lock,
        })
    }

    /// The right to have the document open, which one process at a time has.
    fn lock(&self, relative: &Path) -> Result<OwnerLock, KeeperError> {
        let path = self.sidecar.owner_lock(relative).map_err(io::Error::other)?;
        OwnerLock::wait(&path, "agent-doc", OWNER_PATIENCE).map_err(|error| match error {
            LockError::Held(held) => {
                let who = if held.pid == 0 {
                    "another process".to_owned()
                } else {
                    format!("process {}", held.pid)
                };
                KeeperError::Refused {
                    reason: format!("{who} has the document open; end it, or wait for it"),
                }
            }
            error @ LockError::Io { .. } => KeeperError::Io(io::Error::other(error)),
        })
    }

    /// The document's journal. Where there is none, it begins with the text as it is now.
    fn journal(&self, relative: &Path, text: &str) -> Result<Journal, KeeperError> {
        let session = session_of(text);
        let paths = self.sidecar.paths_for(relative, session.as_deref()).map_err(io::Error::other)?;
        let (person, now) = (&self.options.person, (self.options.clock)());
        Ok(Journal::open_or_begin(&paths.journal, text, person, now)?.0)
    }
}

/// When the file was last saved, in milliseconds since 1970.
fn saved_at(path: &Path) -> Option<u64> {
    let modified = path.metadata().and_then(|metadata| metadata.modified()).ok()?;
    let passed = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(passed.as_millis()).ok()
}

/// What the history and the files on the disk come to.
fn beginning(document: Document, history: &History, opened: &Opened) -> Beginning {
    let is_ours = history.explains(&opened.text);
    let is_torn = opened.is_torn && !is_ours;
    let mut displaced = Vec::new();
    if is_torn {
        // What is missing was cut off and not deleted.
        displaced.push(united(document.text(), &opened.text));
    }
    for leftover in opened.leftovers.iter().filter(|leftover| !history.has_taken_in(leftover)) {
        // Without operations nothing is known of the time when it was made, so what it lacks says nothing.
        let is_known = !history.entries().is_empty() && !is_torn;
        displaced.push(if is_known { leftover.clone() } else { united(document.text(), leftover) });
    }
    let found = if is_ours || is_torn {
        Found::Ours
    } else if displaced.is_empty() && history.had(&opened.text) {
        Found::PutBack
    } else {
        Found::Saved
    };
    Beginning {
        document,
        revision: history.last_revision(),
        written: if *opened.text == *history.latest_text() {
            history.latest_revision()
        } else {
            history.written()
        },
        requests: history.done(),
        displaced,
        in_file: opened.text.clone(),
        found,
    }
}

/// A stored file with its journal.
struct Kept {
    file: StoredFile,
    journal: Journal,
    clock: Clock,
    beginning: Option<Beginning>,
    /// The last revision of which the journal knows that it is in the file.
    settled: Option<Revision>,
    /// Operations since the journal was last looked through for what need not be kept.
    unpruned: usize,
    /// The last to go.
    _lock: OwnerLock,
}

impl Keeper for Kept {
    fn begin(&mut self, person: &Author) -> Result<Beginning, KeeperError> {
        match self.beginning.take() {
            Some(beginning) => Ok(beginning),
            None => Ok(Beginning::new(self.file.read()?.unwrap_or_default(), person)),
        }
    }

    fn read(&mut self) -> Result<Option<SharedText>, KeeperError> {
        self.file.read()
    }

    fn glance(&mut self) -> Result<Option<SharedText>, KeeperError> {
        self.file.glance()
    }

    fn is_as_we_left_it(&self) -> bool {
        self.file.is_as_we_left_it()
    }

    fn write(&mut self, expected: &SharedText, text: &SharedText) -> Result<Displaced, KeeperError> {
        self.file.write(expected, text)
    }

    fn note(&mut self, entries: &[Entry], text: &SharedText) -> Result<(), KeeperError> {
        self.unpruned += entries.len();
        match self.journal.append_all_to(entries.to_vec(), text.held()) {
            Err(JournalError::Io { source, .. }) if store::is_full(&source) && self.file.make_room() => {
                Ok(self.journal.append_all_to(entries.to_vec(), text.held())?)
            }
            noted => Ok(noted?),
        }
    }

    /// The disk takes both at once. Nobody but us sees the new file before the journal has the entries.
    fn note_and_write(
        &mut self,
        entries: &[Entry],
        expected: &SharedText,
        text: &SharedText,
    ) -> Result<Result<Displaced, KeeperError>, KeeperError> {
        let (file, journal) = (&mut self.file, &mut self.journal);
        let (prepared, noted) = std::thread::scope(|scope| {
            let noted = std::thread::Builder::new()
                .name("journal".to_owned())
                .spawn_scoped(scope, || journal.append_all_to(entries.to_vec(), text.held()));
            let prepared = file.prepare(expected, text);
            (prepared, noted.map(|noted| noted.join()))
        });
        match noted {
            Ok(Ok(Ok(()))) => self.unpruned += entries.len(),
            // It is tried again in the usual way, which makes room where none is.
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => {
                if let Ok(prepared) = prepared {
                    self.file.abandon(prepared);
                }
                self.note(entries, text)?;
                return Ok(self.write(expected, text));
            }
        }
        Ok(prepared.and_then(|prepared| self.file.put_in(prepared, expected, text)))
    }

    fn settled(&mut self, revision: Revision) {
        if self.settled != Some(revision) {
            self.settled = Some(revision);
            // Without the mark we are only more careful.
            drop(self.journal.settle(revision));
        }
    }

    fn rest(&mut self) {
        self.file.rest();
    }

    fn tend(&mut self) -> Option<Duration> {
        // What lay beside the file when it was opened is noted by now, or was nothing new. One that stays is compared next time.
        drop(self.file.leftovers_absorbed());
        if self.unpruned >= PRUNE_AFTER {
            self.unpruned = 0;
            drop(self.journal.prune((self.clock)(), &Keep::default()));
        }
        self.file.tend()
    }
}

/// The session that a document names, by which its files follow it when it is renamed.
pub(crate) fn session_of(text: &str) -> Option<String> {
    match Frontmatter::parse(text).settings.session {
        Session::Id(id) => Some(id),
        Session::Absent | Session::Empty => None,
    }
}
