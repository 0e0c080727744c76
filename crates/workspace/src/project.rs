//! One project on the real disk: its hub, with a stored file and a journal for each document. Never opens anything before it is
//! asked for, and never writes outside of the project and its `.agent-doc` folder.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use document::Revision;
use document::frontmatter::{Frontmatter, Session};
use document::merge::merge;

use crate::hub::{Hub, KeeperFactory};
use crate::journal::Journal;
use crate::keeper::{Displaced, Entry, Keeper, KeeperError};
use crate::lock::{LockError, OwnerLock};
use crate::owner::Options;
use crate::sidecar::{Sidecar, SidecarError};
use crate::store::{self, Opened, StoredFile, united};

/// How long to wait for another process that has a document open. One command of a person is done long before.
const OWNER_PATIENCE: Duration = Duration::from_secs(10);

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
    let shelf = Arc::new(Shelf {
        sidecar: Sidecar::open(&root)?,
        root: root.clone(),
        options: options.clone(),
        revisions: Mutex::default(),
    });
    let keepers: KeeperFactory = {
        let shelf = Arc::clone(&shelf);
        Arc::new(move |path| shelf.open(path).map(|kept| Box::new(kept) as Box<dyn Keeper>))
    };
    let begin = move |path: &str| Options { first_revision: shelf.revision_of(path), ..options.clone() };
    Hub::open_root(&root, keepers, Arc::new(begin)).map_err(ProjectError::Root)
}

/// Opens files with their journals, and remembers at which revision each begins.
struct Shelf {
    sidecar: Sidecar,
    root: PathBuf,
    options: Options,
    revisions: Mutex<HashMap<PathBuf, Revision>>,
}

impl Shelf {
    fn open(&self, path: &Path) -> Result<Kept, KeeperError> {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let lock = self.lock(relative)?;
        let limits = store::Options { root: Some(self.root.clone()), ..store::Options::default() };
        let Opened { mut file, text, leftovers } = StoredFile::open(path, limits)?;
        let text = with_leftovers(&mut file, text, &leftovers)?;
        let mut journal = self.journal(relative, &text)?;
        let begin = journal.history().latest_revision();
        self.revisions.lock().unwrap_or_else(PoisonError::into_inner).insert(relative.to_owned(), begin);
        let note = move |entry: &Entry| journal.append(entry.clone()).map_err(io::Error::other);
        Ok(Kept { file: file.with_journal(Box::new(note)), first: Some(text), _lock: lock })
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

    /// The document's journal, which knows its text as it is now.
    fn journal(&self, relative: &Path, text: &str) -> Result<Journal, KeeperError> {
        let session = match Frontmatter::parse(text).settings.session {
            Session::Id(id) => Some(id),
            Session::Absent | Session::Empty => None,
        };
        let paths = self.sidecar.paths_for(relative, session.as_deref()).map_err(io::Error::other)?;
        let (person, now) = (&self.options.person, (self.options.clock)());
        let opened = Journal::open_or_begin(&paths.journal, text, person, now);
        let (mut journal, _) = opened.map_err(io::Error::other)?;
        journal.catch_up(text, person, now).map_err(io::Error::other)?;
        Ok(journal)
    }

    fn revision_of(&self, path: &str) -> Revision {
        let revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        revisions.get(Path::new(path)).copied().unwrap_or_default()
    }
}

/// A text that a dead process left beside the file may be somebody's save: its lines are added, and nothing is taken away.
fn with_leftovers(
    file: &mut StoredFile,
    mut text: String,
    leftovers: &[String],
) -> Result<String, KeeperError> {
    for leftover in leftovers {
        let whole = united(&text, leftover);
        if whole == text {
            continue;
        }
        text = match file.write(&text, &whole)? {
            Displaced::AsExpected => whole,
            // Somebody saves just now. Both stay; what is still missing comes with the next leftover or the next start.
            Displaced::Save(saved) => {
                let merged = merge(&text, &whole, &saved).text;
                file.write(&whole, &merged)?;
                merged
            }
        };
    }
    file.leftovers_absorbed()?;
    Ok(text)
}

/// A stored file that first tells what it held when it was opened.
struct Kept {
    file: StoredFile,
    first: Option<String>,
    /// The last to go.
    _lock: OwnerLock,
}

impl Keeper for Kept {
    fn read(&mut self) -> Result<Option<String>, KeeperError> {
        match self.first.take() {
            Some(text) => Ok(Some(text)),
            None => self.file.read(),
        }
    }

    fn write(&mut self, expected: &str, text: &str) -> Result<Displaced, KeeperError> {
        self.file.write(expected, text)
    }

    fn note(&mut self, entry: &Entry) -> Result<(), KeeperError> {
        self.file.note(entry)
    }
}
