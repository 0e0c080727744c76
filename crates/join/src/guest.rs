//! One guest at a document: who it is, and the section that it writes in. Never takes a name that belongs to somebody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use conductor::Runs;
use conductor::draft::Draft;
use conductor::role;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult};
use workspace::documents::Documents;
use workspace::section_tools::Scribe;

use crate::part::Part;

/// How often the section of a guest is tried to be made while others write.
const TRIES_MAX: usize = 20;
/// The name of a guest who says none.
const NAMELESS: &str = "Guest";

/// The way in to one document.
#[derive(Clone, Debug)]
pub struct Door {
    documents: Documents,
    path: Arc<str>,
    /// The name of whoever comes in, if it is known beforehand.
    name: Option<Arc<str>>,
    /// Tells calls of different guests apart.
    session: Arc<str>,
    guests: Arc<AtomicU64>,
    /// The run whose document it is.
    part: Option<Part>,
}

/// Why there is no way in.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// The name cannot be that of a guest.
    #[error(
        "{0:?} is no name of a guest: use up to {max} letters, digits, blanks, \"-\" and \"_\", and not \"Conductor\" or \"User\"",
        max = role::NAME_MAX
    )]
    Name(String),
}

impl Door {
    /// The way in to the document at `path`, for guests of this name, or of the one that they say themselves. `session` tells this
    /// opening of the door from all others.
    ///
    /// # Errors
    ///
    /// [`DoorError::Name`] if nobody can have this name.
    pub fn new(
        documents: Documents,
        path: &str,
        name: Option<&str>,
        session: &str,
    ) -> Result<Door, DoorError> {
        if let Some(name) = name
            && !role::is_name(name)
        {
            return Err(DoorError::Name(name.to_owned()));
        }
        Ok(Door {
            documents,
            path: path.into(),
            name: name.map(Arc::from),
            session: session.into(),
            guests: Arc::default(),
            part: None,
        })
    }

    /// The same for the document of a run: guests have a part in it, with its limits, and can say that they are done.
    #[must_use]
    pub fn of_run(self, runs: Runs, id: &str) -> Door {
        Door { part: Some(Part::new(runs, id)), ..self }
    }

    /// The document, from the root of the project.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Lets one in.
    pub(crate) fn enter(&self) -> Entry {
        let number = self.guests.fetch_add(1, Ordering::Relaxed);
        Entry { door: self.clone(), session: format!("{}/{number}", self.session).into() }
    }
}

/// One that came in, and has perhaps not said its name yet.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    door: Door,
    session: Arc<str>,
}

impl Entry {
    pub(crate) fn path(&self) -> &str {
        &self.door.path
    }

    pub(crate) fn is_of_run(&self) -> bool {
        self.door.part.is_some()
    }

    /// The guest, who calls itself `said`.
    pub(crate) fn guest(&self, said: Option<&str>) -> Guest {
        let name = match &self.door.name {
            Some(name) => name.to_string(),
            None => said.and_then(cleaned).unwrap_or_else(|| NAMELESS.to_owned()),
        };
        let scribe = Scribe::new(self.door.documents.clone(), Actor::Worker(name.clone()), &self.session);
        let (documents, part) = (self.door.documents.clone(), self.door.part.clone());
        Guest { documents, path: Arc::clone(&self.door.path), name, scribe, part }
    }
}

/// A guest with a name.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    documents: Documents,
    path: Arc<str>,
    pub(crate) name: String,
    pub(crate) scribe: Scribe,
    /// Its part in a run.
    pub(crate) part: Option<Part>,
}

impl Guest {
    /// Why the guest may not add a text to its section.
    pub(crate) async fn objection(&self, content: &str) -> Option<String> {
        self.part.as_ref()?.objection(&self.name, content).await
    }

    /// Makes the section of the guest if there is none.
    pub(crate) async fn settle(&self) -> Result<(), String> {
        let unanswered = |error: &dyn std::fmt::Display| format!("{}: {error}; try again", self.path);
        for _ in 0..TRIES_MAX {
            let read = FileCommand::Read { path: self.path.to_string() }.by(Actor::System);
            let reply = self.documents.execute(read).await.map_err(|error| unanswered(&error))?;
            let text = match reply.result {
                FileResult::Content { content } => content,
                FileResult::Error { message, .. } => return Err(message),
                other => return Err(unanswered(&format!("{other:?} is no text"))),
            };
            let Some(wider) =
                Draft::new(&text, reply.revision).with_sections(std::slice::from_ref(&self.name))
            else {
                return Ok(());
            };
            let path = self.path.to_string();
            let write =
                FileCommand::Write { path, content: wider.into() }.by(Actor::System).on(reply.revision);
            let reply = self.documents.execute(write).await.map_err(|error| unanswered(&error))?;
            match reply.result {
                // Somebody wrote in between.
                FileResult::Error { kind: FileErrorKind::Conflict { .. }, .. } => {}
                FileResult::Error { message, .. } => return Err(message),
                _ => return Ok(()),
            }
        }
        Err(unanswered(&"others write all the time, and your section could not be made"))
    }
}

/// A name as programs say it, made one that a section can have.
fn cleaned(said: &str) -> Option<String> {
    let fitting = said
        .chars()
        .map(|letter| if letter.is_alphanumeric() || matches!(letter, '-' | '_') { letter } else { ' ' });
    let spaced: String = fitting.take(role::NAME_MAX).collect();
    let name = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    role::is_name(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn a_program_may_call_itself_anything_but_the_name_of_another() {
        for (said, name) in [
            ("claude-code", Some("claude-code")),
            ("codex-mcp-client", Some("codex-mcp-client")),
            ("## Conductor\n", None),
            (" user ", None),
            ("<!-- x -->", None),
            ("a/b\nc", Some("a b c")),
            ("", None),
        ] {
            assert_eq!(cleaned(said).as_deref(), name, "{said:?}");
        }
    }
}
