//! The tools of a session in a project. Never leaves a command unlocked without saying so.

use std::path::Path;
use std::sync::Arc;

use agent::message::ToolCall;
use agent::permission::{Claim, PathAccess, Policy, Verdict};
use anyhow::{Context as _, Result};
use tools::checkpoint::Checkpoints;
use tools::files::Files;
use tools::gate::Gate;
use tools::mcp::Servers;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::search::Veil;
use tools::shell::Shell;
use tools::tool::Outfit;
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
) -> Result<(Toolbox, Opened)> {
    let unusable = || {
        Refusal::new("the tools have no place for what they keep", "look who owns the folder '.agent-doc'")
    };
    let root = sidecar.root().canonicalize().with_context(unusable)?;
    let folder = |name: &str| sidecar.private_folder(name).with_context(unusable);
    let (temporary, artifacts, kept) = (folder("tmp")?, folder("artifacts")?, folder("checkpoints")?);
    let checkpoints = Checkpoints::new(root.clone(), kept).with_context(unusable)?;
    let home = std::env::var_os("HOME");
    let mut bounds =
        Bounds::of_workspace(root.clone(), temporary, home.as_deref().map(Path::new), std::env::vars_os());
    // The rules of a person who keeps settings elsewhere.
    bounds.hidden.extend(
        person_file(&|name| std::env::var(name).ok()).and_then(|file| Some(file.parent()?.to_owned())),
    );
    let sandbox = Sandbox::new(Confinement::probe(), bounds);
    let gate = Gate::new().context("the table of harmless commands is damaged")?;
    let servers = servers::start(settings, policy, &artifacts).await;
    let documents = Documents::new(root.clone(), Options::default());
    let agent = Actor::User(AGENT.to_owned());
    let writer = StoreWriter::new(documents.clone(), agent.clone(), tokio::runtime::Handle::current());
    let outfit = Outfit {
        gate: Arc::new(gate),
        shell: Shell::new(sandbox, artifacts, Some(checkpoints.clone())),
        files: Files::new(root, Arc::new(writer), Some(checkpoints)),
        veil: veil(policy.clone()),
        tasks: Arc::default(),
        asker: None,
        web: Web::default(),
        provider,
    };
    let scribe = Scribe::new(documents.clone(), agent, session);
    let tools = outfit.tools().into_iter().chain(section_tools::all(&scribe));
    let secrets = secrets();
    let tools =
        tools.chain(servers.tools().iter().cloned()).map(|tool| Discreet::around(tool, secrets.clone()));
    Ok((Toolbox::new(tools), Opened { documents, servers }))
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
