//! Who may ask: the right host, the right origin, and the secret, on every route and before anything is read. Never sends a
//! header that would let another site in.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

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
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&shared, &request) {
        None => next.run(request).await,
        Some((status, why)) => (status, format!("{why}\n")).into_response(),
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

fn refusal(shared: &Shared, request: &Request) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    let Some(host) = host(headers).filter(|host| shared.hosts.iter().any(|known| known == host)) else {
        return Some((
            StatusCode::FORBIDDEN,
            "this server answers only under its own address; use the printed link",
        ));
    };
    let path = request.uri().path();
    let is_open = !path.starts_with("/api/") && path != "/ws";
    if is_open && matches!(*request.method(), Method::GET | Method::HEAD) {
        // The page itself holds no secret; what it shows has to be asked for.
        return None;
    }
    // A browser always says where a request comes from; other programs say nothing, and must know the secret all the same.
    if headers
        .get(header::ORIGIN)
        .is_some_and(|origin| origin.as_bytes() != format!("http://{host}").as_bytes())
    {
        return Some((StatusCode::FORBIDDEN, "another site may not ask; open the printed link"));
    }
    let given = if path == "/ws" { of_socket(headers) } else { of_header(headers) };
    if given.is_some_and(|given| shared.token.is(given)) {
        return None;
    }
    Some((
        StatusCode::UNAUTHORIZED,
        "the secret is missing or old; open the link that 'agent-doc serve' printed",
    ))
}

fn host(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    }
}

fn of_header(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn of_socket(headers: &HeaderMap) -> Option<&str> {
    let offered = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(SOCKET_TOKEN))
}
