//! One JSON value a line, in both directions. Never reads a line without a limit, and never waits without one.

use std::io;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use crate::command::{Reply, Request};

/// The protocol that is spoken here. Another number means that the two do not understand each other.
pub const PROTOCOL: u32 = 1;

/// The longest call: the longest document, with room for what JSON adds to it.
pub(super) const CALL_MAX: u64 = 64 << 20;
/// The longest answer: a whole document, perhaps twice.
pub(super) const ANSWER_MAX: u64 = 128 << 20;
/// The longest greeting.
pub(super) const GREETING_MAX: u64 = 4096;
/// How long the other side may take to say who it is.
pub(super) const GREETING_TIME: Duration = Duration::from_secs(5);
/// How long a line may take once it has begun.
const LINE_TIME: Duration = Duration::from_secs(30);

/// The first line of either side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// The version of the program.
    pub(super) agent_doc: String,
    pub(super) protocol: u32,
    pub(super) process: u32,
}

impl Greeting {
    pub(super) fn ours() -> Greeting {
        Greeting {
            agent_doc: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            process: std::process::id(),
        }
    }
}

/// Something to do, with a number that comes back with the answer.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    pub(super) call: u64,
    pub(super) execute: Request,
}

/// A call on its way out.
#[derive(Debug, Serialize)]
pub(super) struct Calling<'r> {
    pub(super) call: u64,
    pub(super) execute: &'r Request,
}

/// What comes back.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The call was done, or the owner of the document refused it.
    Reply {
        call: u64,
        #[serde(flatten)]
        reply: Reply,
    },
    /// The line was not understood. Nothing more is read from this connection.
    Refused { message: String },
}

/// Why a line did not come or go.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The other side has gone.
    #[error("the connection was closed")]
    Closed,
    /// The other side is silent.
    #[error("no whole line came in time")]
    Late,
    /// The line is longer than allowed.
    #[error("a line has more than {limit} bytes")]
    TooLong {
        /// How many it may have.
        limit: u64,
    },
    /// The line is not what may stand there.
    #[error("a line is not understood")]
    Strange(#[from] serde_json::Error),
    /// The system said no.
    #[error("the connection broke")]
    Io(#[from] io::Error),
}

/// The lines that come in.
#[derive(Debug)]
pub(super) struct Incoming {
    reader: BufReader<OwnedReadHalf>,
    line: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(half: OwnedReadHalf) -> Incoming {
        Incoming { reader: BufReader::new(half), line: Vec::new() }
    }

    /// The next line, which begins within `patience`.
    pub(super) async fn next<T: DeserializeOwned>(
        &mut self,
        patience: Duration,
        limit: u64,
    ) -> Result<T, WireError> {
        if timeout(patience, self.reader.fill_buf()).await.map_err(|_| WireError::Late)??.is_empty() {
            return Err(WireError::Closed);
        }
        self.line.clear();
        let mut limited = (&mut self.reader).take(limit.saturating_add(1));
        let read = limited.read_until(b'\n', &mut self.line);
        timeout(LINE_TIME, read).await.map_err(|_| WireError::Late)??;
        if self.line.len() as u64 > limit {
            return Err(WireError::TooLong { limit });
        }
        if self.line.last() != Some(&b'\n') {
            return Err(WireError::Closed);
        }
        let value = serde_json::from_slice(&self.line)?;
        // A long document is not kept for a connection that may be idle from now on.
        self.line = Vec::new();
        Ok(value)
    }
}

/// Sends one line.
pub(super) async fn send(to: &mut OwnedWriteHalf, value: &impl Serialize) -> Result<(), WireError> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(timeout(LINE_TIME, to.write_all(&line)).await.map_err(|_| WireError::Late)??)
}

/// Whether the other side runs for the user that we run for.
pub(super) fn is_same_user(stream: &tokio::net::UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}
