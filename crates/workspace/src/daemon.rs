//! One process owns the documents of a project; others of the same user ask it over a socket. Never answers another user, never
//! lets two processes be the owner, and never writes a document itself: what it is asked goes to the hub.
//!
//! Who finds no daemon takes the lock of the document and does the work itself; [`crate::reach`] does either.

mod address;
mod client;
mod connection;
mod wire;

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use client::{Client, ClientError};
pub use wire::PROTOCOL;

use crate::hub::Hub;
use crate::lock::{LockError, OwnerLock};
use crate::sidecar::{Sidecar, SidecarError};
use address::Address;

/// How many others may be connected; more wait until one has gone.
const CONNECTIONS_MAX: usize = 256;
/// How long to wait when the system has no connection for us, such as when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long calls that have begun may take to end when the daemon is told to.
const GRACE: Duration = Duration::from_secs(5);

/// The owner of a project's documents, as other processes see it.
#[derive(Debug)]
pub struct Daemon {
    hub: Hub,
    listener: UnixListener,
    address: Address,
    /// Held until the socket is gone, so that nobody else takes a live socket for a stale one.
    _lock: OwnerLock,
}

/// Why there is no daemon here.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// There is one already.
    #[error("process {process} owns the documents of this project already; end it, or work through it")]
    Running {
        /// Its process.
        process: u32,
    },
    /// The state folder cannot be used.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// The lock cannot be used.
    #[error(transparent)]
    Lock(LockError),
    /// The socket cannot be made.
    #[error("no socket can be made in '.agent-doc'; look who owns the folder")]
    Socket(#[from] io::Error),
}

impl Daemon {
    /// Listens for the project of the hub, in a runtime that does IO. A socket that a dead process left is replaced.
    ///
    /// # Errors
    ///
    /// [`DaemonError`] if there is a daemon already, or the folder cannot be used.
    pub fn listen(hub: Hub) -> Result<Daemon, DaemonError> {
        let sidecar = Sidecar::open(hub.root())?;
        let lock = OwnerLock::take(&sidecar.daemon_lock(), "the daemon").map_err(|error| match error {
            LockError::Held(held) => DaemonError::Running { process: held.pid },
            error @ LockError::Io { .. } => DaemonError::Lock(error),
        })?;
        let (listener, address) = address::bind(hub.root())?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        Ok(Daemon { hub, listener, address, _lock: lock })
    }

    /// Where it listens.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.address.socket()
    }

    /// Serves until `end`. Calls that have begun are answered; the hub stays open.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => break,
                // What went wrong on a connection was told there, as far as anybody listened.
                Some(_ended) = connections.join_next() => {}
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(connection::serve(stream, self.hub.clone(), stopped.clone()));
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
        drop(self.listener);
        self.address.remove();
        stop.send_replace(true);
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            // The rest is cut off; those who asked ask again, and what was done is not done twice.
        }
    }
}
