//! Who writes files for the tools: the owner of a document, the store for all other text, and a plain writer for the rest. Never
//! writes over a save that nobody has read.

use std::io;
use std::path::Path;

use tokio::runtime::Handle;
use tools::files::{DirectWriter, Fingerprint, WriteError, Writer};
use workspace::command::{Actor, FileErrorKind};
use workspace::documents::{Documents, ReviseError, is_document};
use workspace::keeper::KeeperError;
use workspace::store::{Revised, revise};

/// Writes in the name of somebody. Called from threads that may block.
pub(crate) struct StoreWriter {
    documents: Documents,
    actor: Actor,
    runtime: Handle,
    plain: DirectWriter,
}

impl StoreWriter {
    /// The runtime must do IO while it is used.
    pub(crate) fn new(documents: Documents, actor: Actor, runtime: Handle) -> Self {
        Self { documents, actor, runtime, plain: DirectWriter::default() }
    }

    /// What the file is called by its owner, if it has one.
    fn document<'a>(&self, path: &'a Path) -> Option<&'a str> {
        let name = path.strip_prefix(self.documents.root()).ok().filter(|name| is_document(name))?;
        name.to_str()
    }
}

impl Writer for StoreWriter {
    fn replace(&self, path: &Path, expected: Option<&Fingerprint>, content: &[u8]) -> Result<(), WriteError> {
        let Ok(text) = std::str::from_utf8(content) else {
            return self.plain.replace(path, expected, content);
        };
        let is_expected =
            |now: &str| expected.is_some_and(|expected| Fingerprint::of(now.as_bytes()) == *expected);
        if let Some(name) = self.document(path) {
            let known = expected.map(|_| &is_expected as &(dyn Fn(&str) -> bool + Sync));
            let revised = self.documents.revise(name, known, text, &self.actor);
            match self.runtime.block_on(revised) {
                Ok(revised) => return told(revised),
                // Its name or what it holds is none of a document.
                Err(ReviseError::Refused(refusal))
                    if matches!(
                        refusal.kind,
                        FileErrorKind::PathTraversal | FileErrorKind::InvalidContent
                    ) => {}
                Err(error) => return Err(io::Error::other(error).into()),
            }
        }
        if expected.is_none() {
            return self.plain.replace(path, expected, content);
        }
        match revise(path, &is_expected, text) {
            Ok(revised) => told(revised),
            Err(KeeperError::Gone) => Err(WriteError::Changed),
            Err(KeeperError::NotText(_)) => self.plain.replace(path, expected, content),
            Err(error) => Err(io::Error::other(error).into()),
        }
    }
}

fn told(revised: Revised) -> Result<(), WriteError> {
    match revised {
        Revised::Written => Ok(()),
        Revised::Changed => Err(WriteError::Changed),
    }
}
