//! What the owner of a document needs of the disk, so that it can be the real one or a simulated one. Never waits for a model,
//! and is never called from two tasks at once.

use std::io;
use std::time::Duration;

use document::{Author, Document, Edit, Revision};

use crate::SharedText;

/// The disk as the owner of one document sees it. Synchronous; an owner calls it from a thread that may block.
pub trait Keeper: Send + 'static {
    /// What the owner goes on with. Without a memory that is what the file holds, all of it the person's.
    fn begin(&mut self, person: &Author) -> Result<Beginning, KeeperError> {
        let text = self.read()?.unwrap_or_default();
        Ok(Beginning::new(text, person))
    }

    /// What the file holds, if it is not what was last read or written here. Never half a save: an editor in the middle of
    /// its work is waited for.
    fn read(&mut self) -> Result<Option<SharedText>, KeeperError>;

    /// The same, for a caller who is about to write, or who asks again soon: a file that looks as it did need not be read. A save that
    /// it misses so, with the length and the time of the one before, is what the write gives back, or what a read tells later.
    fn glance(&mut self) -> Result<Option<SharedText>, KeeperError> {
        self.read()
    }

    /// Whether the file looks just as our last write left it, so that news of a change are most likely of that write.
    fn is_as_we_left_it(&self) -> bool {
        false
    }

    /// Replaces the file's text, which is expected to be `expected`, by `text`, so that a crash leaves one or the other whole.
    /// If something else stood there, it was a save that raced us: it is given back, to be absorbed and written again.
    fn write(&mut self, expected: &SharedText, text: &SharedText) -> Result<Displaced, KeeperError>;

    /// Notes operations that led to `text` so that they survive a crash, all of them or none, with one wait for the disk. Only then
    /// may they be acknowledged.
    fn note(&mut self, entries: &[Entry], text: &SharedText) -> Result<(), KeeperError>;

    /// Notes operations and then writes, as the two by themselves do; the error of the first is the outer one. A disk that can do
    /// part of both at once may.
    fn note_and_write(
        &mut self,
        entries: &[Entry],
        expected: &SharedText,
        text: &SharedText,
    ) -> Result<Result<Displaced, KeeperError>, KeeperError> {
        self.note(entries, text)?;
        Ok(self.write(expected, text))
    }

    /// Hears that the file holds the text of this revision, for certain. Nothing depends on it but how well a save is understood that
    /// comes when nobody runs.
    fn settled(&mut self, _revision: Revision) {}

    /// Called when callers have their answers and nobody else waits: does what no caller needs.
    fn rest(&mut self) {}

    /// Called when all is noted and answered: looks after what lies on the disk. When it wants to be called again, if it
    /// does; by then a read may tell of something new.
    fn tend(&mut self) -> Option<Duration> {
        None
    }
}

/// What the owner of a document goes on with.
pub struct Beginning {
    /// The document as it was left, with the versions that editors may have loaded.
    pub document: Document,
    /// The revision of its text.
    pub revision: Revision,
    /// The latest revision whose text was in the file for certain.
    pub written: Revision,
    /// Requests with a name that were done before, oldest first.
    pub requests: Vec<Done>,
    /// Texts that came out of the file and that nobody has taken in, as far as is known.
    pub displaced: Vec<String>,
    /// What the file holds.
    pub in_file: SharedText,
    /// How the file came to hold it.
    pub found: Found,
}

impl Beginning {
    /// A document of which nothing is known but its text.
    #[must_use]
    pub fn new(text: SharedText, person: &Author) -> Beginning {
        Beginning {
            document: Document::open(&*text, person),
            revision: 0,
            written: 0,
            requests: Vec::new(),
            displaced: Vec::new(),
            in_file: text,
            found: Found::Ours,
        }
    }
}

/// How a file came to hold what it held when its document was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It is as we left it, perhaps without the last words that were noted; nobody saved since.
    Ours,
    /// Somebody saved it, with an editor that may have loaded any version.
    Saved,
    /// Somebody put an older version back while nobody ran.
    PutBack,
}

/// A request that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Who asked.
    pub author: Author,
    /// The name of the request.
    pub request: String,
    /// The revision that it made.
    pub revision: Revision,
    /// Bytes that it wrote, as far as is known.
    pub bytes: usize,
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
    pub edits: Vec<Edit>,
    /// What the file held, as far as that was known when this was noted.
    pub file: InFile,
}

/// What the file held when an operation was noted, so that after a restart it is known which texts editors may have loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InFile {
    /// The latest revision whose text was written to the file, or saved there.
    pub written: Option<Revision>,
    /// The latest revision whose text may have come there: the one who tried to write it may not have lived to see that.
    pub perhaps: Option<Revision>,
    /// The operation took in this save.
    pub save: Option<Save>,
}

/// A save that was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Save {
    /// What leads from the text after the operation to the one that was saved; nothing if they are the same.
    pub edits: Vec<Edit>,
    /// Our own text had already taken its place in the file.
    pub is_displaced: bool,
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
    /// Another owner has the document, in this process or in another one.
    #[error("another agent-doc has the document open; end that one, or wait for it")]
    Owned,
    /// Somebody has been writing the file for longer than we wait.
    #[error("another program keeps writing the file; nothing was changed")]
    Busy,
    /// The system said no.
    #[error("the system could not do it")]
    Io(#[from] io::Error),
}
