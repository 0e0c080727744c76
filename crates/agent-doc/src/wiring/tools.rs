//! The tools of a session in a project. Never leaves a command unlocked without saying so.

use std::path::Path;
use std::sync::Arc;

use agent::message::ToolCall;
use agent::permission::{Claim, PathAccess, Policy, Verdict};
use anyhow::{Context as _, Result};
use tools::checkpoint::Checkpoints;
use tools::files::{DirectWriter, Files};
use tools::gate::Gate;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::search::Veil;
use tools::shell::Shell;
use tools::tool::Outfit;
use tools::web::Web;
use workspace::conversation::Toolbox;
use workspace::sidecar::Sidecar;

use super::discreet::{Discreet, secrets};
use crate::configuration::person_file;
use crate::refusal::Refusal;

/// All tools for work in a project.
pub(crate) fn all(sidecar: &Sidecar, policy: &Policy) -> Result<Toolbox> {
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
    let outfit = Outfit {
        gate: Arc::new(gate),
        shell: Shell::new(sandbox, artifacts, Some(checkpoints.clone())),
        files: Files::new(root, Arc::new(DirectWriter::default()), Some(checkpoints)),
        veil: veil(policy.clone()),
        tasks: Arc::default(),
        asker: None,
        web: Web::default(),
        provider: None,
    };
    let secrets = secrets();
    Ok(Toolbox::new(outfit.tools().into_iter().map(|tool| Discreet::around(tool, secrets.clone()))))
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
