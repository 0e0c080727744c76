//! Who answers a session document: the one that is named on the command line, in the document, or in the settings; else our own loop
//! if it has a model, else an agent program that is installed. Never runs a command that a document or a project names.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use workspace::outside::{PermissionDesk, RefuseAll};
use workspace::session::agent::Agent;

use super::agents::{self, NamedBy};
use super::own::Own;
use crate::configuration::Configuration;

/// Agent programs that answer where nobody is named and no model is set up, in this order.
const INSTALLED: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Who is wanted, by whom.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// What the person typed.
    pub(crate) by_person: Option<&'a str>,
    /// What the document says.
    pub(crate) by_document: Option<&'a str>,
    /// Calls that our own loop may make, as rules.
    pub(crate) allow: &'a [String],
    /// Who is asked what the agent may do; where there is nobody, what no rule allows is refused.
    pub(crate) desk: Option<&'a Arc<dyn PermissionDesk>>,
}

impl Wanted<'_> {
    /// Who decides what an outside agent may do.
    fn outside_desk(&self) -> Arc<dyn PermissionDesk> {
        self.desk.map_or_else(|| Arc::new(RefuseAll) as Arc<dyn PermissionDesk>, Arc::clone)
    }
}

/// The agent that is wanted.
pub(crate) fn find(wanted: Wanted<'_>, folder: &Path) -> Result<Arc<dyn Agent>> {
    let settings = Configuration::of(folder)?;
    let named = match (wanted.by_person, wanted.by_document) {
        (Some(name), _) => Some((name, NamedBy::Person)),
        (None, Some(name)) => Some((name, NamedBy::Document)),
        (None, None) => settings.text("agent").map(|name| (name, NamedBy::Person)),
    };
    let Some((name, by)) = named else { return unnamed(wanted, &settings) };
    if let Some(own) = Own::named(Some(name), wanted.allow, wanted.desk.cloned())? {
        return Ok(Arc::new(own));
    }
    Ok(agents::find(name, by, &settings, wanted.outside_desk())?.into())
}

/// Our own loop with a real model, else an installed program, else our own loop without one.
fn unnamed(wanted: Wanted<'_>, settings: &Configuration) -> Result<Arc<dyn Agent>> {
    let installed = || INSTALLED.into_iter().find(|name| is_installed(name));
    if !super::model::is_remote(settings)
        && let Some(name) = installed()
    {
        return Ok(agents::find(name, NamedBy::Person, settings, wanted.outside_desk())?.into());
    }
    let own = Own::named(None, wanted.allow, wanted.desk.cloned())?;
    own.map(|own| Arc::new(own) as Arc<dyn Agent>)
        .ok_or_else(|| crate::refusal::Refusal::new("there is no agent", "name one with --agent").into())
}

fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
