//! The documents of a project, wherever their owner is: in the project's daemon, else here. Never does a request twice, though the
//! daemon may go away in the middle of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::command::{FileErrorKind, FileResult, Reply, Request};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::daemon::{Client, ClientError, Daemon};
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
    /// Nobody did, and now we do, for others as well.
    Serving(Hub, Serving),
    /// Whoever made this reach does, and goes on doing so.
    Shared(Hub),
}

/// Others are served until this is told to end.
#[derive(Debug)]
struct Serving {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
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

    /// As [`open`](Self::open), but where there is no daemon this process is one until it closes, so that others need not wait for
    /// documents that are open here for long.
    ///
    /// # Errors
    ///
    /// [`ReachError`] if neither works.
    pub async fn open_for_long(root: &Path, options: Options) -> Result<Reach, ReachError> {
        let mut reach = Reach::open(root, options).await?;
        reach.serve();
        Ok(reach)
    }

    /// Lets other processes in, if the documents are open here and nobody else serves the project. Whether they are let in, as they are
    /// by whoever shares its documents with us.
    pub(crate) fn serve(&mut self) -> bool {
        if let Way::Own(hub) = &self.way
            && let Ok(daemon) = Daemon::listen(hub.clone())
        {
            let (end, ended) = oneshot::channel();
            // It ends with this reach, also if nobody says so.
            let task = tokio::spawn(daemon.run(async { drop(ended.await) }));
            self.way = Way::Serving(hub.clone(), Serving { end, task });
        }
        // Where it cannot be, others wait for the lock of the document.
        matches!(self.way, Way::Serving(..) | Way::Shared(_))
    }

    /// The documents of a hub of this process, which stays open.
    #[must_use]
    pub fn through(hub: Hub) -> Reach {
        Reach { root: hub.root().to_owned(), options: Options::default(), way: Way::Shared(hub) }
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
            Way::Own(hub) | Way::Serving(hub, _) | Way::Shared(hub) => Ok(hub.execute(request).await),
        }
    }

    /// The documents, if their owners are in this process.
    #[must_use]
    pub fn own(&self) -> Option<&Hub> {
        match &self.way {
            Way::Own(hub) | Way::Serving(hub, _) | Way::Shared(hub) => Some(hub),
            Way::Daemon(_) => None,
        }
    }

    /// Closes what was opened here.
    pub async fn close(self) {
        match self.way {
            Way::Own(hub) => hub.shutdown().await,
            Way::Serving(hub, Serving { end, task }) => {
                // First nobody is let in any more, so that nobody is cut off in the middle.
                if end.send(()).is_err() {
                    // It has ended already.
                }
                drop(task.await);
                hub.shutdown().await;
            }
            Way::Daemon(_) | Way::Shared(_) => {}
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
            Way::Serving(hub, _) | Way::Shared(hub) => return Ok(Some(hub.execute(request.clone()).await)),
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
