//! A conversation with its model, tools and rules, opened as the person's settings say. Never asks a model by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::tools::tool::Asker;
use agent::history::History;
use agent::permission::{Mode, Policy, Rule};
use agent::request::Frame;
use agent::turn::{Caps, Setup};
use anyhow::{Context as _, Result};
use workspace::conversation::{Conversation, Ports, Transcript, Transcripts};
use workspace::sidecar::{Sidecar, root_of};

use super::tools::Opened;
use super::{model, prompt, search, turns};
use crate::configuration::Configuration;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::trust::Trust;
use crate::{log, moment};

/// What a conversation is opened with.
pub(crate) struct Wish<'a> {
    pub(crate) model: Option<&'a str>,
    /// Where all that goes over the wire is kept.
    pub(crate) record: Option<&'a Path>,
    pub(crate) mode: Mode,
    /// Rules for this time.
    pub(crate) allow: &'a [String],
    pub(crate) beginning: Beginning<'a>,
    /// Who puts questions of the model to the person, if somebody is there.
    pub(crate) asker: Option<Arc<dyn Asker>>,
}

/// Which conversation it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Beginning<'a> {
    /// A new one.
    New,
    /// The last one.
    Latest,
    /// The one whose name begins so.
    Named(&'a str),
}

/// An open conversation, and what was opened for it.
pub(crate) struct Talk {
    pub(crate) conversation: Conversation,
    pub(crate) opened: Opened,
    pub(crate) files: Arc<RuleFiles>,
    pub(crate) settings: Configuration,
    pub(crate) sidecar: Sidecar,
    /// Where the person stands.
    pub(crate) folder: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) policy: Policy,
    /// The model, as `provider/model`.
    pub(crate) model: String,
    pub(crate) frame: Frame,
}

/// Opens a conversation of the project around the current folder. Called in a runtime.
pub(crate) async fn open(wish: Wish<'_>, caps: impl FnOnce(&Configuration) -> Caps) -> Result<Talk> {
    let folder = std::path::absolute(".").context("the current folder cannot be found")?;
    let root = root_of(&folder.join("x")).to_owned();
    let settings = Configuration::of(&folder)?;
    let chosen = model::choose(wish.model, &settings, wish.record)?;
    let provider = search::provider(&settings)?;
    let files = RuleFiles::here()?;
    let policy = Policy::new(wish.mode, files.places(), all_rules(wish.allow, &files)?);
    let sidecar = Sidecar::open(&root).with_context(|| {
        Refusal::new("the conversation cannot be kept", "look who owns the folder '.agent-doc'")
    })?;
    log::begin(&sidecar);
    let (transcript, history) = transcript(wish.beginning, &Transcripts::at(&sidecar.sessions()))?;
    let (toolbox, opened) =
        super::tools::all(&sidecar, &policy, &settings, transcript.id(), provider, wish.asker).await?;
    let frame = Frame {
        model: chosen.name,
        system: prompt::system(&root, &Trust::of_person()).into(),
        tools: toolbox.specs(&policy),
        thinking: turns::effort(&settings),
    };
    let model = chosen.model.id().to_owned();
    let files = Arc::new(files);
    let setup = Setup {
        frame: frame.clone(),
        limits: chosen.model.limits(),
        policy: policy.clone(),
        caps: caps(&settings),
    };
    let rules = Arc::clone(&files);
    let ports = Ports { model: chosen.model, tools: toolbox, rules, clock: moment::now };
    let conversation = Conversation::new(ports, setup, history, transcript);
    Ok(Talk { conversation, opened, files, settings, sidecar, folder, root, policy, model, frame })
}

fn all_rules(allow: &[String], files: &RuleFiles) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = files.read_all()?.into_iter().flat_map(|file| file.rules).collect();
    rules.extend(turns::allowed(allow)?);
    Ok(rules)
}

fn transcript(beginning: Beginning<'_>, transcripts: &Transcripts) -> Result<(Transcript, History)> {
    let name = match beginning {
        Beginning::New => return Ok((transcripts.begin(moment::now())?, History::new())),
        Beginning::Latest => latest(transcripts)?,
        Beginning::Named(name) => name.to_owned(),
    };
    let (transcript, records) = transcripts.resume(&name)?;
    Ok((transcript, History::replay(records)))
}

fn latest(transcripts: &Transcripts) -> Result<String> {
    let newest = transcripts.list()?.into_iter().next();
    let newest =
        newest.ok_or_else(|| Refusal::new("there is no conversation yet", "begin one without --continue"))?;
    Ok(newest.id)
}
