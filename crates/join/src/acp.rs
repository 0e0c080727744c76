//! Our agent behind the Agent Client Protocol, for editors that speak it. Never decides what it may do: it asks the person in the
//! editor, and what the editor does not answer is refused.

mod desk;
mod session;

use std::sync::Arc;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, Implementation, InitializeRequest, InitializeResponse,
    NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest, PromptResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, Lines, on_receive_notification, on_receive_request};
use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use workspace::outside::PermissionDesk;
use workspace::session::agent::Agent as Answerer;

use session::Sessions;

/// Hires somebody who answers, and who asks at this desk for what it wants to do. The error is for the person.
pub type Hire = dyn Fn(Arc<dyn PermissionDesk>) -> Result<Arc<dyn Answerer>, String> + Send + Sync;

/// Serves one editor that speaks in lines, as on the standard streams, until it hangs up.
///
/// # Errors
///
/// If the editor does not speak the protocol.
pub async fn serve_acp(
    hire: Arc<Hire>,
    from: impl AsyncRead + Send + Unpin + 'static,
    to: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Error> {
    let sessions = Arc::new(Sessions::new(hire));
    let (made, asked, stopped) = (sessions.clone(), sessions.clone(), sessions);
    Agent
        .v1()
        .name("agent-doc")
        .on_receive_request(
            async move |_: InitializeRequest, responder: Responder<InitializeResponse>, _| {
                let can = AgentCapabilities::new()
                    .prompt_capabilities(PromptCapabilities::new().embedded_context(true));
                let us = Implementation::new("agent-doc", env!("CARGO_PKG_VERSION"));
                responder.respond(
                    InitializeResponse::new(ProtocolVersion::V1).agent_capabilities(can).agent_info(us),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder: Responder<NewSessionResponse>, _| {
                responder.respond(NewSessionResponse::new(made.begin(request.cwd)))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest,
                        responder: Responder<PromptResponse>,
                        connection: ConnectionTo<Client>| {
                let (sessions, editor) = (asked.clone(), connection.clone());
                // In a task of its own: the editor may stop it meanwhile.
                connection.spawn(async move {
                    match sessions.answer(request, editor).await {
                        Ok(reason) => responder.respond(PromptResponse::new(reason)),
                        Err(error) => responder.respond_with_error(error),
                    }
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _| {
                stopped.stop(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Lines::new(outgoing(to), incoming(from)))
        .await
}

fn outgoing(
    to: impl AsyncWrite + Send + Unpin + 'static,
) -> impl Sink<String, Error = std::io::Error> + Send {
    sink::unfold(to, |mut to, mut line: String| async move {
        line.push('\n');
        to.write_all(line.as_bytes()).await?;
        to.flush().await?;
        Ok(to)
    })
}

fn incoming(
    from: impl AsyncRead + Send + Unpin + 'static,
) -> impl Stream<Item = std::io::Result<String>> + Send {
    let lines = BufReader::new(from).lines();
    Box::pin(stream::unfold(lines, |mut lines| async move {
        let line = lines.next_line().await.transpose()?;
        Some((line, lines))
    }))
}
