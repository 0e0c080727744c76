//! The daemon's side of one connection: greet, then one call after another. Never answers one of another user, and never goes on
//! with one that it does not understand.

use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::watch;

use super::wire::{
    Answer, CALL_MAX, Call, GREETING_MAX, GREETING_TIME, Greeting, Incoming, PROTOCOL, WireError,
    is_same_user, send,
};
use crate::hub::Hub;

/// How long a connection may be silent before it is closed.
const IDLE_MAX: Duration = Duration::from_secs(300);

/// Serves until the other side goes, says something strange, or the daemon ends.
pub(super) async fn serve(
    stream: UnixStream,
    hub: Hub,
    mut stopped: watch::Receiver<bool>,
) -> Result<(), WireError> {
    if !is_same_user(&stream) {
        return Ok(());
    }
    let (read, mut outgoing) = stream.into_split();
    let mut incoming = Incoming::new(read);
    send(&mut outgoing, &Greeting::ours()).await?;
    let greeting: Result<Greeting, WireError> = incoming.next(GREETING_TIME, GREETING_MAX).await;
    let mut refused = match greeting {
        Ok(greeting) if greeting.protocol == PROTOCOL => None,
        Ok(greeting) => Some(format!(
            "protocol {} is not understood here, only {PROTOCOL}; use the same version of agent-doc",
            greeting.protocol
        )),
        Err(error @ (WireError::Strange(_) | WireError::TooLong { .. })) => {
            Some(format!("no greeting: {error}"))
        }
        Err(error) => return Err(error),
    };
    while refused.is_none() {
        let call = tokio::select! {
            biased;
            call = incoming.next::<Call>(IDLE_MAX, CALL_MAX) => call,
            _ = stopped.wait_for(|is_stopped| *is_stopped) => return Ok(()),
        };
        match call {
            Ok(Call { call, execute }) => {
                let reply = hub.execute(execute).await;
                send(&mut outgoing, &Answer::Reply { call, reply }).await?;
            }
            Err(error @ (WireError::Strange(_) | WireError::TooLong { .. })) => {
                refused = Some(format!("no call: {error}"));
            }
            Err(WireError::Closed | WireError::Late) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    match refused {
        Some(message) => send(&mut outgoing, &Answer::Refused { message }).await,
        None => Ok(()),
    }
}
