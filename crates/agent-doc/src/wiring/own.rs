//! Our own loop as the agent of a session document or of an editor: a model, the tools, and the rules of the project. Never runs
//! what neither a rule nor somebody at its desk allows.

use std::sync::Arc;

use agent::StreamController;
use agent::history::{History, Record};
use agent::message::{Block, Role};
use agent::model::ModelEvent;
use agent::permission::{Mode, Policy, Rule};
use agent::request::Frame;
use agent::turn::{EndReason, Event, Note, Setup};
use anyhow::{Context as _, Result};
use models::catalog::PROVIDERS;
use workspace::conversation::{Asking, Conversation, Ports, Transcript, Transcripts, TurnEvent, remote};
use workspace::outside::PermissionDesk;
use workspace::session::agent::{Agent, AgentError, Answering, Ask, Said, Talk, Tell};
use workspace::sidecar::Sidecar;

use super::{model, prompt, search, tools, turns};
use crate::configuration::Configuration;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::trust::Trust;
use crate::{log, moment};

/// Our own loop.
pub(crate) struct Own {
    /// What the document calls it: a provider, or `offline`.
    name: String,
    /// The provider that the name means, if it means one.
    provider: Option<&'static str>,
    /// The model that is asked for where the document says none.
    model: Option<String>,
    /// Calls that the person lets run this time.
    allow: Vec<Rule>,
    /// Who is asked about the rest; nobody, and it does not run.
    desk: Option<Arc<dyn PermissionDesk>>,
}

impl Own {
    /// The loop with the model of this name: a provider, `offline`, or whatever the settings say.
    pub(crate) fn named(
        name: Option<&str>,
        allow: &[String],
        desk: Option<Arc<dyn PermissionDesk>>,
    ) -> Result<Option<Own>> {
        let provider = match name {
            None | Some("agent-doc") => None,
            Some("offline") => Some("offline"),
            Some(name) => match PROVIDERS.iter().find(|provider| provider.name == name) {
                Some(provider) => Some(provider.name),
                None => return Ok(None),
            },
        };
        let allow = turns::allowed(allow)?;
        let name = name.unwrap_or("agent-doc").to_owned();
        Ok(Some(Own { name, provider, model: None, allow, desk }))
    }

    /// The loop with this model, or with the one of the settings, which asks somebody at a desk.
    pub(crate) fn asking(
        model: Option<&str>,
        allow: &[String],
        desk: Option<Arc<dyn PermissionDesk>>,
    ) -> Result<Own> {
        let (name, model) = ("agent-doc".to_owned(), model.map(str::to_owned));
        Ok(Own { name, provider: None, model, allow: turns::allowed(allow)?, desk })
    }

    /// The model that is asked for, as `provider/model`.
    fn wanted(&self, asked: Option<&str>) -> Option<String> {
        let provider = self.provider?;
        if provider == "offline" {
            return Some(provider.to_owned());
        }
        let default =
            || PROVIDERS.iter().find(|known| known.name == provider).map(|known| known.default_model);
        let model = asked.or_else(default)?;
        Some(if model.contains('/') { model.to_owned() } else { format!("{provider}/{model}") })
    }

    async fn converse(&self, ask: Ask, stop: StreamController, tell: &mut Tell) -> Result<EndReason> {
        let settings = Configuration::of(&ask.folder)?;
        let wanted = self.wanted(ask.model.as_deref()).or(ask.model.clone()).or(self.model.clone());
        let chosen = model::choose(wanted.as_deref(), &settings, None)?;
        let files = RuleFiles::of(&ask.folder)?;
        let mut rules: Vec<Rule> = files.read_all()?.into_iter().flat_map(|file| file.rules).collect();
        rules.extend(self.allow.iter().cloned());
        let mode = if self.desk.is_some() { Mode::Default } else { Mode::DontAsk };
        let policy = Policy::new(mode, files.places(), rules);
        let sidecar = Sidecar::open(&ask.folder).context("the conversation cannot be kept")?;
        log::begin(&sidecar);
        let (transcript, history) = opened(&sidecar, &ask.talk, tell)?;
        tell(Said::Talk(transcript.id().to_owned()));
        let provider = search::provider(&settings)?;
        let (toolbox, in_use) =
            tools::all(&sidecar, &policy, &settings, transcript.id(), provider, None).await?;
        let frame = Frame {
            model: chosen.name,
            system: prompt::system(&ask.folder, &Trust::of_person()).into(),
            tools: toolbox.specs(&policy),
            thinking: turns::effort(&settings),
        };
        let limits = chosen.model.limits();
        let setup = Setup { frame, limits, policy, caps: turns::caps(&settings, None) };
        let ports = Ports { model: chosen.model, tools: toolbox, rules: Arc::new(files), clock: moment::now };
        let mut conversation = Conversation::new(ports, setup, history, transcript);
        let (far, mut near) = remote();
        let first = Event::Prompted(vec![Block::text(ask.prompt)]);
        let mut asking = self.desk.clone().map(|desk| Asking::new(desk, &self.name, far.clone()));
        let mut hear = |event| {
            if let Some(asking) = asking.as_mut() {
                asking.hear(&event);
            }
            told(event, tell);
        };
        let ended = conversation.turn(first, &mut near, &stop, &mut hear).await;
        in_use.documents.close().await;
        in_use.servers.stop().await;
        Ok(ended?.reason)
    }
}

impl Agent for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, ask: Ask, stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        Box::pin(async move {
            let failed = |told: String| AgentError::Failed { agent: self.name.clone(), told };
            match self.converse(ask, stop, tell).await {
                Ok(EndReason::Completed) => Ok(()),
                Ok(EndReason::Interrupted | EndReason::Waiting) => Err(AgentError::Stopped),
                Ok(reason) => Err(failed(reason.words())),
                Err(error) => {
                    let remedy = error.downcast_ref::<Refusal>().map(|refusal| refusal.remedy().to_owned());
                    let remedy = remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default();
                    Err(failed(format!("{error:#}{remedy}")))
                }
            }
        })
    }
}

/// What of a turn belongs into the document, and what is for a status line.
fn told(event: TurnEvent, tell: &mut Tell) {
    match event {
        TurnEvent::Model(ModelEvent::TextDelta { text, .. }) => tell(Said::Text(text)),
        TurnEvent::Model(ModelEvent::ThinkingDelta { text, .. }) => tell(Said::Thinking(text)),
        TurnEvent::Model(ModelEvent::Usage(usage)) => tell(Said::Tokens(usage.output)),
        TurnEvent::Superseded => tell(Said::Void),
        TurnEvent::Committed(Record::Message(message)) if message.role == Role::Assistant => {
            tell(Said::Break);
        }
        TurnEvent::ToolStarted { call, .. } => tell(Said::Doing(call.name)),
        TurnEvent::Note(Note::Retrying { attempt, attempts_max, reason, .. }) => {
            tell(Said::Doing(format!("{reason}; attempt {attempt} of {attempts_max}")));
        }
        TurnEvent::Note(Note::Denied { tool, words }) => {
            tell(Said::Doing(format!("{tool} did not run: {words}")));
        }
        TurnEvent::Note(Note::Warning(words)) => tell(Said::Doing(words)),
        TurnEvent::Note(_)
        | TurnEvent::Model(_)
        | TurnEvent::Committed(_)
        | TurnEvent::Asked { .. }
        | TurnEvent::Settled(_)
        | TurnEvent::ToolReported { .. }
        | TurnEvent::ToolFinished { .. }
        | TurnEvent::RuleMade { .. }
        | TurnEvent::Restored(_)
        | TurnEvent::Ended(_) => {}
    }
}

/// The conversation that the document is part of. One that is not known here, such as of another machine, begins anew.
fn opened(sidecar: &Sidecar, talk: &Talk, tell: &mut Tell) -> Result<(Transcript, History)> {
    let transcripts = Transcripts::at(&sidecar.sessions());
    let fresh = || Ok((transcripts.begin(moment::now())?, History::new()));
    let known = transcripts.list()?;
    let (transcript, records) = match talk {
        Talk::Fresh => return fresh(),
        Talk::ForkLatest => match known.first() {
            Some(latest) => transcripts.fork(&latest.id, moment::now())?,
            None => return fresh(),
        },
        Talk::Resume(id) if known.iter().any(|one| one.id == *id) => transcripts.resume(id)?,
        Talk::Resume(id) => {
            tell(Said::Doing(format!("conversation {id} is not known here; a new one begins")));
            return fresh();
        }
    };
    Ok((transcript, History::replay(records)))
}
