//! Why the journal did not do what was asked, with the file and the way out. Never hides what the system said.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use document::Revision;

use crate::keeper::KeeperError;

/// Why the journal did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The document has no journal yet.
    #[error("{} is not there; the document has no history yet", path.display())]
    Absent {
        /// Where it would be.
        path: PathBuf,
    },
    /// Another process has it open.
    #[error("another agent-doc writes {}; end that one, or wait for it", path.display())]
    Busy {
        /// The journal.
        path: PathBuf,
    },
    /// A later program wrote it. It was not touched.
    #[error("{} was written by a newer agent-doc; update this one", path.display())]
    Newer {
        /// The journal.
        path: PathBuf,
    },
    /// Not even its beginning can be read. It was moved away, and a new journal can begin.
    #[error("{} is damaged from its beginning; it is kept as {}", path.display(), kept.display())]
    Unreadable {
        /// Where it was.
        path: PathBuf,
        /// Where it is.
        kept: PathBuf,
        /// No revision up to this one may be given again.
        floor: Revision,
    },
    /// An operation came with a revision that is not later than the last one.
    #[error("revision {revision} does not follow {last}")]
    OutOfOrder {
        /// What came.
        revision: Revision,
        /// What is written.
        last: Revision,
    },
    /// An operation's edits do not fit the text.
    #[error("the edits of revision {revision} do not fit the text before it")]
    DoesNotFit {
        /// The operation's revision.
        revision: Revision,
    },
    /// The system said no.
    #[error("{} cannot be read or written; look whether the disk is full, and who owns the file", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

pub(super) fn failed(path: &Path, source: io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), source }
}

pub(super) fn too_long(path: &Path) -> JournalError {
    failed(path, io::Error::new(ErrorKind::FileTooLarge, "the operation is too long"))
}

pub(super) fn misfit(path: &Path) -> JournalError {
    failed(path, io::Error::new(ErrorKind::InvalidInput, "the authors do not cover the text"))
}

impl From<JournalError> for KeeperError {
    /// The same in words that name no place on the machine.
    fn from(error: JournalError) -> KeeperError {
        match error {
            JournalError::Busy { .. } => KeeperError::Owned,
            JournalError::Newer { .. } => {
                let reason = "its history was written by a newer agent-doc; update this one";
                KeeperError::Refused { reason: reason.to_owned() }
            }
            JournalError::Io { source, .. } => KeeperError::Io(source),
            JournalError::Absent { .. }
            | JournalError::Unreadable { .. }
            | JournalError::OutOfOrder { .. }
            | JournalError::DoesNotFit { .. } => KeeperError::Io(io::Error::other(error)),
        }
    }
}
