//! Looks for what waits in a project: responses, saves beside documents, damaged files that were kept aside. Never changes
//! anything, except that a response which cannot be read is kept aside as damaged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use document::frontmatter::{Frontmatter, Session};

use crate::pending::{Pending, Response};
use crate::sidecar::{DocumentPaths, FOLDER, Sidecar, SidecarError, failed};
use crate::store;

/// How many documents are looked at, and how deep below the root.
const DOCUMENTS_MAX: usize = 20_000;
const DEPTH_MAX: usize = 16;
/// Folders without documents of people.
const PASSED_OVER: [&str; 2] = ["node_modules", "target"];
/// Part of the name of what was kept aside.
const DAMAGED: &str = ".damaged-";

/// All that waits.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Responses that are not in their documents yet.
    pub responses: Vec<WaitingResponse>,
    /// Files beside documents that may hold a save.
    pub saves: Vec<LeftSave>,
    /// What could not be used and was kept aside.
    pub damaged: Vec<Damaged>,
}

impl Waiting {
    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.responses.is_empty() && self.saves.is_empty() && self.damaged.is_empty()
    }
}

/// A response and its document.
#[derive(Debug)]
pub struct WaitingResponse {
    /// The document's path from the root.
    pub document: PathBuf,
    /// Where its files are.
    pub paths: DocumentPaths,
    /// The response.
    pub response: Response,
}

/// A file that a killed process left beside a document.
#[derive(Debug)]
pub struct LeftSave {
    /// The document's path from the root.
    pub document: PathBuf,
    /// Where the document's files are.
    pub paths: DocumentPaths,
    /// The file's path from the root.
    pub path: PathBuf,
}

/// A damaged file that was kept.
#[derive(Debug)]
pub struct Damaged {
    /// Its path from the root.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

/// What waits for one document, or for all of the project.
///
/// # Errors
///
/// [`SidecarError`] if the state folder cannot be read.
pub fn waiting(sidecar: &Sidecar, document: Option<&Path>) -> Result<Waiting, SidecarError> {
    let mut waiting = Waiting::default();
    let documents = match document {
        Some(document) => vec![document.to_owned()],
        None => markdown_files(sidecar.root()).map_err(|source| failed(sidecar.root(), source))?,
    };
    for document in documents {
        let whole = sidecar.root().join(&document);
        let paths = sidecar.paths_for(&document, session_of(&whole).as_deref())?;
        for response in Pending::at(&paths.pending_dir).list()? {
            waiting.responses.push(WaitingResponse {
                document: document.clone(),
                paths: paths.clone(),
                response,
            });
        }
        for path in store::left_beside(&whole).map_err(|source| failed(&whole, source))? {
            let path = path.strip_prefix(sidecar.root()).unwrap_or(&path).to_owned();
            waiting.saves.push(LeftSave { document: document.clone(), paths: paths.clone(), path });
        }
    }
    waiting.damaged = damaged(sidecar.root()).map_err(|source| failed(sidecar.root(), source))?;
    Ok(waiting)
}

fn session_of(document: &Path) -> Option<String> {
    let text = fs::read_to_string(document).ok()?;
    match Frontmatter::parse(&text).settings.session {
        Session::Id(id) => Some(id),
        Session::Absent | Session::Empty => None,
    }
}

/// The markdown files of a project, by their paths from the root.
pub(crate) fn markdown_files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![(root.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        // A folder that may not be entered holds no document that could be written.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            let name = entry.file_name();
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            let is_passed_over = is_hidden || PASSED_OVER.iter().any(|passed| name == *passed);
            if kind.is_dir() && !is_passed_over && depth < DEPTH_MAX {
                folders.push((path, depth + 1));
            } else if kind.is_file() && !is_hidden && path.extension().is_some_and(|end| end == "md") {
                found.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
            }
            if found.len() >= DOCUMENTS_MAX {
                return Ok(found);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What lies in the state folder and could not be used.
fn damaged(root: &Path) -> io::Result<Vec<Damaged>> {
    let (mut found, mut folders) = (Vec::new(), vec![(root.join(FOLDER), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && depth < 2 {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() && entry.file_name().to_string_lossy().contains(DAMAGED) {
                let path = entry.path();
                let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
                found.push(Damaged { path, bytes: entry.metadata()?.len() });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}
