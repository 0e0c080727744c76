//! The same server for guests who come over HTTP, on the loopback interface alone. Never answers one who does not know the secret,
//! nor a page of somebody else.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use workspace::token::Token;

use crate::guest::Door;
use crate::server::Server;

/// The longest request: a section may be long, and this is longer.
const BODY_MAX: usize = 16 << 20;

/// A server that listens, and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Takes a port of the loopback interface; 0 takes any.
    ///
    /// # Errors
    ///
    /// If the port is taken.
    pub async fn on(port: u16) -> std::io::Result<Listening> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Listening { listener, address })
    }

    /// Where guests come in.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// Serves guests who know the secret, until `end`.
///
/// # Errors
///
/// If the system takes the port away.
pub async fn serve_http(
    listening: Listening,
    door: Door,
    token: Token,
    end: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts([
            listening.address.to_string(),
            format!("localhost:{}", listening.address.port()),
        ])
        .with_max_request_body_bytes(BODY_MAX)
        // No page has business here.
        .enforce_origin_validation();
    let all = config.cancellation_token.clone();
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(Server::new(&door)), sessions, config);
    let router = Router::new().route_service("/mcp", service).layer(from_fn_with_state(token, known));
    let ended = async move {
        end.await;
        all.cancel();
    };
    axum::serve(listening.listener, router).with_graceful_shutdown(ended).await
}

/// Lets only those through who know the secret.
async fn known(State(token): State<Token>, request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let secret = given.and_then(|value| value.strip_prefix("Bearer "));
    if secret.is_some_and(|secret| token.is(secret.trim())) {
        return next.run(request).await;
    }
    let told = "give the token that 'agent-doc mcp' printed, as 'Authorization: Bearer TOKEN'\n";
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], told).into_response()
}
