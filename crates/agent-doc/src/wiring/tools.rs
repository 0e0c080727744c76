//! The tools of a session in a project. Never leaves a command unlocked without saying so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::message::ToolCall;
use agent::permission::{Claim, PathAccess, Policy, Verdict};
use agent::tool::Tool;
use anyhow::{Context as _, Result};
use tools::checkpoint::Checkpoints;
use tools::files::Files;
use tools::gate::Gate;
use tools::mcp::Servers;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::search::Veil;
use tools::shell::Shell;
use tools::tool::{Asker, Outfit};
use tools::web::{Provider, Web};
use workspace::command::Actor;
use workspace::conversation::Toolbox;
use workspace::documents::Documents;
use workspace::owner::Options;
use workspace::section_tools::{self, Scribe};
use workspace::sidecar::Sidecar;

use super::discreet::{Discreet, secrets};
use super::servers;
use super::writer::StoreWriter;
use crate::configuration::{Configuration, person_file};
use crate::refusal::Refusal;

/// The agent in the history of a document.
const AGENT: &str = "agent";

/// What the tools have opened, to be closed after them.
pub(crate) struct Opened {
    /// The documents.
    pub(crate) documents: Documents,
    /// The MCP servers.
    pub(crate) servers: Servers,
}

/// All tools for work in a project, and what they open. Called in a runtime.
pub(crate) async fn all(
    sidecar: &Sidecar,
    policy: &Policy,
    settings: &Configuration,
    session: &str,
    provider: Option<Provider>,
    asker: Option<Arc<dyn Asker>>,
) -> Result<(Toolbox, Opened)> {
    let root = root(sidecar)?;
    let artifacts = folder(sidecar, "artifacts")?;
    let servers = servers::start(settings, policy, &artifacts).await;
    let documents = Documents::new(root, Options::default());
    let actor = Actor::User(AGENT.to_owned());
    let hands =
        Hands { documents: documents.clone(), actor: actor.clone(), artifacts, protected: None, asker };
    let tools = own(sidecar, policy, hands, provider)?;
    let scribe = Scribe::new(documents.clone(), actor, session);
    let rest = discreet(section_tools::all(&scribe).into_iter().chain(servers.tools().iter().cloned()));
    Ok((Toolbox::new(tools.into_iter().chain(rest)), Opened { documents, servers }))
}

/// Whose hands the tools are.
pub(crate) struct Hands {
    /// The documents that they write through.
    pub(crate) documents: Documents,
    /// Under this name.
    pub(crate) actor: Actor,
    /// Where long output goes.
    pub(crate) artifacts: PathBuf,
    /// A folder of the project that commands may read and not change.
    pub(crate) protected: Option<PathBuf>,
    /// Who puts questions of the model to the person, if somebody is there.
    pub(crate) asker: Option<Arc<dyn Asker>>,
}

/// The tools for files, commands and the web. Called in a runtime.
pub(crate) fn own(
    sidecar: &Sidecar,
    policy: &Policy,
    hands: Hands,
    provider: Option<Provider>,
) -> Result<Vec<Arc<dyn Tool>>> {
    let root = root(sidecar)?;
    let (temporary, kept) = (folder(sidecar, "tmp")?, folder(sidecar, "checkpoints")?);
    let checkpoints = Checkpoints::new(root.clone(), kept).with_context(unusable)?;
    let home = std::env::var_os("HOME");
    let mut bounds =
        Bounds::of_workspace(root.clone(), temporary, home.as_deref().map(Path::new), std::env::vars_os());
    bounds.protected.extend(hands.protected);
    // The rules of a person who keeps settings elsewhere.
    bounds.hidden.extend(
        person_file(&|name| std::env::var(name).ok()).and_then(|file| Some(file.parent()?.to_owned())),
    );
    let sandbox = Sandbox::new(Confinement::probe(), bounds);
    let gate = Gate::new().context("the table of harmless commands is damaged")?;
    let writer = StoreWriter::new(hands.documents, hands.actor, tokio::runtime::Handle::current());
    let outfit = Outfit {
        gate: Arc::new(gate),
        shell: Shell::new(sandbox, hands.artifacts, Some(checkpoints.clone())),
        files: Files::new(root, Arc::new(writer), Some(checkpoints)),
        veil: veil(policy.clone()),
        tasks: Arc::default(),
        asker: hands.asker,
        web: Web::default(),
        provider,
    };
    Ok(discreet(outfit.tools()))
}

/// The tools without keys in what they give back.
pub(crate) fn discreet(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
    let secrets = secrets();
    tools.into_iter().map(|tool| Discreet::around(tool, secrets.clone())).collect()
}

fn unusable() -> Refusal {
    Refusal::new("the tools have no place for what they keep", "look who owns the folder '.agent-doc'")
}

fn root(sidecar: &Sidecar) -> Result<PathBuf> {
    sidecar.root().canonicalize().with_context(unusable)
}

fn folder(sidecar: &Sidecar, name: &str) -> Result<PathBuf> {
    sidecar.private_folder(name).with_context(unusable)
}

/// Hides from searches what a rule forbids to be read.
fn veil(policy: Policy) -> Veil {
    Arc::new(move |path: &Path| {
        let call =
            ToolCall { id: String::new(), name: "Read".to_owned(), input: String::new(), verbatim: None };
        let claim = Claim::of_path(PathAccess::Read, vec![path.to_string_lossy().into_owned()]);
        matches!(policy.weigh(call, claim), Verdict::Refused(refused) if refused.rule.is_some())
    })
}
