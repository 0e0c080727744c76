//! The documents of a project, wherever their owner is: in the project's daemon, else here. Never does a request twice, though the
//! daemon may go away in the middle of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::command::{FileErrorKind, FileResult, Reply, Request};
use crate::daemon::{Client, ClientError};
use crate::hub::Hub;
use crate::owner::Options;
use crate::project::{self, ProjectError};

/// How often an owner may go away in the middle of one request.
const ATTEMPTS_MAX: usize = 8;

/// Tells the requests of one process apart.
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// A way to the owners of a project's documents.
#[derive(Debug)]
pub struct Reach {
    root: PathBuf,
    options: Options,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Another process owns the project.
    Daemon(Box<Client>),
    /// Nobody does; each document is locked while it is open here.
    Own(Hub),
}

/// Why the documents cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// There is a daemon, and it does not answer.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// There is none, and the project cannot be opened.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

impl Reach {
    /// Finds the daemon of the project, or opens the project here. The options are for the latter.
    ///
    /// # Errors
    ///
    /// [`ReachError`] if neither works.
    pub async fn open(root: &Path, options: Options) -> Result<Reach, ReachError> {
        let way = way(root, &options).await?;
        Ok(Reach { root: root.to_owned(), options, way })
    }

    /// Has a command done by the owner of its document. A request without a name gets one, so that it can be asked again.
    ///
    /// # Errors
    ///
    /// [`ReachError`] if no owner answered. Whether the command was done is then not known; the same request can be given again.
    pub async fn execute(&mut self, mut request: Request) -> Result<Reply, ReachError> {
        let (clock, count) = (&self.options.clock, REQUESTS.fetch_add(1, Ordering::Relaxed));
        let name = || format!("{}-{:x}-{count}", std::process::id(), clock());
        request.request_id.get_or_insert_with(name);
        for _ in 1..ATTEMPTS_MAX {
            if let Some(reply) = self.attempt(&request).await? {
                return Ok(reply);
            }
        }
        match &mut self.way {
            Way::Daemon(client) => Ok(client.execute(&request).await?),
            Way::Own(hub) => Ok(hub.execute(request).await),
        }
    }

    /// Closes what was opened here.
    pub async fn close(self) {
        match self.way {
            Way::Own(hub) => hub.shutdown().await,
            Way::Daemon(_) => {}
        }
    }

    /// The answer; none if the owner is another one now.
    async fn attempt(&mut self, request: &Request) -> Result<Option<Reply>, ReachError> {
        match &mut self.way {
            Way::Daemon(client) => match client.execute(request).await {
                Ok(reply) => return Ok(Some(reply)),
                Err(ClientError::Lost(_)) => self.way = way(&self.root, &self.options).await?,
                Err(error) => return Err(error.into()),
            },
            Way::Own(hub) => {
                let reply = hub.execute(request.clone()).await;
                let is_disk = matches!(reply.result, FileResult::Error { kind: FileErrorKind::IoError, .. });
                // It may be locked by a daemon that has begun since we looked.
                match if is_disk { Client::find(&self.root).await? } else { None } {
                    None => return Ok(Some(reply)),
                    Some(client) => {
                        hub.shutdown().await;
                        self.way = Way::Daemon(Box::new(client));
                    }
                }
            }
        }
        Ok(None)
    }
}

async fn way(root: &Path, options: &Options) -> Result<Way, ReachError> {
    match Client::find(root).await? {
        Some(client) => Ok(Way::Daemon(Box::new(client))),
        None => Ok(Way::Own(project::open(root, options.clone())?)),
    }
}
