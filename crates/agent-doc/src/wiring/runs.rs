//! Runs with the person's models, tools and rules. Never asks but at a desk that it was given: elsewhere, what no rule allows does
//! not run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::permission::{Mode, Policy, Rule};
use agent::tool::Tool;
use anyhow::{Context as _, Result};
use conductor::limits::Limits;
use conductor::role::Role;
use conductor::{Equip, Kit, Post, RunError, Runs, Settings, Think, Thinker};
use models::Offline;
use tools::mcp::Servers;
use workspace::command::Actor;
use workspace::documents::Documents;
use workspace::outside::PermissionDesk;
use workspace::sidecar::Sidecar;

use super::model::Chosen;
use super::tools::Hands;
use super::{model, prompt, roles, search, servers, tools as hands, turns};
use crate::configuration::Configuration;
use crate::reach::PERSON;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::trust::Trust;
use crate::{log, moment};

/// Runs, and what was opened for them.
pub(crate) struct Opened {
    pub(crate) runs: Runs,
    documents: Documents,
    servers: Option<Servers>,
}

impl Opened {
    /// Stops the runs, so that they can be gone on with, and lets go of everything.
    pub(crate) async fn close(self) {
        self.runs.close().await;
        self.documents.close().await;
        if let Some(servers) = self.servers {
            servers.stop().await;
        }
    }
}

/// All that workers of one project have in common.
struct Common {
    root: PathBuf,
    sidecar: Sidecar,
    settings: Configuration,
    policy: Policy,
    documents: Documents,
    preamble: String,
    mcp: Vec<Arc<dyn Tool>>,
    /// Who is asked; nobody, and what no rule allows is refused.
    desk: Option<Counter>,
}

/// Where workers ask.
enum Counter {
    /// On the pages of the document that they work on.
    Pages(web::Desk),
    /// At one place for all of them.
    Person(Arc<dyn PermissionDesk>),
}

impl Counter {
    fn at(&self, document: &str) -> Arc<dyn PermissionDesk> {
        match self {
            Counter::Pages(desk) => desk.at(document),
            Counter::Person(desk) => Arc::clone(desk),
        }
    }
}

/// What runs are opened for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// To let workers work, with these rules for this time.
    Work(&'a [String]),
    /// To let workers work who can ask on a page what no rule allows.
    Serve(&'a web::Desk),
    /// To let workers work who can ask this person.
    Ask(&'a Arc<dyn PermissionDesk>),
    /// To look at them and decide about them.
    Look,
}

/// The runs of the project below `root`, whose documents these are.
pub(crate) async fn open(root: &Path, documents: Documents, purpose: Purpose<'_>) -> Result<Opened> {
    let root = root.canonicalize().context("the project cannot be found")?;
    let settings = Configuration::of(&root)?;
    let files = RuleFiles::of(&root)?;
    let mut rules: Vec<Rule> = files.read_all()?.into_iter().flat_map(|file| file.rules).collect();
    if let Purpose::Work(allow) = purpose {
        rules.extend(turns::allowed(allow)?);
    }
    let (mode, desk) = match purpose {
        Purpose::Serve(desk) => (Mode::Default, Some(Counter::Pages(desk.clone()))),
        Purpose::Ask(desk) => (Mode::Default, Some(Counter::Person(Arc::clone(desk)))),
        Purpose::Work(_) | Purpose::Look => (Mode::DontAsk, None),
    };
    let policy = Policy::new(mode, files.places(), rules);
    let sidecar = Sidecar::open(&root)
        .with_context(|| Refusal::new("the runs cannot be kept", "look who owns the folder '.agent-doc'"))?;
    log::begin(&sidecar);
    let trust = Trust::of_person();
    let (servers, roles, preamble) = match purpose {
        Purpose::Work(_) | Purpose::Serve(_) | Purpose::Ask(_) => {
            let artifacts = sidecar.private_folder("artifacts").context("there is no place for output")?;
            let servers = servers::start(&settings, &policy, &artifacts).await;
            (Some(servers), roles::all(&root, &trust), prompt::system(&root, &trust))
        }
        // Nobody works, so nobody needs tools or words.
        Purpose::Look => (None, Role::standing(), String::new()),
    };
    let mcp = servers.as_ref().map(|servers| hands::discreet(servers.tools().iter().cloned()));
    let common = Arc::new(Common {
        preamble,
        root,
        sidecar,
        settings,
        policy,
        documents: documents.clone(),
        mcp: mcp.unwrap_or_default(),
        desk,
    });
    let settings = Settings {
        roles,
        equip: equip(&common),
        think: think(&common),
        limits: Limits::default(),
        person: PERSON.to_owned(),
        clock: moment::now,
    };
    let runs = Runs::new(documents.clone(), settings).map_err(|error| told(&error))?;
    Ok(Opened { runs, documents, servers })
}

fn equip(common: &Arc<Common>) -> Equip {
    let common = Arc::clone(common);
    Arc::new(move |post: Post| {
        let common = Arc::clone(&common);
        Box::pin(async move { kit(&common, &post).map_err(|error| format!("{error:#}")) })
    })
}

fn kit(common: &Common, post: &Post) -> Result<Kit> {
    let wanted = post.role.model.as_deref().or(post.model.as_deref());
    let chosen = chosen(wanted, &common.settings)?;
    let hands = Hands {
        documents: common.documents.clone(),
        actor: Actor::Worker(post.role.name.clone()),
        artifacts: post.artifacts.clone(),
        // A command must not write where the owner of documents does.
        protected: Some(common.root.join("runs")),
        asker: None,
    };
    let provider = search::provider(&common.settings)?;
    let own = hands::own(&common.sidecar, &common.policy, hands, provider)?;
    Ok(Kit {
        model: chosen.model,
        model_name: chosen.name,
        tools: own.into_iter().chain(common.mcp.iter().cloned()).collect(),
        policy: common.policy.clone(),
        desk: common.desk.as_ref().map(|desk| desk.at(&post.document)),
        rules: Arc::new(RuleFiles::of(&common.root)?),
        thinking: turns::effort(&common.settings),
        caps: turns::caps(&common.settings, None),
        preamble: common.preamble.clone(),
    })
}

fn think(common: &Arc<Common>) -> Think {
    let common = Arc::clone(common);
    Arc::new(move |wanted: Option<&str>| {
        let chosen = chosen(wanted, &common.settings).map_err(|error| format!("{error:#}"))?;
        Ok(if chosen.name == Offline::ID {
            Thinker::Rules
        } else {
            Thinker::Model(chosen.model, chosen.name)
        })
    })
}

/// The model of a run or a worker. Not a recording: several would read it at once, and the name may come from a file of the project.
fn chosen(wanted: Option<&str>, settings: &Configuration) -> Result<Chosen> {
    if wanted.is_some_and(|name| name.trim_start().starts_with("replay:")) {
        let remedy = "name another model; runs of the offline model are the same each time";
        return Err(Refusal::new("several workers cannot share one recording", remedy).into());
    }
    model::choose(wanted, settings, None)
}

/// What a person is told when something about a run was not done.
pub(crate) fn told(error: &RunError) -> anyhow::Error {
    let whole = error.to_string();
    let (what, remedy) =
        whole.split_once("; ").unwrap_or((whole.as_str(), "'agent-doc runs' lists the runs"));
    Refusal::new(what, remedy).into()
}
