//! The HTTP routes: the list, texts, the past, and commands. Never touches a document but through its owner.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use workspace::{Author, Revision, catalog};

use crate::plain;
use crate::server::Shared;
use crate::wire::{
    Done, Home, Past, PastVersion, Problem, Rebase, Restore, SectionCall, SectionChange, VersionText,
};

/// How many versions are told at once.
const VERSIONS_MAX: usize = 500;
/// The longest name of a person.
const NAME_MAX: usize = 40;

/// Every route that needs the secret, with its method.
pub const API: [(&str, &str); 8] = [
    ("GET", "/api/home"),
    ("GET", "/api/document"),
    ("GET", "/api/document/html"),
    ("GET", "/api/history"),
    ("GET", "/api/version"),
    ("POST", "/api/restore"),
    ("POST", "/api/rebase"),
    ("POST", "/api/section"),
];

pub(crate) fn api() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/home", get(home))
        .route("/api/document", get(document))
        .route("/api/document/html", get(html))
        .route("/api/history", get(history))
        .route("/api/version", get(version))
        .route("/api/restore", post(restore))
        .route("/api/rebase", post(rebase))
        .route("/api/section", post(section))
}

/// A document by its path.
#[derive(Debug, Deserialize)]
struct Which {
    path: String,
}

/// One version of a document.
#[derive(Debug, Deserialize)]
struct WhichVersion {
    path: String,
    revision: u64,
}

type Answer<T> = Result<T, Refused>;

async fn home(State(shared): State<Arc<Shared>>) -> Answer<Json<Home>> {
    let root = shared.hub.root().to_owned();
    let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let listed = tokio::task::spawn_blocking(move || catalog::list(&root)).await.unwrap_or_default();
    Ok(Json(Home {
        folder,
        person: shared.person.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        documents: listed.into_iter().map(Into::into).collect(),
    }))
}

async fn document(State(shared): State<Arc<Shared>>, Query(which): Query<Which>) -> Answer<Response> {
    let handle = shared.hub.document(&which.path).await?;
    shared.watching.document(handle.path());
    let snapshot = handle.read();
    let tag = [(header::ETAG, format!("\"{}\"", snapshot.revision))];
    let version = VersionText { revision: snapshot.revision, text: snapshot.text.to_string() };
    Ok((tag, Json(version)).into_response())
}

async fn html(State(shared): State<Arc<Shared>>, Query(which): Query<Which>) -> Answer<Html<String>> {
    let text = shared.hub.document(&which.path).await?.read().text;
    Ok(Html(plain::rendered(&text)))
}

async fn history(State(shared): State<Arc<Shared>>, Query(which): Query<Which>) -> Answer<Json<Past>> {
    let history = shared.hub.history(&which.path).await?;
    let versions = history.entries().iter().rev().take(VERSIONS_MAX).map(PastVersion::from).collect();
    Ok(Json(Past { versions }))
}

async fn version(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<WhichVersion>,
) -> Answer<Json<VersionText>> {
    let revision = which.revision;
    let text = text_at(&shared, &which.path, revision).await?;
    Ok(Json(VersionText { revision, text }))
}

async fn text_at(shared: &Shared, path: &str, revision: Revision) -> Answer<String> {
    let history = shared.hub.history(path).await?;
    history.text_at(revision).ok_or_else(|| {
        let message = format!("{path}: revision {revision} is not kept; choose one from the list");
        Refused { status: StatusCode::NOT_FOUND, problem: Problem { message, current: None } }
    })
}

async fn restore(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(asked): Json<Restore>,
) -> Answer<Json<Done>> {
    let content = text_at(&shared, &asked.path, asked.revision).await?;
    let command = FileCommand::Write { path: asked.path, content };
    perform(&shared, command.by(Actor::User(shared.person.clone())), &headers).await
}

async fn rebase(State(shared): State<Arc<Shared>>, Json(asked): Json<Rebase>) -> Answer<Json<Done>> {
    let handle = shared.hub.document(&asked.path).await?;
    let name = person_name(&asked.name).unwrap_or(&shared.person).to_owned();
    done(handle.rebase(Author::new(name), asked.base, asked.text).await)
}

async fn section(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(asked): Json<SectionCall>,
) -> Answer<Json<Done>> {
    let SectionCall { path, section, writer, change } = asked;
    let command = match change {
        SectionChange::Append { content } => FileCommand::AppendSection { path, section, content },
        SectionChange::Write { content } => FileCommand::WriteSection { path, section, content },
        SectionChange::Edit { old, new } => FileCommand::EditSection { path, section, old, new },
    };
    let actor = match writer.as_deref() {
        None => Actor::User(shared.person.clone()),
        Some("conductor") => Actor::Conductor,
        Some(worker) => Actor::Worker(worker.to_owned()),
    };
    perform(&shared, command.by(actor), &headers).await
}

/// Has a command done on the grounds that the headers name.
async fn perform(shared: &Shared, mut request: Request, headers: &HeaderMap) -> Answer<Json<Done>> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    request.base = text("if-match").and_then(|tag| tag.trim_matches('"').parse().ok());
    request.request_id = text("idempotency-key").map(str::to_owned);
    if let Some(path) = request.command.path() {
        shared.watching.document(shared.hub.document(path).await?.path());
    }
    done(shared.hub.execute(request).await)
}

fn done(reply: Reply) -> Answer<Json<Done>> {
    match reply.result {
        FileResult::Error { message, kind } => Err(Refused::new(message, kind)),
        FileResult::Written { .. }
        | FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => Ok(Json(Done { revision: reply.revision })),
    }
}

/// A name that a person may write under. Those of the program's own parts are taken.
pub(crate) fn person_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_taken = ["conductor", "system"].contains(&name.to_lowercase().as_str());
    let is_plain =
        !name.is_empty() && name.chars().count() <= NAME_MAX && !name.chars().any(char::is_control);
    (is_plain && !is_taken).then_some(name)
}

/// A refusal as an answer.
pub(crate) struct Refused {
    status: StatusCode,
    problem: Problem,
}

impl Refused {
    fn new(message: String, kind: FileErrorKind) -> Refused {
        let status = match &kind {
            FileErrorKind::NotFound | FileErrorKind::SectionNotFound => StatusCode::NOT_FOUND,
            FileErrorKind::PathTraversal => StatusCode::BAD_REQUEST,
            FileErrorKind::Forbidden { .. } => StatusCode::FORBIDDEN,
            FileErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            FileErrorKind::InvalidContent => StatusCode::UNPROCESSABLE_ENTITY,
            FileErrorKind::NoMatch
            | FileErrorKind::MultipleMatches { .. }
            | FileErrorKind::Conflict { .. }
            | FileErrorKind::AlreadyExists => StatusCode::CONFLICT,
            FileErrorKind::IoError => StatusCode::SERVICE_UNAVAILABLE,
        };
        let current = match kind {
            FileErrorKind::Conflict { current_revision, current } => {
                Some(VersionText { revision: current_revision, text: current })
            }
            _ => None,
        };
        Refused { status, problem: Problem { message, current } }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Refused::new(refusal.message, refusal.kind)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}
