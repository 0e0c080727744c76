//! The JSON between server and page, and the only place that knows it. Never carries the text of a living document: that goes
//! in binary frames.

use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};
use workspace::catalog::Listed;
use workspace::keeper::Entry;
use workspace::owner::Visitor;

mod comment;
mod question;
mod run;
mod turn;

pub use comment::{CommentCall, CommentChange, WireComment, WireRemark};
pub use question::{AnswerCall, WireMeaning, WireOption, WireQuestion, WireWaiting};
pub use run::{
    DecisionCall, DirectiveCall, KeyCall, KeyGiven, KeyRole, RunCall, StopCall, WireCost, WirePhase,
    WireProposal, WireRun, WireRunEvent, WireStarted, WireStatus, WireWorker,
};
pub use turn::{TurnCall, TurnStop, WirePace, WireTurn, WireTurnState};

/// What the page hears about its document, as text frames.
#[derive(Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WireEvent {
    /// The first word after joining.
    Hello {
        /// The document, in its plain form.
        path: String,
        /// The session; with another one the page begins anew.
        epoch: String,
        /// The revision now.
        #[ts(type = "number")]
        revision: u64,
        /// Whether the page may write.
        writes: bool,
        /// Whether agents answer in it.
        session: bool,
        /// Everybody who wrote.
        visitors: Vec<WireVisitor>,
        /// Why the file lacks words, if it does.
        unsaved: Option<String>,
        /// Whether there is no file any more.
        gone: bool,
        /// How the server learns what other programs save.
        watched: WireWatched,
    },
    /// The file holds the first `count` updates that this page sent since it joined.
    Saved {
        /// How many.
        #[ts(type = "number")]
        count: u64,
        /// The revision that holds them.
        #[ts(type = "number")]
        revision: u64,
    },
    /// The file lacks words.
    Unsaved {
        /// Why.
        reason: String,
        /// Whether there is no file any more.
        gone: bool,
    },
    /// The server learns in another way what other programs save.
    Watched {
        /// In which.
        watched: WireWatched,
    },
    /// Two changed the same words; somebody should look.
    Clashed {
        /// The section, if it is in one.
        section: Option<String>,
        /// Whether both versions stand in the text; else one of them is only here.
        both: bool,
        /// What stood in the document.
        ours: String,
        /// What the other one saved, or wrote while they were away.
        theirs: String,
    },
    /// Somebody new writes; this is everybody.
    Visitors {
        /// All of them.
        visitors: Vec<WireVisitor>,
    },
    /// A page was closed.
    Left {
        /// Its number.
        #[ts(type = "number")]
        client: u64,
    },
    /// The file holds a new revision.
    Changed {
        /// It.
        #[ts(type = "number")]
        revision: u64,
        /// Who wrote.
        author: String,
        /// Where, if that is one section.
        section: Option<String>,
    },
    /// How the run stands that the document is the draft of.
    Run {
        /// The whole of it.
        run: WireRun,
    },
    /// How the turn stands that answers the document.
    Turn {
        /// The whole of it.
        turn: WireTurn,
    },
    /// What agents that work on the document ask; all that waits for an answer.
    Questions {
        /// The oldest first.
        questions: Vec<WireQuestion>,
    },
    /// What people say about passages.
    Comments {
        /// The revision in which the passages are where it is said.
        #[ts(type = "number")]
        revision: u64,
        /// All of them.
        comments: Vec<WireComment>,
    },
    /// The page has to join again.
    Resync {
        /// Why.
        reason: String,
    },
    /// An answer to a ping.
    Pong {
        /// What the ping said.
        at: f64,
    },
}

/// How the server learns what other programs save in a document's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WireWatched {
    /// The system tells at once.
    Told,
    /// It looks every few seconds, because the system does not tell.
    Looking,
    /// It looks only when somebody writes here.
    Unwatched,
}

/// What the page says in text frames.
#[derive(Debug, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WireCall {
    /// How long does the way take?
    Ping {
        /// Given back.
        at: f64,
    },
}

/// One who writes.
#[derive(Debug, Clone, Serialize, TS)]
pub struct WireVisitor {
    /// The number in the updates.
    #[ts(type = "number")]
    pub client: u64,
    /// The name.
    pub name: String,
    /// A program that writes by itself.
    pub agent: bool,
}

impl From<&Visitor> for WireVisitor {
    fn from(visitor: &Visitor) -> Self {
        Self { client: visitor.client, name: visitor.author.name().to_owned(), agent: visitor.is_agent }
    }
}

/// What the first page shows.
#[derive(Debug, Serialize, TS)]
pub struct Home {
    /// The name of the folder.
    pub folder: String,
    /// Who saves the files.
    pub person: String,
    /// The version of the program.
    pub version: String,
    /// Whether the page may change anything.
    pub writes: bool,
    /// Whether runs can be begun.
    pub runs: bool,
    /// The model that answers.
    pub model: String,
    /// It is the built-in planner, because there is no key.
    pub offline: bool,
    /// The documents, the latest first.
    pub documents: Vec<ListedDocument>,
}

/// One document in the list.
#[derive(Debug, Serialize, TS)]
pub struct ListedDocument {
    /// Relative to the folder.
    pub path: String,
    /// Its first heading, or its name.
    pub title: String,
    /// What it is.
    pub role: Role,
    /// Bytes.
    #[ts(type = "number")]
    pub length: u64,
    /// Milliseconds since 1970.
    #[ts(type = "number")]
    pub modified: u64,
}

/// What a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The document of a run.
    Run,
    /// Agents answer in it.
    Session,
    /// Any other.
    Plain,
}

impl From<Listed> for ListedDocument {
    fn from(listed: Listed) -> Self {
        let is_run = listed.path.starts_with("runs/") && listed.path.ends_with("/draft.md");
        let role = match (is_run, listed.is_session) {
            (true, _) => Role::Run,
            (false, true) => Role::Session,
            (false, false) => Role::Plain,
        };
        let Listed { path, title, length, modified, .. } = listed;
        Self { path, title, role, length, modified }
    }
}

/// A text and its revision.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct VersionText {
    /// The revision.
    #[ts(type = "number")]
    pub revision: u64,
    /// The whole text.
    pub text: String,
}

/// The past of a document.
#[derive(Debug, Serialize, TS)]
pub struct Past {
    /// The latest first.
    pub versions: Vec<PastVersion>,
}

/// One operation.
#[derive(Debug, Serialize, TS)]
pub struct PastVersion {
    /// The revision that it made.
    #[ts(type = "number")]
    pub revision: u64,
    /// Who did it.
    pub author: String,
    /// Milliseconds since 1970.
    #[ts(type = "number")]
    pub time: u64,
    /// Where, if that is one section.
    pub section: Option<String>,
    /// Bytes that came in.
    #[ts(type = "number")]
    pub added: usize,
    /// Bytes that went out.
    #[ts(type = "number")]
    pub removed: usize,
}

impl From<&Entry> for PastVersion {
    fn from(entry: &Entry) -> Self {
        Self {
            revision: entry.revision,
            author: entry.author.name().to_owned(),
            time: entry.time,
            section: entry.section.clone(),
            added: entry.edits.iter().map(|edit| edit.text.len()).sum(),
            removed: entry.edits.iter().map(|edit| edit.range.len()).sum(),
        }
    }
}

/// Brings an old version back, as a new revision. The header `If-Match` says the revision that the page shows.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// The document.
    pub path: String,
    /// The old version.
    #[ts(type = "number")]
    pub revision: u64,
}

/// What somebody wrote while there was no server, and the text that they began from.
#[derive(Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Rebase {
    /// The document.
    pub path: String,
    /// Who wrote.
    pub name: String,
    /// The last text that the server had.
    pub base: String,
    /// The text in the page.
    pub text: String,
}

/// A whole text for a document. The header `If-Match` says the revision it builds on; without it the document is made.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WriteCall {
    /// The document.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A command on a section, as other programs give it. Who asks is said by the secret. The header `If-Match` says the revision it builds on, `Idempotency-Key`
/// names it.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SectionCall {
    /// The document.
    pub path: String,
    /// The title.
    pub section: String,
    /// What to do.
    pub change: SectionChange,
}

/// What to do with a section.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SectionChange {
    /// Add a block at its end.
    Append {
        /// The block.
        content: String,
    },
    /// Replace what it holds.
    Write {
        /// The new content.
        content: String,
    },
    /// Replace one passage.
    Edit {
        /// What stands there, exactly once.
        old: String,
        /// What shall stand there.
        new: String,
    },
}

/// It was done.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct Done {
    /// The revision now.
    #[ts(type = "number")]
    pub revision: u64,
    /// The same request was done before; nothing was done again.
    pub repeated: bool,
}

/// It was done, and there is nothing to say about it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct Nothing {}

/// It was not done.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct Problem {
    /// What is wrong, where, and what to do next.
    pub message: String,
    /// The text that stands there now, if another one was expected.
    pub current: Option<VersionText>,
}

/// All of this as TypeScript, for the page.
#[must_use]
pub fn typescript() -> String {
    let config = Config::default();
    let parts = [
        WireEvent::decl(&config),
        WireWatched::decl(&config),
        WireCall::decl(&config),
        WireVisitor::decl(&config),
        Home::decl(&config),
        ListedDocument::decl(&config),
        Role::decl(&config),
        VersionText::decl(&config),
        Past::decl(&config),
        PastVersion::decl(&config),
        Restore::decl(&config),
        Rebase::decl(&config),
        WriteCall::decl(&config),
        SectionCall::decl(&config),
        SectionChange::decl(&config),
        Done::decl(&config),
        Nothing::decl(&config),
        Problem::decl(&config),
    ];
    let parts = parts.into_iter().chain(run::declarations(&config)).chain(turn::declarations(&config));
    let parts = parts.chain(question::declarations(&config)).chain(comment::declarations(&config));
    let mut text =
        "// Generated from crates/web/src/wire.rs by `cargo xtask codegen`. Do not edit.\n".to_owned();
    for part in parts {
        text.push_str("\nexport ");
        text.push_str(&part);
        text.push('\n');
    }
    text
}
