//! The way of a run to its document: reading, writing, and hearing that it changed. Never writes a file: its owner does.

use std::time::Duration;

use document::Revision;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use workspace::documents::Documents;
use workspace::event::{ChangeKind, DocumentChanged, Event, Subscription};
use workspace::owner::DocumentHandle;
use workspace::watch::{self, Watcher};

use crate::core::Sent;
use crate::draft::{CANON, Draft, PERSON};
use crate::error::RunError;
use crate::limits::LOOK;

/// How long a file is quiet before a save in it counts.
const QUIET: Duration = Duration::from_millis(150);
/// How often a section is put in place while somebody else writes.
const ATTEMPTS_MAX: usize = 16;

/// The document of a run.
#[derive(Clone)]
pub(crate) struct Paper {
    documents: Documents,
    path: String,
    /// Its owner, if that is in this process.
    handle: Option<DocumentHandle>,
}

/// What came of a canon.
pub(crate) enum Written {
    /// It stands there, or stood there before.
    Done { revision: Revision, is_duplicate: bool },
    /// Somebody changed it since it was read.
    Conflict,
}

impl Paper {
    pub(crate) async fn open(documents: &Documents, path: &str) -> Result<Paper, RunError> {
        let handle = match documents.hub().await? {
            Some(hub) => Some(hub.document(path).await?),
            None => None,
        };
        Ok(Paper { documents: documents.clone(), path: path.to_owned(), handle })
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.documents
    }

    /// How it reads now.
    pub(crate) async fn read(&self) -> Result<Draft, RunError> {
        if let Some(draft) = self.glimpse() {
            return Ok(draft);
        }
        let read = FileCommand::Read { path: self.path.clone() }.by(Actor::System);
        let reply = self.documents.execute(read).await?;
        match reply.result {
            FileResult::Content { content } => Ok(Draft::new(&content, reply.revision)),
            other => Err(refusal(other).into()),
        }
    }

    /// How it reads now, without asking anybody; none if its owner is elsewhere or has ended.
    pub(crate) fn glimpse(&self) -> Option<Draft> {
        let handle = self.handle.as_ref().filter(|handle| !handle.is_closed())?;
        let snapshot = handle.read();
        Some(Draft { text: snapshot.text, revision: snapshot.revision })
    }

    /// Adds a block to a section, once under this name.
    pub(crate) async fn append(
        &self,
        section: &str,
        content: &str,
        actor: Actor,
        name: String,
    ) -> Result<Reply, RunError> {
        let (path, section, content) = (self.path.clone(), section.to_owned(), content.to_owned());
        self.done(FileCommand::AppendSection { path, section, content }.by(actor).named(name)).await
    }

    /// Takes a passage out of a section, once under this name.
    pub(crate) async fn take_out(
        &self,
        section: &str,
        passage: &str,
        base: Revision,
        actor: Actor,
        name: String,
    ) -> Result<Reply, RunError> {
        let (path, section, old) = (self.path.clone(), section.to_owned(), passage.to_owned());
        let command = FileCommand::EditSection { path, section, old, new: String::new() };
        self.done(command.by(actor).on(base).named(name)).await
    }

    /// Writes the canon if it is what it was at `base`, once under this name.
    pub(crate) async fn write_canon(
        &self,
        content: &str,
        base: Revision,
        name: String,
    ) -> Result<Written, RunError> {
        let (path, section, content) = (self.path.clone(), CANON.to_owned(), content.to_owned());
        let request =
            FileCommand::WriteSection { path, section, content }.by(Actor::Conductor).on(base).named(name);
        match self.done(request).await {
            Ok(reply) => Ok(Written::Done { revision: reply.revision, is_duplicate: reply.duplicate }),
            Err(RunError::Refused(Refusal { kind: FileErrorKind::Conflict { .. }, .. })) => {
                Ok(Written::Conflict)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes the sections that are missing. What stands there is not touched.
    pub(crate) async fn restore(&self, sections: &[String]) -> Result<(), RunError> {
        for _ in 0..ATTEMPTS_MAX {
            let draft = self.read().await?;
            let Some(content) = draft.with_sections(sections) else { return Ok(()) };
            let write = FileCommand::Write { path: self.path.clone(), content: content.into() }
                .by(Actor::System)
                .on(draft.revision);
            match self.done(write).await {
                Err(RunError::Refused(Refusal { kind: FileErrorKind::Conflict { .. }, .. })) => {}
                done => return done.map(drop),
            }
        }
        Err(RunError::TooMany(format!(
            "{}: somebody keeps writing; the sections could not be put in place",
            self.path
        )))
    }

    async fn done(&self, request: Request) -> Result<Reply, RunError> {
        let reply = self.documents.execute(request).await?;
        match reply.result {
            error @ FileResult::Error { .. } => Err(refusal(error).into()),
            _ => Ok(reply),
        }
    }

    /// Hears changes from now on, also those of other programs.
    pub(crate) fn changes(&self) -> Changes {
        let subscription = self.handle.as_ref().map(DocumentHandle::subscribe);
        let watched = self
            .handle
            .as_ref()
            .and_then(|handle| watch(self.documents.root().join(handle.path()).as_path()));
        Changes { subscription, watched, handle: self.handle.clone() }
    }
}

fn watch(path: &std::path::Path) -> Option<(Watcher, tokio::sync::mpsc::Receiver<watch::Watched>)> {
    let options = watch::Options { quiet: QUIET, ..watch::Options::default() };
    let (mut watcher, heard) = Watcher::start(options, std::sync::Arc::new(|_| false)).ok()?;
    // Where nothing can be watched, saves are found with the next write.
    watcher.watch_document(path, Some(QUIET)).ok()?;
    Some((watcher, heard))
}

fn refusal(result: FileResult) -> Refusal {
    match result {
        FileResult::Error { message, kind } => Refusal { message, kind },
        _ => Refusal {
            message: "the owner gave an answer to another question".to_owned(),
            kind: FileErrorKind::IoError,
        },
    }
}

/// A listener's place in the changes of the document.
pub(crate) struct Changes {
    subscription: Option<Subscription>,
    watched: Option<(Watcher, tokio::sync::mpsc::Receiver<watch::Watched>)>,
    handle: Option<DocumentHandle>,
}

impl Changes {
    /// Waits for a change; where nobody tells, one is looked for now and then.
    pub(crate) async fn next(&mut self) -> Change {
        let unknown = Change { revision: None, sent: Sent::All, is_typed: false };
        loop {
            let Some(subscription) = &mut self.subscription else {
                tokio::time::sleep(LOOK).await;
                return unknown;
            };
            let watched = async {
                match &mut self.watched {
                    Some((_, heard)) => heard.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = subscription.next() => match event {
                    Some(Event::Changed(changed)) => return Change::of(&changed),
                    Some(Event::Resync) => return unknown,
                    // The owner has ended; it is opened again by whoever asks it something.
                    None => self.subscription = None,
                },
                heard = watched => match (heard, &self.handle) {
                    (Some(_), Some(handle)) => handle.file_changed(),
                    _ => self.watched = None,
                },
            }
        }
    }
}

/// A change of the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// The revision that it made, if that is known.
    pub(crate) revision: Option<Revision>,
    /// What of the person's section it sent.
    pub(crate) sent: Sent,
    /// Whether somebody types in that section, letter by letter.
    pub(crate) is_typed: bool,
}

impl Change {
    fn of(changed: &DocumentChanged) -> Change {
        let is_theirs = changed.section.as_ref().is_none_or(|section| section.eq_ignore_ascii_case(PERSON));
        let (sent, is_typed) = match changed.kind {
            ChangeKind::Created | ChangeKind::Saved | ChangeKind::Written => (Sent::All, false),
            ChangeKind::SectionWritten if is_theirs => (Sent::All, false),
            ChangeKind::Appended if is_theirs => (Sent::Last, false),
            ChangeKind::SectionWritten | ChangeKind::Appended => (Sent::Nothing, false),
            ChangeKind::Edited | ChangeKind::Streamed => (Sent::Nothing, is_theirs),
        };
        Change { revision: Some(changed.revision), sent, is_typed }
    }
}
