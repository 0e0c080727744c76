//! The past of a document, and the way back. Never changes what was.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::{Extension, Json};
use serde::Deserialize;
use workspace::Revision;
use workspace::command::FileCommand;

use super::document::{Which, perform};
use crate::key::Admitted;
use crate::refused::{Answer, Refused};
use crate::server::Shared;
use crate::wire::{Past, PastVersion, Restore, VersionText};

/// How many versions are told at once.
const VERSIONS_MAX: usize = 500;

/// One version of a document.
#[derive(Debug, Deserialize)]
pub(super) struct WhichVersion {
    path: String,
    revision: u64,
}

pub(super) async fn history(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<Which>,
) -> Answer<Json<Past>> {
    let history = shared.hub.history(&which.path).await?;
    let versions = history.entries().iter().rev().take(VERSIONS_MAX).map(PastVersion::from).collect();
    Ok(Json(Past { versions }))
}

pub(super) async fn version(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<WhichVersion>,
) -> Answer<Json<VersionText>> {
    let revision = which.revision;
    let text = text_at(&shared, &which.path, revision).await?;
    Ok(Json(VersionText { revision, text }))
}

pub(super) async fn restore(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
    Json(asked): Json<Restore>,
) -> Answer<Response> {
    let content = text_at(&shared, &asked.path, asked.revision).await?;
    let command = FileCommand::Write { path: asked.path, content: content.into() };
    perform(&shared, command.by(shared.actor(&admitted)), &headers).await
}

async fn text_at(shared: &Shared, path: &str, revision: Revision) -> Answer<String> {
    let history = shared.hub.history(path).await?;
    history.text_at(revision).ok_or_else(|| {
        let message = format!("{path}: revision {revision} is not kept; choose one from the list");
        Refused::new(StatusCode::NOT_FOUND, message)
    })
}
