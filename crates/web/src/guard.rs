//! Who may ask: the right host, the right origin, and a secret, on every route and before anything is read. Never sends a
//! header that would let another site in.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::key::Admitted;
use crate::server::Shared;

/// What a WebSocket offers beside the protocol's own name, because a page cannot set other headers.
pub(crate) const SOCKET_PROTOCOL: &str = "agent-doc";
const SOCKET_TOKEN: &str = "bearer.";

/// Headers that every answer carries.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
];

/// Lets a request through or refuses it, and puts the headers on whatever is answered.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let mut response = match admitted(&shared, &request) {
        Ok(admitted) => {
            if let Some(admitted) = admitted {
                request.extensions_mut().insert(admitted);
            }
            next.run(request).await
        }
        Err((status, why)) => (status, format!("{why}\n")).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if !response.headers().contains_key(header::CONTENT_SECURITY_POLICY) {
        response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        );
    }
    if !response.headers().contains_key(header::CACHE_CONTROL) {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Who asks; nobody in particular for the pages themselves, which hold no secret.
fn admitted(shared: &Shared, request: &Request) -> Result<Option<Admitted>, (StatusCode, &'static str)> {
    let headers = request.headers();
    let Some(host) = host(request).filter(|host| shared.hosts.iter().any(|known| known == host)) else {
        return Err((
            StatusCode::FORBIDDEN,
            "this server answers only under its own address; use the printed link",
        ));
    };
    let path = request.uri().path();
    let is_socket = is_below(path, "/ws");
    let is_page = !is_below(path, "/api") && !is_socket;
    if is_page && matches!(*request.method(), Method::GET | Method::HEAD) {
        // What a page shows has to be asked for.
        return Ok(None);
    }
    // A browser always says where a request comes from; other programs say nothing, and must know the secret all the same.
    if headers
        .get(header::ORIGIN)
        .is_some_and(|origin| origin.as_bytes() != format!("http://{host}").as_bytes())
    {
        return Err((StatusCode::FORBIDDEN, "another site may not ask; open the printed link"));
    }
    // Counted before the secret is looked at: if all are made anew in between, the socket is closed.
    let renewals = shared.keys.renewals();
    let given = if is_socket { of_socket(headers) } else { of_header(headers) };
    match given.and_then(|given| shared.keys.role(given)) {
        Some(role) => Ok(Some(Admitted { role, renewals })),
        None => Err((
            StatusCode::UNAUTHORIZED,
            "the secret is missing or old; open the link that 'agent-doc serve' printed",
        )),
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The name that the server is called by. One that is called by two is called by none.
fn host(request: &Request) -> Option<&str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return None };
    let host = host.to_str().ok()?;
    let is_agreed = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
    is_agreed.then_some(host)
}

fn of_header(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn of_socket(headers: &HeaderMap) -> Option<&str> {
    let offered = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(SOCKET_TOKEN))
}
