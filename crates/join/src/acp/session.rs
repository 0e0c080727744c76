//! The conversations of one editor. Never lets two answers run in one conversation: a new one stops the old.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent::StreamController;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, EmbeddedResourceResource, PromptRequest, SessionId, SessionNotification,
    SessionUpdate, StopReason, TextContent, ToolCall, ToolCallStatus,
};
use agent_client_protocol::{Client, Error};
use workspace::session::agent::{AgentError, Ask, Said, Talk};
use workspace::sidecar::root_of;

use super::Hire;
use super::desk::Editor;

pub(super) struct Sessions {
    hire: Arc<Hire>,
    open: Mutex<HashMap<SessionId, Session>>,
}

/// One conversation.
struct Session {
    folder: PathBuf,
    /// Its name among ours, after the first answer.
    talk: Option<String>,
    /// Stops the answer that is under way.
    stop: StreamController,
}

impl Sessions {
    pub(super) fn new(hire: Arc<Hire>) -> Sessions {
        Sessions { hire, open: Mutex::default() }
    }

    /// A new conversation in a folder.
    pub(super) fn begin(&self, folder: PathBuf) -> SessionId {
        let id = SessionId::from(uuid::Uuid::now_v7().to_string());
        let session = Session { folder, talk: None, stop: StreamController::new() };
        self.open().insert(id.clone(), session);
        id
    }

    /// Stops what is under way in a conversation.
    pub(super) fn stop(&self, id: &SessionId) {
        if let Some(session) = self.open().get(id) {
            session.stop.abort();
        }
    }

    /// Answers a prompt, and tells the editor what is said as it is said.
    pub(super) async fn answer(
        &self,
        request: PromptRequest,
        connection: ConnectionTo<Client>,
    ) -> Result<StopReason, Error> {
        let id = request.session_id.clone();
        let (ask, stop) = self.ask(request)?;
        let editor = Editor { connection: connection.clone(), session: id.clone() };
        let answerer = (self.hire)(Arc::new(editor)).map_err(|told| failed(&told))?;
        let talk = Arc::new(OnceLock::new());
        let mut telling = Telling {
            connection,
            session: id.clone(),
            talk: talk.clone(),
            has_spoken: false,
            is_broken: false,
            deeds: 0,
        };
        let outcome = answerer.answer(ask, stop, &mut move |said| telling.tell(said)).await;
        if let (Some(talk), Some(session)) = (talk.get(), self.open().get_mut(&id)) {
            session.talk = Some(talk.clone());
        }
        match outcome {
            Ok(()) => Ok(StopReason::EndTurn),
            Err(AgentError::Stopped) => Ok(StopReason::Cancelled),
            Err(error) => Err(failed(&error.to_string())),
        }
    }

    fn ask(&self, request: PromptRequest) -> Result<(Ask, StreamController), Error> {
        let mut open = self.open();
        let session = open.get_mut(&request.session_id).ok_or_else(|| {
            Error::invalid_params().data("there is no such session; begin one with session/new")
        })?;
        session.stop.abort();
        session.stop = StreamController::new();
        let talk = session.talk.clone().map_or(Talk::Fresh, Talk::Resume);
        let folder = root_of(&session.folder.join("x")).to_owned();
        let prompt = words(request.prompt);
        Ok((Ask { prompt, talk, model: None, folder }, session.stop.clone()))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(told: &str) -> Error {
    Error::internal_error().data(told)
}

/// What a person wrote in the editor, with what they attached.
fn words(prompt: Vec<ContentBlock>) -> String {
    let blocks = prompt.into_iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text),
        ContentBlock::ResourceLink(link) => Some(format!("[{}]({})", link.name, link.uri)),
        ContentBlock::Resource(resource) => match resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => {
                Some(format!("{}:\n\n{}", text.uri, text.text))
            }
            _ => None,
        },
        // Pictures and sounds were not asked for.
        _ => None,
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// Carries what is said to the editor.
struct Telling {
    connection: ConnectionTo<Client>,
    session: SessionId,
    /// The name of the conversation among ours.
    talk: Arc<OnceLock<String>>,
    has_spoken: bool,
    /// A message with words ended, so the next words begin a new one.
    is_broken: bool,
    deeds: u64,
}

impl Telling {
    fn tell(&mut self, said: Said) {
        let chunk = |text: String| ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
        let update = match said {
            Said::Text(text) => {
                let gap = if std::mem::take(&mut self.is_broken) { "\n\n" } else { "" };
                self.has_spoken = true;
                SessionUpdate::AgentMessageChunk(chunk(format!("{gap}{text}")))
            }
            Said::Thinking(text) => SessionUpdate::AgentThoughtChunk(chunk(text)),
            Said::Doing(what) => {
                self.deeds += 1;
                let call = ToolCall::new(format!("deed-{}", self.deeds), what);
                SessionUpdate::ToolCall(call.status(ToolCallStatus::Completed))
            }
            Said::Break | Said::Void => {
                self.is_broken = self.has_spoken;
                return;
            }
            Said::Talk(name) => {
                // It has one name.
                drop(self.talk.set(name));
                return;
            }
            Said::Tokens(_) => return,
        };
        let notification = SessionNotification::new(self.session.clone(), update);
        if self.connection.send_notification(notification).is_err() {
            // The editor is gone, and the answer is kept in the conversation.
        }
    }
}
