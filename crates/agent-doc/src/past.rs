//! The history of the document that a person named. Never makes one: it begins when somebody works on the document.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use document::frontmatter::{Frontmatter, Session};
use workspace::journal::{History, Journal, JournalError};
use workspace::sidecar::{Sidecar, root_of};

use crate::refusal::Refusal;
use crate::{input, output};

/// A document with a history.
#[derive(Debug)]
pub(crate) struct Past {
    /// How the file is called in messages.
    pub(crate) name: String,
    /// What the file holds now; nothing if it is gone.
    pub(crate) text: Option<String>,
    /// The root of its project.
    pub(crate) root: PathBuf,
    place: PathBuf,
    journal: PathBuf,
}

impl Past {
    pub(crate) fn find(file: &Path) -> Result<Past> {
        let name = input::shown(file);
        if input::is_standard(file) {
            return Err(Refusal::new("standard input has no history", "name a file").into());
        }
        let place = whole(file).with_context(|| {
            Refusal::new(format!("cannot find {name}"), "check the path, and the folder you are in")
        })?;
        let text = if place.exists() { Some(input::read(file)?) } else { None };
        let root = root_of(&place);
        let sidecar = Sidecar::find(root).with_context(|| unusable(&name))?;
        let Some(sidecar) = sidecar else {
            return Err(absent(&name, text.as_ref()).into());
        };
        let relative = place.strip_prefix(root).unwrap_or(&place);
        let session = text.as_deref().and_then(session_of);
        let paths = sidecar.paths_for(relative, session.as_deref()).with_context(|| unusable(&name))?;
        let root = root.to_owned();
        Ok(Past { name, text, root, place, journal: paths.journal })
    }

    /// What was done, read while others may write.
    pub(crate) fn history(&self) -> Result<History> {
        let (history, recovered) = Journal::read(&self.journal).map_err(|error| self.refused(error))?;
        if recovered.torn_bytes > 0 {
            output::notice(&format!(
                "warning: {}: {} bytes at the end of its history cannot be read; what stands before them is shown",
                self.name, recovered.torn_bytes
            ));
        }
        Ok(history)
    }

    /// The document's path from the root of its project.
    pub(crate) fn relative(&self) -> Result<String> {
        let relative = self.place.strip_prefix(&self.root).unwrap_or(&self.place).to_str();
        relative.map(str::to_owned).ok_or_else(|| {
            let what = format!("the name of {} is not UTF-8", self.name);
            Refusal::new(what, "rename the file, then try again").into()
        })
    }

    /// The text at a revision.
    pub(crate) fn text_at(&self, history: &History, revision: u64) -> Result<String> {
        history.text_at(revision).ok_or_else(|| {
            let (first, last) = (history.first_revision(), history.latest_revision());
            let what = format!("{} has no revision {revision}", self.name);
            let remedy =
                format!("'agent-doc history {}' lists them; they go from {first} to {last}", self.name);
            Refusal::new(what, remedy).into()
        })
    }

    fn refused(&self, error: JournalError) -> anyhow::Error {
        match error {
            JournalError::Absent { .. } => absent(&self.name, self.text.as_ref()).into(),
            other => anyhow::Error::new(other).context(unusable(&self.name)),
        }
    }
}

/// The path from the top, also of a file that is gone.
fn whole(file: &Path) -> std::io::Result<PathBuf> {
    if let Ok(found) = file.canonicalize() {
        return Ok(found);
    }
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let name = file.file_name().ok_or(std::io::ErrorKind::NotFound)?;
    Ok(folder.canonicalize()?.join(name))
}

fn session_of(text: &str) -> Option<String> {
    match Frontmatter::parse(text).settings.session {
        Session::Id(id) => Some(id),
        Session::Absent | Session::Empty => None,
    }
}

fn absent(name: &str, text: Option<&String>) -> Refusal {
    if text.is_none() {
        return Refusal::new(format!("{name} does not exist"), "check the path, and the folder you are in");
    }
    let remedy = "it begins when an agent works on the document; older versions may be in git";
    Refusal::new(format!("{name} has no history"), remedy)
}

fn unusable(name: &str) -> Refusal {
    Refusal::new(
        format!("the history of {name} cannot be used"),
        "look at the folder '.agent-doc' in the root of the project; the document itself is not touched",
    )
}
