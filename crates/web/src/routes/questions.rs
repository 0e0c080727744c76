//! Answers to questions of agents. Never decides: the answer goes to whoever asked.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};

use super::document::request_name;
use crate::desk::Untaken;
use crate::refused::{Answer, Refused};
use crate::server::Shared;
use crate::wire::{AnswerCall, Nothing};

pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(AnswerCall { option, words }): Json<AnswerCall>,
) -> Answer<Json<Nothing>> {
    let answered = shared.desk.answer(&id, request_name(&headers)?, &option, words);
    answered.map(|()| Json(Nothing {})).map_err(|untaken| match untaken {
        Untaken::Gone => Refused::new(
            StatusCode::CONFLICT,
            "nobody asks that any more: it was answered elsewhere, or the agent was stopped",
        ),
        Untaken::NotOffered => {
            Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "that is none of the answers; load the page again")
        }
        Untaken::TooLong => Refused::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "that is too much to say with an answer; keep it in a document",
        ),
    })
}
