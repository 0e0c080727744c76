//! What a crash left waiting in a project, and bringing it home: responses go into their documents, at most once, through the
//! documents' owners. Never takes part in a turn that is still going on, and never removes what only a person can judge.

mod place;
mod waiting;

use std::path::Path;

use place::place;
pub(crate) use waiting::markdown_files;
pub use waiting::{Damaged, LeftSave, Waiting, WaitingResponse, waiting};

use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply};
use crate::lock::{LockError, TurnLock};
use crate::pending::{Pending, Response};
use crate::reach::{Reach, ReachError};
use crate::session::delivery::{Delivery, DeliveryError, Flushed, Upto, read};
use crate::sidecar::{DocumentPaths, SidecarError};

/// How often a document may change between reading it and writing to it before we give up.
const RACES_MAX: usize = 100;

/// Why the responses of a document were not completed. They are still there.
#[derive(Debug, thiserror::Error)]
pub enum CompleteError {
    /// Somebody works on it, and completes them.
    #[error(transparent)]
    Turn(#[from] LockError),
    /// They could not be read or written.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// The document's owner could not be reached.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// An answer does not fit into its document any more.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// The document's owner refused.
    #[error("{message}")]
    Refused {
        /// What it said.
        message: String,
    },
}

/// A response that was brought home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// Its name.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// The revision of the document that holds it.
    pub revision: u64,
}

/// Has the document opened, which takes in saves that lie beside it, and puts what is missing of its pending responses into it.
///
/// # Errors
///
/// [`CompleteError`] at the first response that cannot be completed; it and those after it keep waiting.
pub async fn complete(
    reach: &mut Reach,
    document: &Path,
    paths: &DocumentPaths,
    now: u64,
) -> Result<Vec<Completed>, CompleteError> {
    let _turn = TurnLock::take(&paths.lock, "agent-doc recover", now)?;
    complete_locked(reach, document, paths).await
}

/// As [`complete`], for one who has the turn.
pub(crate) async fn complete_locked(
    reach: &mut Reach,
    document: &Path,
    paths: &DocumentPaths,
) -> Result<Vec<Completed>, CompleteError> {
    let (path, pending) = (document.to_string_lossy().into_owned(), Pending::at(&paths.pending_dir));
    pending.sweep()?;
    let (mut current, _) = read(reach, &path).await?;
    let mut completed = Vec::new();
    for mut response in pending.list()? {
        let (id, author) = (response.id.clone(), response.author.clone());
        let revision = match Delivery::resume(paths, &path, response.clone(), &current)? {
            Some(delivery) => deliver(reach, delivery).await?,
            None => {
                let reply = put(reach, &path, &pending, &mut response).await?;
                pending.clear(&id)?;
                (!reply.duplicate).then_some(reply.revision)
            }
        };
        if let Some(revision) = revision {
            completed.push(Completed { id, author, revision });
            (current, _) = read(reach, &path).await?;
        }
    }
    Ok(completed)
}

/// Brings the rest of an answer into its document, and settles it. The revision that holds it, unless all of it was there already.
async fn deliver(reach: &mut Reach, mut delivery: Delivery) -> Result<Option<u64>, CompleteError> {
    if delivery.flush(reach, Upto::End).await? == Flushed::NoPlace {
        let message = "the place of an answer is not in the document; put it back, or see it with 'agent-doc recover --list --json'";
        return Err(CompleteError::Refused { message: message.to_owned() });
    }
    Ok(delivery.settle()?.revision)
}

/// Has one response written, under its own name, by which the owner knows it if it was done before.
async fn put(
    reach: &mut Reach,
    path: &str,
    pending: &Pending,
    response: &mut Response,
) -> Result<Reply, CompleteError> {
    let mut refused = String::new();
    for _ in 0..RACES_MAX {
        let (file, revision) = read(reach, path).await?;
        response.applied = response.applied_in(&file);
        response.attempt = None;
        let rest = response.text.get(response.applied..).unwrap_or_default();
        let content = if rest.is_empty() { file.clone() } else { place(&file, response, rest).into() };
        response.attempting(&file, &content);
        pending.put(response)?;
        let write = FileCommand::Write { path: path.to_owned(), content };
        let request = write.by(Actor::User(response.author.clone())).on(revision).named(response.id.clone());
        let reply = reach.execute(request).await?;
        match reply.result {
            FileResult::Error { message, kind: FileErrorKind::Conflict { .. } } => refused = message,
            FileResult::Error { message, .. } => return Err(CompleteError::Refused { message }),
            FileResult::Written { .. }
            | FileResult::Content { .. }
            | FileResult::SectionContent { .. }
            | FileResult::Created { .. } => return Ok(reply),
        }
    }
    Err(CompleteError::Refused { message: refused })
}
