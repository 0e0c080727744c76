//! Who answers a session document: the one that is named on the command line, in the document, or in the settings. Never runs a
//! command that a document or a project names.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use workspace::session::agent::Agent;

use super::own::Own;
use crate::refusal::Refusal;

/// The agent of this name; without one, our own loop.
pub(crate) fn find(name: Option<&str>, _folder: &Path, allow: &[String]) -> Result<Arc<dyn Agent>> {
    match Own::named(name, allow)? {
        Some(own) => Ok(Arc::new(own)),
        None => Err(Refusal::new(
            format!("there is no agent '{}'", name.unwrap_or_default().escape_debug()),
            "name one of offline, anthropic, openai",
        )
        .into()),
    }
}
