//! The server of the Model Context Protocol, for the versions that begin with a handshake and for the one without. Never keeps
//! anything that a guest would miss after a restart.

use std::sync::{Arc, OnceLock};

use agent::StreamController;
use agent::message::{Part, ToolCall};
use rmcp::ErrorData;
use rmcp::ServiceExt as _;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::guest::{Door, Entry, Guest};
use crate::tools;

/// What a program tells its model about this server.
const RULES: &str = "A markdown document in which people and agents write at the same time. Read it before you write: it says \
    who wrote what, and its revision. Write only in your own section, which is made for you; what you write there is a proposal, and \
    people and the conductor decide what becomes of it. If a call answers \"Conflict\", somebody wrote before you: take what it shows \
    into account and try again.";
/// What it tells about a run beside that.
const RUN: &str = " Others work on the same objective: use what they found, and name them. When you have written all that you found, \
    call \"finished\": then the conductor takes it into the canon.";

/// One connection.
#[derive(Clone)]
pub(crate) struct Server {
    entry: Entry,
    /// The guest, as soon as it said something.
    guest: Arc<OnceLock<Guest>>,
}

impl Server {
    pub(crate) fn new(door: &Door) -> Server {
        Server { entry: door.enter(), guest: Arc::default() }
    }

    fn guest(&self, context: &RequestContext<RoleServer>) -> &Guest {
        self.guest.get_or_init(|| {
            let said = context.client_info();
            self.entry.guest(said.as_ref().map(|client| client.name.as_str()))
        })
    }
}

/// Serves one guest who speaks in lines, as on the standard streams, until it hangs up.
///
/// # Errors
///
/// If the guest does not speak the protocol.
pub async fn serve_lines(
    door: &Door,
    from: impl AsyncRead + Send + Unpin + 'static,
    to: impl AsyncWrite + Send + Unpin + 'static,
) -> std::io::Result<()> {
    let serving = Server::new(door).serve((from, to)).await.map_err(std::io::Error::other)?;
    serving.waiting().await.map_err(std::io::Error::other)?;
    Ok(())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut config = ServerConfig::new(capabilities).with_instructions(if self.entry.is_of_run() {
            format!("{RULES}{RUN}")
        } else {
            RULES.to_owned()
        });
        config.server_info = Implementation::new("agent-doc", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::all(self.entry.is_of_run()).into_iter().map(|(spec, only_reads)| {
            let schema = spec.input_schema.as_object().cloned().unwrap_or_default();
            let hints = ToolAnnotations::new().read_only(only_reads).destructive(false).open_world(false);
            Tool::new(spec.name, spec.description, Arc::new(schema)).with_annotations(hints)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = serde_json::to_string(&request.arguments.unwrap_or_default());
        let input = input.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let call =
            ToolCall { id: context.id.to_string(), name: request.name.to_string(), input, verbatim: None };
        let guest = self.guest(&context);
        let stop = StreamController::new();
        let running = tools::run(&self.entry, guest, &call, &stop);
        tokio::pin!(running);
        let output = tokio::select! {
            output = &mut running => output,
            () = context.ct.cancelled() => {
                stop.abort();
                running.await
            }
        };
        let output = output.ok_or_else(ErrorData::method_not_found::<CallToolRequestMethod>)?;
        let content = output.content.into_iter().filter_map(|part| match part {
            Part::Text(text) => Some(ContentBlock::text(text)),
            Part::Image(_) => None,
        });
        let content = content.collect();
        let result =
            if output.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        Ok(result.into())
    }
}
