//! The documents of a project for as long as a session lasts: reached or opened when one is first asked for, and open to other
//! processes from then on, so that nobody has to wait for the end of the session. Never opens anything before.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use crate::hub::Hub;
use crate::owner::Options;
use crate::reach::{Reach, ReachError};
use crate::store::Revised;

/// Endings of the names of markdown files.
const ENDINGS: [&str; 3] = ["md", "markdown", "mdown"];

/// Whether a file is a document by its name, and so has an owner who writes it.
#[must_use]
pub fn is_document(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

/// The documents of one project. Clones lead to the same owners.
#[derive(Clone, Debug)]
pub struct Documents {
    root: Arc<Path>,
    options: Options,
    /// How the owners are reached, as soon as somebody asked.
    reach: Arc<Mutex<Option<Reach>>>,
}

impl Documents {
    /// Those below `root`, which has no link in it.
    #[must_use]
    pub fn new(root: PathBuf, options: Options) -> Self {
        Self { root: root.into(), options, reach: Arc::default() }
    }

    /// Those of a hub of this process, which stays open.
    #[must_use]
    pub fn through(hub: Hub) -> Self {
        let root = hub.root().into();
        let reach = Arc::new(Mutex::new(Some(Reach::through(hub))));
        Self { root, options: Options::default(), reach }
    }

    /// The hub that owns them, if it is in this process. Others are let in from now on.
    ///
    /// # Errors
    ///
    /// [`ReachError`] if the documents can be reached in no way.
    pub async fn hub(&self) -> Result<Option<Hub>, ReachError> {
        let mut held = self.reach.lock().await;
        let reach = match &mut *held {
            Some(reach) => reach,
            None => held.insert(Reach::open(&self.root, self.options.clone()).await?),
        };
        reach.serve();
        Ok(reach.own().cloned())
    }

    /// The root of the project.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Has a command done by the owner of its document.
    ///
    /// # Errors
    ///
    /// [`ReachError`] if no owner answered. Whether the command was done is then not known; the same request can be given again.
    pub async fn execute(&self, request: Request) -> Result<Reply, ReachError> {
        let mut held = self.reach.lock().await;
        let reach = match &mut *held {
            Some(reach) => reach,
            None => held.insert(Reach::open(&self.root, self.options.clone()).await?),
        };
        match (reach.serve(), reach.own().cloned()) {
            (true, Some(hub)) => {
                // Owners work side by side; nobody waits here for another document.
                drop(held);
                Ok(hub.execute(request).await)
            }
            // Another process is the owner, or has begun to be one just now: then the request finds it.
            (true | false, _) => reach.execute(request).await,
        }
    }

    /// Gives a document a new text if it holds what the caller expects. A caller who expects nothing makes it.
    ///
    /// # Errors
    ///
    /// [`ReviseError`] if no owner answered, or if the owner says no.
    pub async fn revise(
        &self,
        path: &str,
        is_expected: Option<&(dyn Fn(&str) -> bool + Sync)>,
        text: &str,
        actor: &Actor,
    ) -> Result<Revised, ReviseError> {
        let mut request =
            FileCommand::Write { path: path.to_owned(), content: text.into() }.by(actor.clone());
        if let Some(is_expected) = is_expected {
            let read = FileCommand::Read { path: path.to_owned() }.by(actor.clone());
            let Reply { revision, result, .. } = self.execute(read).await?;
            match result {
                FileResult::Content { content } if is_expected(&content) => request = request.on(revision),
                result => return revised(result, Revised::Changed),
            }
        }
        revised(self.execute(request).await?.result, Revised::Written)
    }

    /// Has everything written and lets go of all documents. Whoever asks again opens them again.
    pub async fn close(&self) {
        let reach = self.reach.lock().await.take();
        if let Some(reach) = reach {
            reach.close().await;
        }
    }
}

/// Why a document did not get a new text.
#[derive(Debug, thiserror::Error)]
pub enum ReviseError {
    /// Nobody answered.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// Its owner said no.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// What an answer that is no refusal stands for. A document that is gone, or that somebody made or changed, is not what was expected.
fn revised(result: FileResult, otherwise: Revised) -> Result<Revised, ReviseError> {
    match result {
        FileResult::Error {
            kind: FileErrorKind::Conflict { .. } | FileErrorKind::AlreadyExists | FileErrorKind::NotFound,
            ..
        } => Ok(Revised::Changed),
        FileResult::Error { message, kind } => Err(Refusal { message, kind }.into()),
        FileResult::Content { .. }
        | FileResult::Written { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => Ok(otherwise),
    }
}
