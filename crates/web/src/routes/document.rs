//! Documents: the list, their texts, and commands for their owners. Never guesses on what a change was built.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use workspace::command::{Actor, FileCommand, FileResult, Reply, Request};
use workspace::{Author, Revision, catalog};

use crate::key::{Admitted, Role};
use crate::plain;
use crate::refused::{Answer, Refused};
use crate::server::Shared;
use crate::wire::{Done, Home, Rebase, SectionCall, SectionChange, VersionText, WriteCall};

/// The longest name of a person.
const NAME_MAX: usize = 40;
/// The longest name of a request.
const REQUEST_MAX: usize = 200;

/// A document by its path.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    pub(super) path: String,
}

/// A section by its title.
#[derive(Debug, Deserialize)]
pub(super) struct WhichSection {
    path: String,
    section: String,
}

pub(super) async fn home(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
) -> Answer<Json<Home>> {
    let root = shared.hub.root().to_owned();
    let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // One look at the folder at a time: a flood of questions shall not be a flood of readers.
    let looking = shared.looking.acquire().await;
    let listed = tokio::task::spawn_blocking(move || catalog::list(&root)).await.unwrap_or_default();
    drop(looking);
    Ok(Json(Home {
        folder,
        person: shared.person.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        writes: admitted.role == Role::Person,
        runs: shared.runs.is_some(),
        model: shared.model.name.clone(),
        offline: shared.model.is_offline,
        documents: listed.into_iter().map(Into::into).collect(),
    }))
}

pub(super) async fn read(State(shared): State<Arc<Shared>>, Query(which): Query<Which>) -> Answer<Response> {
    let handle = shared.hub.document(&which.path).await?;
    shared.watching.document(handle.path());
    let snapshot = handle.read();
    Ok(tagged(VersionText { revision: snapshot.revision, text: snapshot.text.to_string() }))
}

pub(super) async fn html(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<Which>,
) -> Answer<Html<String>> {
    let text = shared.hub.document(&which.path).await?.read().text;
    Ok(Html(plain::rendered(&text)))
}

pub(super) async fn read_section(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Query(WhichSection { path, section }): Query<WhichSection>,
) -> Answer<Response> {
    let command = FileCommand::ReadSection { path, section };
    let Reply { revision, result, .. } = shared.hub.execute(command.by(shared.actor(&admitted))).await;
    match result {
        FileResult::SectionContent { content, .. } => Ok(tagged(VersionText { revision, text: content })),
        FileResult::Error { message, kind } => Err(Refused::of(message, kind)),
        FileResult::Content { .. } | FileResult::Written { .. } | FileResult::Created { .. } => {
            Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "no text came back; try again"))
        }
    }
}

/// Writes a whole document, or makes it: then no revision is given.
pub(super) async fn write(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
    Json(WriteCall { path, text }): Json<WriteCall>,
) -> Answer<Response> {
    let command = FileCommand::Write { path, content: text.into() };
    perform(&shared, command.by(shared.actor(&admitted)), &headers).await
}

pub(super) async fn rebase(State(shared): State<Arc<Shared>>, Json(asked): Json<Rebase>) -> Answer<Response> {
    let handle = shared.hub.document(&asked.path).await?;
    let name = person_name(&asked.name).unwrap_or(&shared.person).to_owned();
    done(handle.rebase(Author::new(name), asked.base, asked.text).await)
}

pub(super) async fn section(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
    Json(SectionCall { path, section, change }): Json<SectionCall>,
) -> Answer<Response> {
    let command = match change {
        SectionChange::Append { content } => FileCommand::AppendSection { path, section, content },
        SectionChange::Write { content } => FileCommand::WriteSection { path, section, content },
        SectionChange::Edit { old, new } => FileCommand::EditSection { path, section, old, new },
    };
    perform(&shared, command.by(shared.actor(&admitted)), &headers).await
}

/// Has a command done on the grounds that the headers name.
pub(super) async fn perform(shared: &Shared, mut request: Request, headers: &HeaderMap) -> Answer<Response> {
    request.base = base(headers)?;
    request.request_id = request_name(headers)?;
    let path = request.command.path().map(str::to_owned);
    let answer = done(shared.hub.execute(request).await);
    if answer.is_ok()
        && let Some(path) = path
    {
        shared.watching.document(&path);
    }
    answer
}

/// The revision that the caller has read. One that is none is refused, because to pass it over would be to guess.
fn base(headers: &HeaderMap) -> Answer<Option<Revision>> {
    let Some(tag) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let revision = tag.to_str().ok().and_then(|tag| tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok());
    let wrong =
        || Refused::new(StatusCode::BAD_REQUEST, "the header If-Match names no revision, such as \"7\"");
    revision.map(Some).ok_or_else(wrong)
}

/// The caller's name for the request.
pub(super) fn request_name(headers: &HeaderMap) -> Answer<Option<String>> {
    let Some(name) = headers.get("idempotency-key") else { return Ok(None) };
    let name = name.to_str().ok().filter(|name| !name.is_empty() && name.len() <= REQUEST_MAX);
    let wrong = || {
        let message =
            format!("the header Idempotency-Key has no name of at most {REQUEST_MAX} plain letters");
        Refused::new(StatusCode::BAD_REQUEST, message)
    };
    name.map(|name| Some(name.to_owned())).ok_or_else(wrong)
}

fn done(reply: Reply) -> Answer<Response> {
    match reply.result {
        FileResult::Error { message, kind } => Err(Refused::of(message, kind)),
        FileResult::Written { .. }
        | FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => {
            let done = Done { revision: reply.revision, repeated: reply.duplicate };
            Ok((tag(reply.revision), Json(done)).into_response())
        }
    }
}

fn tagged(version: VersionText) -> Response {
    (tag(version.revision), Json(version)).into_response()
}

fn tag(revision: Revision) -> [(header::HeaderName, HeaderValue); 1] {
    let tag = HeaderValue::from_str(&format!("\"{revision}\""));
    [(header::ETAG, tag.unwrap_or(HeaderValue::from_static("\"0\"")))]
}

/// A name that a person may write under. Those of the program's own parts are taken.
pub(crate) fn person_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_taken = ["conductor", "system"].contains(&name.to_lowercase().as_str());
    let is_plain =
        !name.is_empty() && name.chars().count() <= NAME_MAX && !name.chars().any(char::is_control);
    (is_plain && !is_taken).then_some(name)
}

impl Shared {
    /// In whose name somebody changes documents: said by the secret, never by the request.
    pub(crate) fn actor(&self, admitted: &Admitted) -> Actor {
        match &admitted.role {
            Role::Worker(name) => Actor::Worker(name.clone()),
            Role::Person | Role::Reader => Actor::User(self.person.clone()),
        }
    }
}
