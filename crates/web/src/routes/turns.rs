//! Answers in session documents: begin one, stop one. Never takes a turn: whoever answers is asked.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::refused::{Answer, Refused};
use crate::server::Shared;
use crate::turns::{TurnPace, Turns};
use crate::wire::{Nothing, TurnCall, TurnStop, WirePace};

pub(super) async fn begin(
    State(shared): State<Arc<Shared>>,
    Json(TurnCall { path, pace }): Json<TurnCall>,
) -> Answer<Json<Nothing>> {
    let handle = shared.hub.document(&path).await?;
    shared.watching.document(handle.path());
    let pace = match pace {
        WirePace::Whole => TurnPace::Whole,
        WirePace::Streamed => TurnPace::Streamed,
    };
    let begun = shared.answering()?.begin(handle.path(), pace);
    begun.map_err(|why| Refused::new(StatusCode::CONFLICT, why))?;
    Ok(Json(Nothing {}))
}

pub(super) async fn stop(
    State(shared): State<Arc<Shared>>,
    Json(TurnStop { path }): Json<TurnStop>,
) -> Answer<Json<Nothing>> {
    if shared.answering()?.stop(&path) {
        return Ok(Json(Nothing {}));
    }
    Err(Refused::new(
        StatusCode::CONFLICT,
        format!("{path}: nobody answers it from here; there is nothing to stop"),
    ))
}

impl Shared {
    fn answering(&self) -> Answer<&Arc<dyn Turns>> {
        let none = || Refused::new(StatusCode::NOT_IMPLEMENTED, "this server answers no documents");
        self.turns.as_ref().ok_or_else(none)
    }
}
