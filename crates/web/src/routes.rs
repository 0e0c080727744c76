//! The HTTP routes, in one table: what is served and who may ask. Never touches a document but through its owner.

mod comments;
mod document;
mod image;
mod keys;
mod past;
mod questions;
mod runs;
mod turns;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post, put};
use axum::{Extension, Router};

use crate::key::{Admitted, Role};
use crate::refused::Refused;
use crate::server::Shared;
use crate::{run_socket, socket};

pub(crate) use document::person_name;
pub(crate) use runs::run_of;

/// Who may ask for something, besides the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Nobody else.
    Person,
    /// Those who may read.
    Readers,
    /// Those who write in a section of their own.
    Workers,
    /// Both.
    All,
}

struct Route {
    method: Method,
    path: &'static str,
    open: Open,
    handler: MethodRouter<Arc<Shared>>,
}

/// Every route that needs a secret. There is no other list.
fn table() -> Vec<Route> {
    use Open::{All, Person, Readers, Workers};
    let route = |method, path, open, handler| Route { method, path, open, handler };
    vec![
        route(Method::GET, "/ws", Readers, get(socket::open)),
        route(Method::GET, "/ws/runs", Readers, get(run_socket::open)),
        route(Method::GET, "/api/home", Readers, get(document::home)),
        route(Method::GET, "/api/document", All, get(document::read)),
        route(Method::PUT, "/api/document", Person, put(document::write)),
        route(Method::GET, "/api/document/html", Readers, get(document::html)),
        route(Method::GET, "/api/section", All, get(document::read_section)),
        route(Method::POST, "/api/section", Workers, post(document::section)),
        route(Method::POST, "/api/rebase", Person, post(document::rebase)),
        route(Method::GET, "/api/image", Readers, get(image::show)),
        route(Method::POST, "/api/comments", Person, post(comments::change)),
        route(Method::GET, "/api/history", Readers, get(past::history)),
        route(Method::GET, "/api/version", Readers, get(past::version)),
        route(Method::POST, "/api/restore", Person, post(past::restore)),
        route(Method::GET, "/api/runs", Readers, get(runs::list)),
        route(Method::POST, "/api/runs", Person, post(runs::start)),
        route(Method::GET, "/api/runs/{id}", Readers, get(runs::show)),
        route(Method::POST, "/api/runs/{id}/cancel", Person, post(runs::cancel)),
        route(Method::POST, "/api/runs/{id}/resume", Person, post(runs::resume)),
        route(Method::POST, "/api/runs/{id}/stop", Person, post(runs::stop)),
        route(Method::POST, "/api/runs/{id}/directives", Person, post(runs::direct)),
        route(Method::POST, "/api/runs/{id}/proposals", Person, post(runs::decide)),
        route(Method::POST, "/api/turns", Person, post(turns::begin)),
        route(Method::POST, "/api/turns/stop", Person, post(turns::stop)),
        route(Method::POST, "/api/questions/{id}", Person, post(questions::answer)),
        route(Method::POST, "/api/keys", Person, post(keys::give)),
        route(Method::POST, "/api/keys/renew", Person, post(keys::renew)),
    ]
}

/// Method and path of every route that needs a secret.
#[must_use]
pub fn api() -> Vec<(String, &'static str)> {
    table().into_iter().map(|route| (route.method.to_string(), route.path)).collect()
}

pub(crate) fn router() -> Router<Arc<Shared>> {
    table().into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, route.handler.layer(from_fn_with_state(route.open, permit)))
    })
}

/// Lets those through whose secret opens the route.
async fn permit(
    State(open): State<Open>,
    Extension(admitted): Extension<Admitted>,
    request: Request,
    next: Next,
) -> Response {
    let is_permitted = match (&admitted.role, open) {
        (Role::Person, _) | (Role::Reader, Open::Readers) | (Role::Worker(_), Open::Workers) => true,
        (Role::Reader | Role::Worker(_), Open::All) => true,
        (Role::Reader, Open::Person | Open::Workers) | (Role::Worker(_), Open::Person | Open::Readers) => {
            false
        }
    };
    if is_permitted {
        return next.run(request).await;
    }
    let message = "this link does not let you do that; ask for another one";
    Refused::new(StatusCode::FORBIDDEN, message).into_response()
}
