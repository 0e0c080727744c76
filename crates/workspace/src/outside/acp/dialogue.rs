//! What is said to an agent in one answer: hello, a conversation, the model, the prompt. Never tells what an agent repeats of an
//! older conversation.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agent::StreamController;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, Implementation, InitializeRequest, InitializeResponse,
    LoadSessionRequest, NewSessionRequest, PermissionOptionKind, PromptRequest, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest, SelectedPermissionOutcome,
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
    SessionId, SessionNotification, SetSessionConfigOptionRequest, StopReason, TextContent,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, Lines, on_receive_notification, on_receive_request};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::permission::{Choice, Decision, Meaning, PermissionDesk, PermissionRequest};
use super::shown;
use super::transport::{incoming, outgoing};
use super::update::Update;
use crate::session::agent::{Ask, Talk};

/// How the agent ended its answer.
pub(super) enum Outcome {
    Ended(StopReason),
    /// It cannot do what is wanted.
    Refused(String),
}

/// A conversation, and what can be set in it.
type Session = (SessionId, Vec<SessionConfigOption>);

/// One answer.
pub(super) struct Dialogue {
    agent: String,
    ask: Ask,
    desk: Arc<dyn PermissionDesk>,
    stop: StreamController,
    told: UnboundedSender<Update>,
    /// How many questions wait for a person.
    pub(super) asking: Arc<AtomicUsize>,
}

/// The names in what is asked that come from a document.
pub(super) fn names(ask: &Ask) -> impl Iterator<Item = (&'static str, &str)> {
    let session = match &ask.talk {
        Talk::Resume(session) => Some(("session", session.as_str())),
        Talk::Fresh | Talk::ForkLatest => None,
    };
    session.into_iter().chain(ask.model.as_deref().map(|model| ("model", model)))
}

impl Dialogue {
    pub(super) fn new(
        agent: &str,
        ask: Ask,
        desk: Arc<dyn PermissionDesk>,
        stop: StreamController,
    ) -> (Self, UnboundedReceiver<Update>) {
        let (told, updates) = unbounded_channel();
        let asking = Arc::new(AtomicUsize::new(0));
        (Self { agent: agent.to_owned(), ask, desk, stop, told, asking }, updates)
    }

    /// Speaks with the agent over its streams.
    pub(super) async fn speak(self, stdin: ChildStdin, stdout: ChildStdout) -> Result<Outcome, Error> {
        let transport = Lines::new(outgoing(stdin), incoming(stdout, self.told.clone()));
        // What comes before the prompt is the past.
        let is_present = Arc::new(AtomicBool::new(false));
        let (told, listens) = (self.told.clone(), is_present.clone());
        let clerk = Arc::new(Clerk {
            agent: self.agent.clone(),
            desk: self.desk.clone(),
            told: self.told.clone(),
            asking: self.asking.clone(),
        });
        Client
            .v1()
            .name("agent-doc")
            .on_receive_notification(
                async move |notification: SessionNotification, _| {
                    if listens.load(Ordering::SeqCst)
                        && let Some(update) = Update::of(notification.update)
                    {
                        // Nobody listens any more when the answer is over.
                        told.send(update).ok();
                    }
                    Ok(())
                },
                on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest,
                            responder: Responder<RequestPermissionResponse>,
                            connection: ConnectionTo<Agent>| {
                    let clerk = clerk.clone();
                    // In a task of its own: the agent may speak on while a person thinks.
                    connection.spawn(async move {
                        responder.respond(RequestPermissionResponse::new(clerk.decide(request).await))
                    })
                },
                on_receive_request!(),
            )
            .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
                self.ask(&connection, &is_present).await
            })
            .await
    }

    async fn ask(self, connection: &ConnectionTo<Agent>, is_present: &AtomicBool) -> Result<Outcome, Error> {
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new("agent-doc", env!("CARGO_PKG_VERSION")));
        let agent = connection.send_request(hello).block_task().await?;
        if agent.protocol_version != ProtocolVersion::V1 {
            return Ok(Outcome::Refused("it does not speak version 1 of the protocol".to_owned()));
        }
        let (session, options) = match self.session(connection, &agent).await? {
            Ok(session) => session,
            Err(refused) => return Ok(Outcome::Refused(refused)),
        };
        self.told.send(Update::Talk(session.to_string())).ok();
        if let Some(model) = &self.ask.model {
            match model_option(&options, model) {
                Ok(wanted) => {
                    let (id, value) = wanted;
                    let request = SetSessionConfigOptionRequest::new(session.clone(), id, value.as_str());
                    connection.send_request(request).block_task().await?;
                }
                Err(refused) => return Ok(Outcome::Refused(refused)),
            }
        }
        is_present.store(true, Ordering::SeqCst);
        let prompt = vec![ContentBlock::Text(TextContent::new(self.ask.prompt))];
        let answer = connection.send_request(PromptRequest::new(session.clone(), prompt)).block_task();
        tokio::pin!(answer);
        let mut stopped = self.stop.subscribe();
        let response = tokio::select! {
            response = &mut answer => response?,
            () = &mut stopped => {
                connection.send_notification(CancelNotification::new(session))?;
                answer.await?
            }
        };
        Ok(Outcome::Ended(response.stop_reason))
    }

    /// The conversation that is wanted, or a new one if the agent cannot go on with it.
    async fn session(
        &self,
        connection: &ConnectionTo<Agent>,
        agent: &InitializeResponse,
    ) -> Result<Result<Session, String>, Error> {
        let folder: PathBuf = self.ask.folder.clone();
        let can = &agent.agent_capabilities;
        match &self.ask.talk {
            Talk::Resume(session) if can.session_capabilities.resume.is_some() => {
                let request = ResumeSessionRequest::new(session.clone(), folder);
                let resumed = connection.send_request(request).block_task().await;
                let options = resumed.map(|resumed| resumed.config_options);
                return Ok(gone_on(session, options));
            }
            Talk::Resume(session) if can.load_session => {
                let request = LoadSessionRequest::new(session.clone(), folder);
                let loaded = connection.send_request(request).block_task().await;
                return Ok(gone_on(session, loaded.map(|loaded| loaded.config_options)));
            }
            Talk::Resume(_) => self.note("cannot go on with a conversation; a new one begins"),
            Talk::ForkLatest => self.note("cannot begin with an older conversation; a new one begins"),
            Talk::Fresh => {}
        }
        let made = connection.send_request(NewSessionRequest::new(folder)).block_task().await?;
        Ok(Ok((made.session_id, made.config_options.unwrap_or_default())))
    }

    fn note(&self, what: &str) {
        self.told.send(Update::Note(format!("{} {what}", self.agent))).ok();
    }
}

/// A conversation that goes on, or what the person can do if it does not.
fn gone_on(
    session: &str,
    options: Result<Option<Vec<SessionConfigOption>>, Error>,
) -> Result<Session, String> {
    match options {
        Ok(options) => Ok((session.to_owned().into(), options.unwrap_or_default())),
        Err(error) => Err(format!(
            "it cannot go on with the conversation {session}: {}; clear 'session:' to begin a new one",
            shown(&error)
        )),
    }
}

/// The setting of the agent that chooses a model, and its value for the one that is wanted; else what it offers.
fn model_option(options: &[SessionConfigOption], wanted: &str) -> Result<(String, String), String> {
    let is_model =
        |option: &&SessionConfigOption| option.category == Some(SessionConfigOptionCategory::Model);
    let Some(option) = options.iter().find(is_model) else {
        return Err("it lets nobody choose its model; take 'model' away".to_owned());
    };
    let mut offered = Vec::new();
    if let SessionConfigKind::Select(select) = &option.kind {
        match &select.options {
            SessionConfigSelectOptions::Ungrouped(choices) => offered.extend(choices),
            SessionConfigSelectOptions::Grouped(groups) => {
                offered.extend(groups.iter().flat_map(|group| &group.options));
            }
            _ => {}
        }
    }
    let names: Vec<String> = offered.iter().map(|choice| choice.value.to_string()).collect();
    match names.iter().find(|name| *name == wanted) {
        Some(name) => Ok((option.id.to_string(), name.clone())),
        None => Err(format!("it has no model '{wanted}'; it has {}", names.join(", "))),
    }
}

/// Carries questions to the desk.
struct Clerk {
    agent: String,
    desk: Arc<dyn PermissionDesk>,
    told: UnboundedSender<Update>,
    asking: Arc<AtomicUsize>,
}

impl Clerk {
    async fn decide(&self, asked: RequestPermissionRequest) -> RequestPermissionOutcome {
        let choices: Vec<Choice> = asked.options.iter().filter_map(choice).collect();
        let fields = asked.tool_call.fields;
        let kind = fields.kind.and_then(|kind| serde_json::to_value(kind).ok());
        let request = PermissionRequest {
            agent: self.agent.clone(),
            title: fields.title.unwrap_or_else(|| asked.tool_call.tool_call_id.to_string()),
            kind: kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("other").to_owned(),
            input: fields.raw_input,
            choices: choices.clone(),
            question: None,
        };
        let title = request.title.clone();
        self.asking.fetch_add(1, Ordering::SeqCst);
        let decision = self.desk.decide(request).await;
        self.asking.fetch_sub(1, Ordering::SeqCst);
        let chosen = match decision {
            Decision::Chosen(id) => choices.iter().find(|choice| choice.id == id),
            // It asked nothing that such an answer could be meant for.
            Decision::Answered(_) | Decision::Refused => None,
        };
        let is_refusal = |choice: &&Choice| choice.meaning == Meaning::RejectOnce;
        let outcome = chosen.or_else(|| choices.iter().find(is_refusal));
        let word = match outcome.map(|choice| choice.meaning) {
            Some(Meaning::AllowOnce | Meaning::AllowAlways) => "allowed",
            Some(Meaning::RejectOnce | Meaning::RejectAlways) | None => "refused",
        };
        // Nobody listens any more when the answer is over.
        self.told.send(Update::Doing(format!("{word}: {title}"))).ok();
        match outcome {
            Some(choice) => {
                RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(choice.id.clone()))
            }
            None => RequestPermissionOutcome::Cancelled,
        }
    }
}

/// A choice whose meaning is known. What nobody here understands is offered to nobody.
fn choice(option: &agent_client_protocol::v1::schema::PermissionOption) -> Option<Choice> {
    let meaning = match option.kind {
        PermissionOptionKind::AllowOnce => Meaning::AllowOnce,
        PermissionOptionKind::AllowAlways => Meaning::AllowAlways,
        PermissionOptionKind::RejectOnce => Meaning::RejectOnce,
        PermissionOptionKind::RejectAlways => Meaning::RejectAlways,
        _ => return None,
    };
    Some(Choice { id: option.option_id.to_string(), name: option.name.clone(), meaning })
}
