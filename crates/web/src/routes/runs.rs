//! Runs: begin one, see them, and say what is wanted of them. Never runs anything: whoever conducts is asked.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};

use super::document::request_name;
use crate::refused::{Answer, Refused};
use crate::runs::{Decision, Directive, Objective, Run, Runs};
use crate::server::Shared;
use crate::wire::{DecisionCall, DirectiveCall, Done, Nothing, RunCall, StopCall, WireRun, WireStarted};

/// The longest objective and directive, in bytes.
const OBJECTIVE_MAX: usize = 64 << 10;
const DIRECTIVE_MAX: usize = 8 << 10;
/// How many proposals one word of a person decides.
const PROPOSALS_MAX: usize = 1000;
/// How many workers a person may name.
const WORKERS_MAX: usize = 64;

pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Answer<Json<Vec<WireRun>>> {
    let runs = shared.conductor()?.list().await?;
    Ok(Json(runs.iter().map(WireRun::from).collect()))
}

pub(super) async fn start(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(RunCall { objective, workers }): Json<RunCall>,
) -> Answer<(StatusCode, Json<WireStarted>)> {
    let text = said(objective, "the objective", OBJECTIVE_MAX)?;
    if workers.len() > WORKERS_MAX {
        let message = format!("a run has at most {WORKERS_MAX} workers; name fewer");
        return Err(Refused::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let runs = shared.conductor()?;
    let request = request_name(&headers)?;
    let wanted = Objective { text, workers, request: request.clone() };
    let (started, _) = shared.starts.named(request, async || Ok(runs.start(wanted).await?)).await?;
    shared.watching.document(&started.path);
    Ok((StatusCode::CREATED, Json(started.into())))
}

pub(super) async fn show(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer<Json<WireRun>> {
    let run = shared.conductor()?.show(&id).await?;
    Ok(Json((&run).into()))
}

pub(super) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<Json<Nothing>> {
    let runs = shared.conductor()?;
    let cancel = async || Ok(runs.cancel(&id).await.map(|()| 0)?);
    shared.steered.named(of_run("cancel", &id, &headers)?, cancel).await?;
    Ok(Json(Nothing {}))
}

pub(super) async fn resume(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<Json<Nothing>> {
    let runs = shared.conductor()?;
    let resume = async || Ok(runs.resume(&id).await.map(|()| 0)?);
    shared.steered.named(of_run("resume", &id, &headers)?, resume).await?;
    Ok(Json(Nothing {}))
}

pub(super) async fn stop(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(StopCall { worker }): Json<StopCall>,
) -> Answer<Json<Nothing>> {
    let runs = shared.conductor()?;
    let stop = async || Ok(runs.stop(&id, &worker).await.map(|()| 0)?);
    shared.steered.named(of_run("stop", &id, &headers)?, stop).await?;
    Ok(Json(Nothing {}))
}

pub(super) async fn direct(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(DirectiveCall { text }): Json<DirectiveCall>,
) -> Answer<Json<Nothing>> {
    let text = said(text, "the directive", DIRECTIVE_MAX)?;
    shared.conductor()?.direct(&id, Directive { text, request: request_name(&headers)? }).await?;
    Ok(Json(Nothing {}))
}

pub(super) async fn decide(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(DecisionCall { proposals, accept }): Json<DecisionCall>,
) -> Answer<Json<Done>> {
    if proposals.is_empty() || proposals.len() > PROPOSALS_MAX {
        let message = format!("name the proposals, at most {PROPOSALS_MAX} of them");
        return Err(Refused::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let runs = shared.conductor()?;
    let decide = async || Ok(runs.decide(&id, Decision { proposals, is_accepted: accept }).await?);
    let (revision, repeated) = shared.steered.named(of_run("decide", &id, &headers)?, decide).await?;
    Ok(Json(Done { revision, repeated }))
}

/// The name of a request to a run. The same name for something else is another request.
fn of_run(what: &str, id: &str, headers: &HeaderMap) -> Answer<Option<String>> {
    Ok(request_name(headers)?.map(|name| format!("{what} {id} {name}")))
}

/// The run that a document is the draft of, if anybody conducts it.
pub(crate) async fn run_of(shared: &Shared, path: &str) -> Option<Run> {
    let id = path.strip_prefix("runs/")?.strip_suffix("/draft.md")?;
    shared.runs.as_ref()?.show(id).await.ok()
}

impl Shared {
    fn conductor(&self) -> Answer<&Arc<dyn Runs>> {
        let none = || Refused::new(StatusCode::NOT_IMPLEMENTED, "this server conducts no runs");
        self.runs.as_ref().ok_or_else(none)
    }
}

/// Words of a person that are some, and not too many.
fn said(text: String, what: &str, bytes_max: usize) -> Answer<String> {
    let why = match text.trim() {
        "" => "is empty; say what you want".to_owned(),
        _ if text.len() > bytes_max => {
            format!("has more than {bytes_max} bytes; keep the rest in a document")
        }
        _ => return Ok(text),
    };
    Err(Refused::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{what} {why}")))
}
