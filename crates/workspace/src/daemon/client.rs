//! The other side of the socket: finds the daemon of a project and asks it. Never takes a stale socket for a daemon, and never
//! talks to one that another user runs.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::time::timeout;

use super::address;
use super::wire::{
    ANSWER_MAX, Answer, Calling, GREETING_MAX, GREETING_TIME, Greeting, Incoming, PROTOCOL, WireError,
    is_same_user, send,
};
use crate::command::{Reply, Request};

/// How long an answer may take. An owner that waits for an editor or for a lock needs a while.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// How long to wait before a crowded socket is tried again.
const CROWD_PAUSE: Duration = Duration::from_millis(5);

/// A connection to the daemon of a project.
#[derive(Debug)]
pub struct Client {
    incoming: Incoming,
    outgoing: OwnedWriteHalf,
    process: u32,
    calls: u64,
}

/// Why the daemon did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Another user's.
    #[error("another user listens on the socket of this project; nothing was sent to it")]
    Stranger,
    /// Of another version.
    #[error(
        "process {process} owns this project and speaks protocol {found}, this program {PROTOCOL}; end it, or use its version"
    )]
    Version {
        /// Its protocol.
        found: u32,
        /// Its process.
        process: u32,
    },
    /// It did not understand.
    #[error("the process that owns this project did not understand: {message}")]
    Refused {
        /// What it said.
        message: String,
    },
    /// It listens but does not speak as a daemon does.
    #[error("what listens on the socket of this project is no agent-doc; end it, or remove the socket")]
    NoDaemon(#[source] WireError),
    /// It went away in the middle. Nobody knows whether it did what was asked, so ask again under the same name.
    #[error("the process that owns this project went away in the middle; ask again under the same name")]
    Lost(#[source] WireError),
    /// The socket cannot be used.
    #[error("the socket of this project cannot be used; look who owns '.agent-doc'")]
    Io(#[from] io::Error),
}

impl Client {
    /// Connects to the daemon of the project, if it has one. A socket that nobody listens on counts as none.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if something listens there that cannot be talked to.
    pub async fn find(root: &Path) -> Result<Option<Client>, ClientError> {
        let Some(socket) = address::find(root)? else { return Ok(None) };
        let connected = timeout(GREETING_TIME, connect(&socket)).await;
        let Some(stream) = connected.map_err(|_| ClientError::NoDaemon(WireError::Late))?? else {
            return Ok(None);
        };
        if !is_same_user(&stream) {
            return Err(ClientError::Stranger);
        }
        let (read, mut outgoing) = stream.into_split();
        let mut incoming = Incoming::new(read);
        let greeting: Greeting = match incoming.next(GREETING_TIME, GREETING_MAX).await {
            Ok(greeting) => greeting,
            // It ended between taking the connection and speaking: as good as never begun.
            Err(WireError::Closed | WireError::Io(_)) => return Ok(None),
            Err(error) => return Err(ClientError::NoDaemon(error)),
        };
        let (found, process) = (greeting.protocol, greeting.process);
        if found != PROTOCOL {
            return Err(ClientError::Version { found, process });
        }
        if send(&mut outgoing, &Greeting::ours()).await.is_err() {
            return Ok(None);
        }
        Ok(Some(Client { incoming, outgoing, process, calls: 0 }))
    }

    /// The daemon's process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Has a command done by the daemon's owner of the document. After [`ClientError::Lost`] this client is of no more use.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if no answer came.
    pub async fn execute(&mut self, request: &Request) -> Result<Reply, ClientError> {
        self.calls += 1;
        let asked = self.calls;
        let calling = Calling { call: asked, execute: request };
        send(&mut self.outgoing, &calling).await.map_err(ClientError::Lost)?;
        loop {
            let answer = self.incoming.next(ANSWER_TIME, ANSWER_MAX).await.map_err(ClientError::Lost)?;
            match answer {
                Answer::Reply { call, reply } if call == asked => return Ok(reply),
                // The answer to a call that somebody stopped waiting for.
                Answer::Reply { .. } => {}
                Answer::Refused { message } => return Err(ClientError::Refused { message }),
            }
        }
    }
}

/// A connection; none if nobody listens, or the one who did has just died.
async fn connect(socket: &Path) -> io::Result<Option<UnixStream>> {
    loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => return Ok(Some(stream)),
            // Many others are waiting to be let in.
            Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::time::sleep(CROWD_PAUSE).await,
            Err(error) => {
                let kinds = [ErrorKind::NotFound, ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset];
                return if kinds.contains(&error.kind()) { Ok(None) } else { Err(error) };
            }
        }
    }
}
