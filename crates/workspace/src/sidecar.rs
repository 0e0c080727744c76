//! The folder `.agent-doc` of a project: which of its files belong to which document, and in which format they are. Never
//! touches a folder that a newer program wrote, and never gives one document the files of another.

mod index;
mod version;

use std::io;
use std::path::{Component, Path, PathBuf};

pub use version::FORMAT;

use crate::checksum::hex128;
use crate::private;
use index::Index;

/// The folder's name, in the root of a project.
pub const FOLDER: &str = ".agent-doc";

const JOURNALS: &str = "journal";
const SNAPSHOTS: &str = "snapshots";
const STATES: &str = "crdt";
const PENDING: &str = "pending";
const COMMENTS: &str = "comments";
const LOCKS: &str = "locks";
const SESSIONS: &str = "sessions";

/// What no repository should hold. The folder may hold settings of the project beside it, which one may.
const IGNORED: &str = "# Written by agent-doc: history and state of this machine.\n\
    /journal/\n/snapshots/\n/crdt/\n/pending/\n/locks/\n/sessions/\n/runs/\n/logs/\n/tmp/\n/artifacts/\n/checkpoints/\n/comments/\n/backup-*/\n/index.json*\n/daemon.*\n/watch.json\n/version\n/.gitignore\n";

/// The folder of one project, there and in our format.
#[derive(Debug, Clone)]
pub struct Sidecar {
    root: PathBuf,
    folder: PathBuf,
}

/// Where the files of one document are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPaths {
    /// The journal.
    pub journal: PathBuf,
    /// What the agent produced on the agreed base.
    pub snapshot: PathBuf,
    /// The encoded document.
    pub crdt: PathBuf,
    /// Responses that are not in the document yet.
    pub pending_dir: PathBuf,
    /// What people say about its passages.
    pub comments: PathBuf,
    /// One turn at a time.
    pub lock: PathBuf,
}

/// Why the sidecar cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// A later program wrote the folder. It was not touched.
    #[error("{} was written by a newer agent-doc (format {found}, this one knows {FORMAT}); update agent-doc", folder.display())]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The folder has a version that nobody writes.
    #[error("{} holds no format number; restore it, or move the folder away to begin anew", path.display())]
    UnknownVersion {
        /// The file that should hold it.
        path: PathBuf,
    },
    /// The document is outside of the project.
    #[error("{} is not a path inside of the project; name a file below its root", path.display())]
    Outside {
        /// What was given.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{} cannot be read or written; look who owns it and whether the disk is full", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl Sidecar {
    /// Opens the folder of the project, makes it if it is not there, and brings an older one up to date.
    pub fn open(root: &Path) -> Result<Sidecar, SidecarError> {
        let folder = root.join(FOLDER);
        make(&folder)?;
        version::settle(&folder, FORMAT, version::STEPS)?;
        for name in [JOURNALS, SNAPSHOTS, STATES, PENDING, LOCKS] {
            make(&folder.join(name))?;
        }
        let ignored = folder.join(".gitignore");
        if !ignored.exists() {
            private::replace(&ignored, IGNORED.as_bytes()).map_err(|source| failed(&ignored, source))?;
        }
        Ok(Sidecar { root: root.to_owned(), folder })
    }

    /// Opens the folder if the project has one already.
    pub fn find(root: &Path) -> Result<Option<Sidecar>, SidecarError> {
        match root.join(FOLDER).join("version").symlink_metadata() {
            Ok(_) => Sidecar::open(root).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The root of the project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The state folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder in it by this name, for its owner alone; made if it is not there.
    pub fn private_folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(name);
        private::create_folder(&path)?;
        Ok(path)
    }

    /// Where conversations are kept.
    pub fn sessions(&self) -> PathBuf {
        self.folder.join(SESSIONS)
    }

    /// The files of a document, by its path from the root. If it names a session, they follow it when it is renamed.
    pub fn paths_for(&self, relative: &Path, session: Option<&str>) -> Result<DocumentPaths, SidecarError> {
        self.with_index(relative, |index, name| {
            index.key_for(name, session, |name| self.root.join(name).symlink_metadata().is_ok())
        })
    }

    /// The files of a document that names no session. They follow it when it is renamed: it has those of a document that is gone, if
    /// `are_its` says so of them.
    pub fn paths_by_files(
        &self,
        relative: &Path,
        are_its: impl Fn(&DocumentPaths) -> bool,
    ) -> Result<DocumentPaths, SidecarError> {
        self.with_index(relative, |index, name| {
            let is_there = |name: &str| self.root.join(name).symlink_metadata().is_ok();
            index.key_by_files(name, is_there, |key| are_its(&self.files(key)))
        })
    }

    /// The files by the name that the index gives; no other process reads or writes it meanwhile.
    fn with_index(
        &self,
        relative: &Path,
        key: impl FnOnce(&mut Index, &str) -> String,
    ) -> Result<DocumentPaths, SidecarError> {
        let name = name_of(relative).ok_or_else(|| SidecarError::Outside { path: relative.to_owned() })?;
        let lock = self.folder.join(LOCKS).join("index.lock");
        let held = private::open(&lock).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        let held = held.map_err(|source| failed(&lock, source))?;
        let path = self.folder.join("index.json");
        let mut index = Index::read(&path).map_err(|source| failed(&path, source))?;
        let key = key(&mut index, &name);
        index.write(&path).map_err(|source| failed(&path, source))?;
        drop(held);
        Ok(self.files(&key))
    }

    /// Locked by the process that has the document open, by its path from the root.
    pub fn owner_lock(&self, relative: &Path) -> Result<PathBuf, SidecarError> {
        let name = name_of(relative).ok_or_else(|| SidecarError::Outside { path: relative.to_owned() })?;
        Ok(self.folder.join(LOCKS).join(format!("{}.owner", hex128(name.as_bytes()))))
    }

    /// Locked by the process that serves the project to others.
    pub fn daemon_lock(&self) -> PathBuf {
        self.folder.join(LOCKS).join("daemon.lock")
    }

    fn files(&self, key: &str) -> DocumentPaths {
        DocumentPaths {
            journal: self.folder.join(JOURNALS).join(key),
            snapshot: self.folder.join(SNAPSHOTS).join(format!("{key}.md")),
            crdt: self.folder.join(STATES).join(format!("{key}.state")),
            pending_dir: self.folder.join(PENDING).join(key),
            comments: self.folder.join(COMMENTS).join(format!("{key}.json")),
            lock: self.folder.join(LOCKS).join(format!("{key}.lock")),
        }
    }
}

/// The root of the project that a file belongs to: the nearest folder above it with `.agent-doc` or `.git`, else its own. A folder
/// above that anybody may write in, such as the one for temporary files, is nobody's project: a stranger could have put those
/// there.
pub fn root_of(file: &Path) -> &Path {
    let folder = file.parent().unwrap_or(file);
    let is_root = |above: &&Path| {
        let has_state = above.join(FOLDER).is_dir() || above.join(".git").exists();
        has_state && (*above == folder || !is_for_anybody(above))
    };
    folder.ancestors().find(is_root).unwrap_or(folder)
}

#[cfg(unix)]
fn is_for_anybody(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().is_ok_and(|metadata| metadata.mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn is_for_anybody(_folder: &Path) -> bool {
    false
}

/// The path with `/` between its parts, on every system; nothing if it leads out of the root.
fn name_of(relative: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(part) => parts.push(escaped(part)),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// A name as text. One that is no text keeps its bytes apart from those of every other.
fn escaped(part: &std::ffi::OsStr) -> String {
    match part.to_str() {
        Some(text) => text.to_owned(),
        None => part.as_encoded_bytes().iter().map(|byte| format!("\\x{byte:02x}")).collect(),
    }
}

fn make(folder: &Path) -> Result<(), SidecarError> {
    private::create_folder(folder).map_err(|source| failed(folder, source))
}

pub(crate) fn failed(path: &Path, source: io::Error) -> SidecarError {
    SidecarError::Io { path: path.to_owned(), source }
}
