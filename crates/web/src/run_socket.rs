//! The live connection of the first page: how all runs are, and then each that changes. Never carries a document.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use tokio::time::interval;

use crate::beside::{latest, next, waiting};
use crate::key::{Admitted, Role};
use crate::server::Shared;
use crate::socket::{CLOSE_GONE, CLOSE_RENEWED, End, PING, close, full, limited, place, send, text};
use crate::wire::WireRunEvent;

/// A page that shows all runs: first how they are, then each that changes.
pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(permit) = place(&shared) else { return full() };
    limited(upgrade).on_upgrade(move |mut socket| async move {
        let (code, reason) = tell_runs(&mut socket, &shared, admitted).await;
        close(socket, code, &reason).await;
        drop(permit);
    })
}

async fn tell_runs(socket: &mut WebSocket, shared: &Shared, mut admitted: Admitted) -> End {
    let gone = || (CLOSE_GONE, String::new());
    let mut changes = shared.runs.as_ref().map(|runs| runs.listen());
    let listed = match &shared.runs {
        Some(runs) => runs.list().await.unwrap_or_default(),
        None => Vec::new(),
    };
    let all = WireRunEvent::All { runs: listed.iter().map(Into::into).collect() };
    let mut questions = (admitted.role == Role::Person).then(|| shared.desk.listen());
    let open = questions.as_mut().map(|open| Arc::clone(&open.borrow_and_update()));
    let first = WireRunEvent::Waiting { documents: open.map(|open| waiting(&open)).unwrap_or_default() };
    for event in [&all, &first] {
        if !send(socket, text(event)).await {
            return gone();
        }
    }
    let mut pings = interval(PING);
    loop {
        let is_there = tokio::select! {
            _renewed = admitted.renewals.changed() => {
                return (CLOSE_RENEWED, "the secret was made anew".to_owned());
            }
            run = next(&mut changes) => send(socket, text(&WireRunEvent::One { run: Box::new((&*run).into()) })).await,
            open = latest(&mut questions) => {
                send(socket, text(&WireRunEvent::Waiting { documents: waiting(&open) })).await
            }
            message = socket.recv() => matches!(message, Some(Ok(Message::Ping(_) | Message::Pong(_)))),
            _ = pings.tick() => send(socket, Message::Ping(Bytes::new())).await,
        };
        if !is_there {
            return gone();
        }
    }
}
