//! What one turn of an owner leaves to be told. Never fails for a listener that has gone.

use tokio::sync::oneshot;

use super::Finished;
use crate::command::{Refusal, Reply};
use crate::event::DocumentChanged;

/// What came of one turn.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) answers: Vec<Answer>,
    pub(super) events: Vec<DocumentChanged>,
    /// The file still lacks words.
    pub(super) is_unwritten: bool,
    /// Peers have not heard of it yet.
    pub(super) tells_peers_later: bool,
    /// There is something to try again, though nobody may ask.
    pub(super) needs_retry: bool,
}

/// An answer and where it goes.
pub(super) enum Answer {
    /// To a command.
    Reply { to: oneshot::Sender<Reply>, reply: Reply, is_change: bool },
    /// To one that wants to write little by little.
    Stream { to: oneshot::Sender<Result<u64, Refusal>>, opened: Result<u64, Refusal> },
    /// To one that has said all.
    Finished { to: Option<oneshot::Sender<Result<Finished, Refusal>>>, finished: Result<Finished, Refusal> },
    /// To one that waited for the turn to be over.
    Settled { to: oneshot::Sender<()> },
}

impl Answer {
    /// The words are not in the file, so what looked like success is none.
    pub(super) fn fail(&mut self, refusal: &Refusal) {
        match self {
            Self::Reply { reply, is_change: true, .. } => reply.result = refusal.clone().into(),
            // A leftover is in the caller's hands again, so nothing of it waits for the disk.
            Self::Finished { finished, .. } if finished.as_ref().is_ok_and(|all| all.leftover.is_none()) => {
                *finished = Err(refusal.clone());
            }
            Self::Reply { .. } | Self::Stream { .. } | Self::Finished { .. } | Self::Settled { .. } => {}
        }
    }

    /// Sends it. A caller that has gone does not matter: what it asked for is done.
    pub(super) fn send(self) {
        let _is_heard: bool = match self {
            Self::Reply { to, reply, .. } => to.send(reply).is_ok(),
            Self::Stream { to, opened } => to.send(opened).is_ok(),
            Self::Finished { to: Some(to), finished } => to.send(finished).is_ok(),
            Self::Finished { to: None, .. } => true,
            Self::Settled { to } => to.send(()).is_ok(),
        };
    }
}
