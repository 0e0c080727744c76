//! A connection to a server that has shaken hands. Never waits without a limit, and never ends the server because a call was
//! stopped.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use agent::tool::RunScope;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, PaginatedRequestParams,
    ProtocolVersion, ServerResult, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, PeerRequestOptions, RunningService,
    ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::child::{Process, Program};
use super::ears::Ears;
use super::words::{short, without_secrets};
use super::{ServerSettings, Surroundings, Way};
use crate::limits::{
    GRACE, SERVER_CALL_TIMEOUT, SERVER_MESSAGE_MAX, SERVER_PAGES_MAX, SERVER_START_TIMEOUT, SERVER_TOOLS_MAX,
};
use crate::web::Key;

/// How often and how far apart a stream that broke is asked for again.
const STREAM_TRIES: usize = 2;
const STREAM_WAIT: Duration = Duration::from_millis(250);
/// For a connection over the network.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The library would ask for ever, and the call would wait as long.
#[derive(Debug)]
struct FewTries;

impl SseRetryPolicy for FewTries {
    fn retry(&self, tries: usize) -> Option<Duration> {
        (tries < STREAM_TRIES).then_some(STREAM_WAIT)
    }
}

/// Why a call has no answer.
pub(super) enum Failure {
    /// The person stopped it. The server was told, and lives.
    Interrupted,
    /// It took too long. The server was told, and lives.
    TimedOut,
    /// The server refuses, in its words.
    Refused(String),
    /// There is no server any more, for this reason.
    Gone(String),
}

pub(super) struct Link {
    service: RunningService<RoleClient, Ears>,
    /// Not for a server elsewhere.
    process: Option<Mutex<Process>>,
    secrets: Vec<Key>,
}

/// Why there is no connection.
enum Unreached {
    /// It answers, but not to this handshake.
    OtherProtocol(String),
    Failed(String),
}

impl Link {
    /// Starts or reaches a server, until `deadline`.
    pub(super) async fn connect(
        settings: &ServerSettings,
        surroundings: &Surroundings,
        mark: &str,
        deadline: Instant,
    ) -> Result<Self, String> {
        let handshake = ClientLifecycleMode::Initialize;
        let refused =
            match Self::connect_by(handshake, settings, surroundings, mark.to_owned(), deadline).await {
                Ok(link) => return Ok(link),
                Err(Unreached::Failed(why)) => return Err(why),
                Err(Unreached::OtherProtocol(why)) => why,
            };
        // The protocol of 2026 knows no handshake. Servers that speak nothing else are still few, so it comes second.
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let discovery = ClientLifecycleMode::Discover { preferred_versions };
        let mark = format!("{mark}-again");
        match Self::connect_by(discovery, settings, surroundings, mark, deadline).await {
            Ok(link) => Ok(link),
            Err(Unreached::Failed(why) | Unreached::OtherProtocol(why)) => {
                Err(format!("{refused}; and without one: {why}"))
            }
        }
    }

    async fn connect_by(
        lifecycle: ClientLifecycleMode,
        settings: &ServerSettings,
        surroundings: &Surroundings,
        mark: String,
        deadline: Instant,
    ) -> Result<Self, Unreached> {
        let (mut process, served) = match &settings.way {
            Way::Child { command, arguments, environment } => {
                let program = Program { command, arguments, environment, mark };
                let (process, output, input) = Process::start(&program, surroundings).map_err(|error| {
                    Unreached::Failed(format!("'{}' cannot be started: {error}", short(command)))
                })?;
                let transport =
                    AsyncRwTransport::new_client(output, input).with_max_line_length(SERVER_MESSAGE_MAX);
                (
                    Some(process),
                    timeout_at(
                        deadline,
                        Ears::new(&settings.secrets).serve_with_lifecycle(transport, lifecycle),
                    )
                    .await,
                )
            }
            Way::Http { url, headers } => {
                let transport = http(url, headers).map_err(Unreached::Failed)?;
                (
                    None,
                    timeout_at(
                        deadline,
                        Ears::new(&settings.secrets).serve_with_lifecycle(transport, lifecycle),
                    )
                    .await,
                )
            }
        };
        let refused = match served {
            Ok(Ok(service)) => {
                let process = process.map(Mutex::new);
                return Ok(Self { service, process, secrets: settings.secrets.clone() });
            }
            Ok(Err(ClientInitializeError::JsonRpcError(error))) => {
                let why = without_secrets(short(&error.message), &settings.secrets);
                return Err(Unreached::OtherProtocol(format!("it refuses the handshake: {why}")));
            }
            Ok(Err(error)) => without_secrets(short(&unserved(&error)), &settings.secrets),
            Err(_) => format!("it did not answer within {} seconds", SERVER_START_TIMEOUT.as_secs()),
        };
        Err(Unreached::Failed(match &mut process {
            Some(process) => format!("{refused} ({})", process.obituary(&settings.secrets).await),
            None => refused,
        }))
    }

    /// What the server offers.
    pub(super) async fn tools(&self, deadline: Instant) -> Result<Vec<Tool>, String> {
        let listed = timeout_at(deadline, self.pages()).await;
        let seconds = SERVER_START_TIMEOUT.as_secs();
        listed.unwrap_or_else(|_| Err(format!("it did not list its tools within {seconds} seconds")))
    }

    /// Page by page, with a limit: each page may name another one.
    async fn pages(&self) -> Result<Vec<Tool>, String> {
        let mut tools = Vec::new();
        let mut page = PaginatedRequestParams::default();
        for _ in 0..SERVER_PAGES_MAX {
            let listed = self.service.peer().list_tools(Some(page)).await;
            let listed = listed.map_err(|error| self.clean(&unanswered(&error)))?;
            tools.extend(listed.tools);
            match listed.next_cursor {
                Some(cursor) if tools.len() <= SERVER_TOOLS_MAX => {
                    page = PaginatedRequestParams::default().with_cursor(Some(cursor));
                }
                Some(_) | None => break,
            }
        }
        Ok(tools)
    }

    /// Calls a tool. A stopped call is cancelled as the protocol says.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        scope: &RunScope,
    ) -> Result<CallToolResult, Failure> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let peer = self.service.peer();
        let sent = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let mut handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failure(error).await),
        };
        let _hearing = self.service.service().hear(handle.progress_token.clone(), scope.report.clone());
        let (why, reason) = tokio::select! {
            answer = &mut handle.rx => {
                return match answer.unwrap_or(Err(ServiceError::TransportClosed)) {
                    Ok(result) => complete(result),
                    Err(error) => Err(self.failure(error).await),
                };
            }
            () = scope.controller.subscribe() => (Failure::Interrupted, "the person stopped the call"),
            () = tokio::time::sleep(SERVER_CALL_TIMEOUT) => (Failure::TimedOut, "the call took too long"),
        };
        // A server that does not listen cannot hold us up.
        tokio::time::timeout(GRACE, handle.cancel(Some(reason.to_owned()))).await.ok();
        Err(why)
    }

    /// Whether nobody is at the other end any more, as far as we know.
    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// Closes the connection, and gives the server a moment to end by itself.
    pub(super) async fn stop(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = &self.process {
            process.lock().await.stop().await;
        }
    }

    async fn failure(&self, error: ServiceError) -> Failure {
        match error {
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                let why = self.clean(&unanswered(&error));
                Failure::Gone(match &self.process {
                    Some(process) => process.lock().await.obituary(&self.secrets).await,
                    None => why,
                })
            }
            other => Failure::Refused(self.clean(&unanswered(&other))),
        }
    }

    fn clean(&self, text: &str) -> String {
        without_secrets(short(text), &self.secrets)
    }
}

fn http(
    url: &str,
    headers: &[(String, Key)],
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    // Whoever came first has chosen the same one.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        // The headers would go along.
        .redirect(Policy::none())
        .build()
        .map_err(|error| format!("the connection cannot be set up: {}", cause(&error)))?;
    let mut sent = HashMap::new();
    for (name, value) in headers {
        let unfit = || format!("the header '{}' cannot be sent; look at its name and its value", short(name));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
        let mut value = HeaderValue::from_str(value.reveal()).map_err(|_| unfit())?;
        value.set_sensitive(true);
        sent.insert(key, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(sent)
        .max_sse_event_size(SERVER_MESSAGE_MAX);
    config.retry_config = Arc::new(FewTries);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn complete(result: ServerResult) -> Result<CallToolResult, Failure> {
    match result {
        ServerResult::CallToolResult(result) => Ok(result),
        ServerResult::InputRequiredResult(_) => Err(Failure::Refused(
            "it wants to ask the person something, which is not possible here".to_owned(),
        )),
        _ => Err(Failure::Refused("its answer is of a kind that was not asked for".to_owned())),
    }
}

/// What is said of a server that was gone before its first word, whether we noticed while writing or while reading.
const UNANSWERED: &str = "it ended before it answered";

/// Whether nobody reads any more what we write.
fn is_gone(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
            return true;
        }
        next = error.source();
    }
    false
}

fn unserved(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } if is_gone(error.error.as_ref()) => {
            UNANSWERED.to_owned()
        }
        ClientInitializeError::TransportError { error, .. } => cause(error.error.as_ref()),
        ClientInitializeError::ConnectionClosed(_) => UNANSWERED.to_owned(),
        other => cause(other),
    }
}

fn unanswered(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("{} (code {})", error.message, error.code.0),
        ServiceError::TransportSend(error) => cause(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection was closed".to_owned(),
        other => cause(other),
    }
}

/// Down to the cause: what stands above it names our own types and addresses.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    // The library does not say that this one has a cause.
    if let Some(StreamableHttpError::Client(error)) =
        error.downcast_ref::<StreamableHttpError<reqwest::Error>>()
    {
        cause = error;
    }
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
