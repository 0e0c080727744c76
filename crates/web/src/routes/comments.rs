//! Comments on passages. Never changes the text.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;

use super::document::{person_name, request_name};
use crate::comments::Speaker;
use crate::refused::Answer;
use crate::server::Shared;
use crate::wire::{CommentCall, Nothing};

pub(super) async fn change(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(CommentCall { path, name, change }): Json<CommentCall>,
) -> Answer<Json<Nothing>> {
    let author = person_name(&name).unwrap_or(&shared.person).to_owned();
    let by = Speaker { author, request: request_name(&headers)? };
    let path = shared.hub.document(&path).await?.path().to_owned();
    shared.book.change(&path, change, by).await?;
    Ok(Json(Nothing {}))
}
