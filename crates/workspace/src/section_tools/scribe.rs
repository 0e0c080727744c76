//! What the tools share: whose hand it is, the way from a path to a document, and what a model is told. Never asks for another
//! document than the one that was weighed.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent::StreamController;
use agent::message::ToolCall;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope};
use document::Revision;

use super::page::{self, Lines};
use super::seen::Seen;
use crate::checksum::sum64;
use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply};
use crate::documents::{Documents, is_document};
use crate::hub::path::checked;

/// One call of a tool: its name among the calls, its bytes, and what stops it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// What the caller names it.
    pub id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments.
    pub input: &'a str,
    /// Aborted when nobody waits for it any more.
    pub stop: &'a StreamController,
}

impl<'a> Call<'a> {
    /// A call of a model.
    pub(super) fn of(call: &'a ToolCall, scope: &'a RunScope) -> Self {
        Self { id: &call.id, tool: &call.name, input: &call.input, stop: &scope.controller }
    }
}

/// What shall be replaced, by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// All that stands below the heading.
    Whole(String),
    /// One passage, which stands there once.
    Passage {
        /// What stands there.
        old: String,
        /// What shall stand there.
        new: String,
    },
}

/// One who reads and writes documents by means of tools. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Scribe {
    documents: Documents,
    actor: Actor,
    session: Arc<str>,
    seen: Arc<Mutex<Seen>>,
}

impl Scribe {
    /// `session` tells calls apart that bear the same id in different conversations.
    #[must_use]
    pub fn new(documents: Documents, actor: Actor, session: &str) -> Self {
        Self { documents, actor, session: session.into(), seen: Arc::default() }
    }

    /// What a call that names `given` would touch.
    pub(super) fn claim(&self, given: &str, access: PathAccess) -> Result<Claim, String> {
        let wrong = |why: &str| format!("InputValidationError: `file_path`: {why}");
        let below = Path::new(given).strip_prefix(self.documents.root()).ok().and_then(Path::to_str);
        let plain = checked(below.unwrap_or(given)).map_err(|refusal| wrong(&refusal.message))?;
        if !is_document(Path::new(&plain)) {
            return Err(wrong(&format!("{plain} is no markdown file; use Read, Edit and Write for others")));
        }
        let written = self.documents.root().join(&plain);
        // What is not there cannot be opened; its owner says so.
        let real = written.canonicalize().unwrap_or_else(|_| written.clone());
        if !real.starts_with(self.documents.root()) {
            return Err(wrong(&format!("{plain} leads out of the project through a link; use another file")));
        }
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let mut spellings: Vec<String> = [text(&written), text(&real)].into_iter().flatten().collect();
        spellings.dedup();
        Ok(Claim::of_path(access, spellings))
    }

    /// The document that a permit is about, as its owner calls it.
    pub(super) fn permitted(&self, permit: &Permit, given: &str) -> Result<String, Output> {
        let changed = || Output::error("the path leads elsewhere by now; call the tool again");
        let weighed = permit.claim().paths.first().ok_or_else(changed)?;
        // A link may have come onto the way since the call was weighed.
        let now = self.claim(given, weighed.access).map_err(Output::error)?;
        if now.paths.first() != Some(weighed) {
            return Err(changed());
        }
        let real = weighed
            .spellings
            .last()
            .and_then(|real| Path::new(real).strip_prefix(self.documents.root()).ok());
        real.and_then(Path::to_str).map(str::to_owned).ok_or_else(changed)
    }

    /// Reads a whole document.
    pub async fn read(&self, call: &Call<'_>, path: &str, lines: Lines) -> Output {
        let command = FileCommand::Read { path: path.to_owned() };
        match self.ask(call, command, None).await {
            Ok(reply) => self.shown(path, reply, lines),
            Err(told) => told,
        }
    }

    /// Reads one section.
    pub async fn read_section(&self, call: &Call<'_>, path: &str, section: &str, lines: Lines) -> Output {
        let command = FileCommand::ReadSection { path: path.to_owned(), section: section.to_owned() };
        match self.ask(call, command, None).await {
            Ok(reply) => self.shown(path, reply, lines),
            Err(told) => told,
        }
    }

    /// Adds a block at the end of a section.
    pub async fn append(&self, call: &Call<'_>, path: &str, section: &str, content: String) -> Output {
        let (path, section) = (path.to_owned(), section.to_owned());
        let command = FileCommand::AppendSection { path: path.clone(), section: section.clone(), content };
        match self.ask(call, command, None).await {
            Ok(reply) => self.written(&path, &section, reply, How::Appended),
            Err(told) => told,
        }
    }

    /// Replaces what a section holds, or one passage of it, by what `deed` says, if it was not changed since `revision`.
    pub async fn replace(
        &self,
        call: &Call<'_>,
        path: &str,
        section: &str,
        revision: Revision,
        deed: Deed,
    ) -> Output {
        let base = self.seen().bounded(path, section, revision);
        let place = (path.to_owned(), section.to_owned());
        let command = match deed {
            Deed::Whole(content) => FileCommand::WriteSection { path: place.0, section: place.1, content },
            Deed::Passage { old, new } => {
                FileCommand::EditSection { path: place.0, section: place.1, old, new }
            }
        };
        match self.ask(call, command, Some(base)).await {
            Ok(reply) => {
                self.note_conflict(path, section, &reply);
                self.written(path, section, reply, How::Replaced)
            }
            Err(told) => told,
        }
    }

    /// Has a command done under the name of its call, so that a call that comes twice is done once.
    async fn ask(
        &self,
        call: &Call<'_>,
        command: FileCommand,
        base: Option<Revision>,
    ) -> Result<Reply, Output> {
        // Some models count their calls anew in each answer, so the arguments are part of the name.
        let sum = sum64(&[call.tool.as_bytes(), b"\0", call.input.as_bytes()]);
        let mut request =
            command.by(self.actor.clone()).named(format!("{}/{}/{sum:016x}", self.session, call.id));
        request.base = base;
        let asked = self.documents.execute(request);
        tokio::select! {
            biased;
            () = call.stop.subscribe() => {
                Err(Output::error("[Interrupted by user] It may have been done all the same: read before you write again"))
            }
            reply = asked => reply.map_err(|error| {
                Output::error(format!("the document's owner did not answer: {error}; read before you write again"))
            }),
        }
    }

    /// What the model gets of a reading.
    fn shown(&self, path: &str, reply: Reply, wanted: Lines) -> Output {
        let (section, content) = match reply.result {
            FileResult::Content { content } => (None, content),
            FileResult::SectionContent { section, content } => (Some(section), content.into()),
            other => return self.refused(path, other),
        };
        let page = page::of(&content, wanted);
        if page.is_whole {
            self.seen().note(path, section.as_deref(), reply.revision);
        }
        let what = section.map(|section| format!(", section {section:?}")).unwrap_or_default();
        Output::success(format!("{path}{what}, revision {}{}\n\n{}", reply.revision, page.place, page.text))
    }

    /// What the model gets when something was to be written in a section.
    fn written(&self, path: &str, section: &str, reply: Reply, how: How) -> Output {
        let bytes = match reply.result {
            FileResult::Written { bytes } => bytes,
            other => return self.refused(path, other),
        };
        let done = match (bytes, reply.duplicate) {
            (_, true) => "was written by this very call before; nothing was written twice",
            (0, false) => "is as it was: nothing had to change",
            (_, false) => "was written",
        };
        let next = match how {
            How::Replaced => {
                self.seen().note(path, Some(section), reply.revision);
                format!("It is at revision {} now", reply.revision)
            }
            // Others may have added something just before, which the model has not seen.
            How::Appended => "Read the section before you replace anything in it".to_owned(),
        };
        Output::success(format!("{path}, section {section:?} {done}. {next}"))
    }

    /// Notes what a model is shown because its call came too late.
    fn note_conflict(&self, path: &str, section: &str, reply: &Reply) {
        if let FileResult::Error { kind: FileErrorKind::Conflict { current_revision, current }, .. } =
            &reply.result
            && page::of(current, Lines::default()).is_whole
        {
            self.seen().note(path, Some(section), *current_revision);
        }
    }

    fn refused(&self, path: &str, result: FileResult) -> Output {
        let FileResult::Error { message, kind } = result else {
            return Output::error(format!(
                "{path}: the owner gave an answer to another question; read it again"
            ));
        };
        Output::error(match kind {
            FileErrorKind::Conflict { current_revision, current } => {
                let page = page::of(&current, Lines::default());
                format!(
                    "Conflict: {message}\n\nIt is at revision {current_revision}{} and reads:\n\n{}",
                    page.place, page.text
                )
            }
            FileErrorKind::Forbidden { .. } => format!("Forbidden: {message}"),
            FileErrorKind::MultipleMatches { count } => format!("MultipleMatches ({count}): {message}"),
            FileErrorKind::NotFound
            | FileErrorKind::SectionNotFound
            | FileErrorKind::NoMatch
            | FileErrorKind::PathTraversal
            | FileErrorKind::IoError
            | FileErrorKind::AlreadyExists
            | FileErrorKind::TooLarge
            | FileErrorKind::InvalidContent => message,
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was done to a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Something that the model knew is something else now.
    Replaced,
    /// Something came to it.
    Appended,
}
