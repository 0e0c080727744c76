//! The past of a document and what is said about it, read beside its owner. Never changes a journal.

use std::path::Path;

use super::{Hub, blocking};
use crate::command::{FileErrorKind, Refusal};
use crate::comments::Comments;
use crate::journal::{History, Journal};
use crate::project::session_of;
use crate::sidecar::Sidecar;

impl Hub {
    /// What was done to a document, as far as it is kept.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is no such document, or its journal cannot be read.
    pub async fn history(&self, path: &str) -> Result<History, Refusal> {
        let handle = self.document(path).await?;
        let (path, text) = (handle.path().to_owned(), handle.read().text);
        let root = self.root().to_owned();
        blocking(self.waits(&path), move || {
            let unread = |error: &dyn std::fmt::Display| {
                Refusal::new(FileErrorKind::IoError, format!("{path}: its history cannot be read: {error}"))
            };
            let sidecar = Sidecar::open(&root).map_err(|error| unread(&error))?;
            let session = session_of(&text);
            let paths =
                sidecar.paths_for(Path::new(&path), session.as_deref()).map_err(|error| unread(&error))?;
            let (history, _) = Journal::read(&paths.journal).map_err(|error| unread(&error))?;
            Ok(history)
        })
        .await
    }

    /// Where the comments of a document are kept.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is no such document, or no place for them.
    pub async fn comments(&self, path: &str) -> Result<Comments, Refusal> {
        let handle = self.document(path).await?;
        let (path, text) = (handle.path().to_owned(), handle.read().text);
        let root = self.root().to_owned();
        blocking(self.waits(&path), move || {
            let unread = |error: &dyn std::fmt::Display| {
                Refusal::new(FileErrorKind::IoError, format!("{path}: its comments cannot be kept: {error}"))
            };
            let sidecar = Sidecar::open(&root).map_err(|error| unread(&error))?;
            let session = session_of(&text);
            let paths =
                sidecar.paths_for(Path::new(&path), session.as_deref()).map_err(|error| unread(&error))?;
            Ok(Comments::at(&paths.comments))
        })
        .await
    }
}
