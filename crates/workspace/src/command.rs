//! What may be asked of the owner of a document, and what it answers, here and over a socket. Never carries a path of the
//! machine: all paths are relative to the root, and messages name nothing else.

use std::fmt;

use document::{Author, Revision};
use serde::{Deserialize, Serialize};

use crate::SharedText;

/// One thing to do with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCommand {
    /// Read the whole document.
    Read {
        /// Relative to the root.
        path: String,
    },
    /// Write the whole document; makes it if there is none.
    Write {
        /// Relative to the root.
        path: String,
        /// The new text.
        content: SharedText,
    },
    /// Read the section of a title.
    ReadSection {
        /// Relative to the root.
        path: String,
        /// The title.
        section: String,
    },
    /// Replace what a section holds.
    WriteSection {
        /// Relative to the root.
        path: String,
        /// The title.
        section: String,
        /// The new content; the heading and a proposal marker stay.
        content: String,
    },
    /// Add a block at the end of a section.
    AppendSection {
        /// Relative to the root.
        path: String,
        /// The title.
        section: String,
        /// What is added.
        content: String,
    },
    /// Replace one passage of a section.
    EditSection {
        /// Relative to the root.
        path: String,
        /// The title.
        section: String,
        /// What stands there now, exactly once.
        old: String,
        /// What shall stand there.
        new: String,
    },
    /// Make the document of a run, with its sections.
    CreateRunDocument {
        /// The run's name, which becomes a folder.
        run_id: String,
        /// What the run is for, in any words.
        objective: String,
    },
}

impl FileCommand {
    /// The same command, asked for by somebody.
    #[must_use]
    pub fn by(self, actor: Actor) -> Request {
        Request { command: self, actor, base: None, request_id: None }
    }

    /// The document that is meant; none for a run that is still to be made.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Read { path }
            | Self::Write { path, .. }
            | Self::ReadSection { path, .. }
            | Self::WriteSection { path, .. }
            | Self::AppendSection { path, .. }
            | Self::EditSection { path, .. } => Some(path),
            Self::CreateRunDocument { .. } => None,
        }
    }
}

/// A command with who asks, and on what grounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What to do.
    pub command: FileCommand,
    /// Who asks.
    pub actor: Actor,
    /// The revision that the caller has read. Needed to replace what others may have changed meanwhile.
    pub base: Option<Revision>,
    /// The caller's name for the request. The same name again does nothing and gets the same answer.
    pub request_id: Option<String>,
}

impl Request {
    /// The same request, made by somebody who has read this revision.
    #[must_use]
    pub fn on(mut self, base: Revision) -> Self {
        self.base = Some(base);
        self
    }

    /// The same request under a name.
    #[must_use]
    pub fn named(mut self, request_id: impl Into<String>) -> Self {
        self.request_id = Some(request_id.into());
        self
    }
}

/// Who writes in a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The one that writes the canon.
    Conductor,
    /// One that writes proposals in the section of its name.
    Worker(String),
    /// A person.
    User(String),
    /// The program itself.
    System,
}

impl Actor {
    /// The name under which the document remembers what this one wrote.
    #[must_use]
    pub fn author(&self) -> Author {
        match self {
            Self::Conductor => Author::new("Conductor"),
            Self::Worker(name) | Self::User(name) => Author::new(name.as_str()),
            Self::System => Author::new("System"),
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conductor => formatter.write_str("the conductor"),
            Self::Worker(name) => write!(formatter, "the worker {name}"),
            Self::User(name) => formatter.write_str(name),
            Self::System => formatter.write_str("the program"),
        }
    }
}

/// An answer, with the revision at which it is true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The revision of the document after the command.
    pub revision: Revision,
    /// The request was done before, under the same name; this is the answer of then.
    pub duplicate: bool,
    /// The answer.
    pub result: FileResult,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileResult {
    /// The whole text.
    Content {
        /// Byte for byte.
        content: SharedText,
    },
    /// It was done.
    Written {
        /// Bytes that were asked to be written and are in the text now; zero if nothing had to change.
        bytes: usize,
    },
    /// A section.
    SectionContent {
        /// Its title as it stands in the document.
        section: String,
        /// What follows the heading.
        content: String,
    },
    /// A document was made.
    Created {
        /// Relative to the root.
        path: String,
    },
    /// It was not done.
    Error {
        /// What is wrong, where, and what to do next.
        message: String,
        /// What the caller can branch on.
        kind: FileErrorKind,
    },
}

/// Why a command was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileErrorKind {
    /// There is no such document.
    NotFound,
    /// There is no such section.
    SectionNotFound,
    /// The passage does not stand in the section.
    NoMatch,
    /// The passage, or the title, stands there several times.
    MultipleMatches {
        /// How often; overlapping ones are counted.
        count: usize,
    },
    /// The path leads out of the root, or is none.
    PathTraversal,
    /// The disk did not do it.
    IoError,
    /// What the caller wants to replace is not what it has read.
    Conflict {
        /// The revision now.
        current_revision: Revision,
        /// What stands there now: the section, or the whole text.
        current: String,
    },
    /// Somebody else writes there.
    Forbidden {
        /// Whose it is.
        owner: String,
    },
    /// There is one already.
    AlreadyExists,
    /// The text is longer than allowed.
    TooLarge,
    /// The text cannot stand there.
    InvalidContent,
}

/// A refusal on its way to becoming an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong, where, and what to do next.
    pub message: String,
    /// What the caller can branch on.
    pub kind: FileErrorKind,
}

impl Refusal {
    pub(crate) fn new(kind: FileErrorKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), kind }
    }
}

impl From<Refusal> for FileResult {
    fn from(refusal: Refusal) -> Self {
        Self::Error { message: refusal.message, kind: refusal.kind }
    }
}
