//! What the owner of a document needs of the disk, so that it can be the real one or a simulated one. Never waits for a model,
//! and is never called from two tasks at once.

use std::io;

use document::{Author, Revision};

/// The disk as the owner of one document sees it. Synchronous; an owner calls it from a thread that may block.
pub trait Keeper: Send + 'static {
    /// What the file holds, if it is not what was last read or written here. Never half a save: an editor in the middle of
    /// its work is waited for.
    fn read(&mut self) -> Result<Option<String>, KeeperError>;

    /// Replaces the file's text, which is expected to be `expected`, by `text`, so that a crash leaves one or the other whole.
    /// If something else stood there, it was a save that raced us: it is given back, to be absorbed and written again.
    fn write(&mut self, expected: &str, text: &str) -> Result<Displaced, KeeperError>;

    /// Notes an operation so that it survives a crash. Only then may it be acknowledged.
    fn note(&mut self, entry: &Entry) -> Result<(), KeeperError>;
}

/// What a write took away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Displaced {
    /// The text that was expected there.
    AsExpected,
    /// A text that nobody had read yet.
    Save(String),
}

/// One operation on a document, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The revision after it.
    pub revision: Revision,
    /// Who did it.
    pub author: Author,
    /// Milliseconds since 1970, as the caller's clock says.
    pub time: u64,
    /// The section it happened in, if it happened in one.
    pub section: Option<String>,
    /// The caller's own name for the operation, by which a repeated one is known.
    pub request: Option<String>,
    /// What changed: bytes of the text before, and what stands there now, in the order in which it was done.
    pub edits: Vec<document::Edit>,
}

/// Why the disk did not do what was asked. The document's text is still in memory, and nothing was acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// There is no such file any more.
    #[error("the document is gone; its text is kept for recovery")]
    Gone,
    /// The path is something that must not be written: a folder, a pipe, a device, a link out of the root, a read-only file.
    #[error("{reason}")]
    Refused {
        /// What it is, and what to do.
        reason: String,
    },
    /// The file is no text: not UTF-8, or with zero bytes.
    #[error(transparent)]
    NotText(#[from] document::text::InvalidText),
    /// The file is longer than documents may be.
    #[error("the document has {length} bytes; the limit is {limit}")]
    TooLarge {
        /// Its length.
        length: u64,
        /// The limit.
        limit: u64,
    },
    /// Somebody has been writing the file for longer than we wait.
    #[error("another program keeps writing the file; nothing was changed")]
    Busy,
    /// The system said no.
    #[error("the system could not do it")]
    Io(#[from] io::Error),
}
