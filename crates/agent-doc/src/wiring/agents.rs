//! Which outside agent answers a document. Never starts one, and never lets a document choose a pane that the person did not set
//! up: what is pasted there is typed.

use std::sync::Arc;

use anyhow::Result;
use models::catalog::PROVIDERS;
use workspace::outside::spec::BUILT_IN;
use workspace::outside::{self, PermissionDesk, Spec, Tmux};
use workspace::session::agent::Agent;

use crate::configuration::{Configuration, Configured, Kind};
use crate::refusal::Refusal;

/// What stands before the name of a pane.
const PANE: &str = "tmux:";

/// Who named the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The person, by a flag or in their own settings.
    Person,
    /// A document or a project, which may come from anywhere.
    Document,
}

/// The outside agent of this name. Our own loop has other names (`anthropic`, `openai`, `offline`): whoever wires a session
/// looks for those first and comes here with the rest.
///
/// # Errors
///
/// A [`Refusal`] with what is known, if nobody has this name.
pub(crate) fn find(
    name: &str,
    by: NamedBy,
    settings: &Configuration,
    desk: Arc<dyn PermissionDesk>,
) -> Result<Box<dyn Agent>> {
    if let Some(own) = settings.agents().iter().find(|own| own.name() == name) {
        return Ok(match own.kind.clone() {
            Kind::Program(spec) => outside::agent(spec, desk),
            Kind::Pane { name, pane, patience } => Box::new(Tmux::new(&name, &pane).patience(patience)),
        });
    }
    if let Some(spec) = Spec::built_in(name) {
        return Ok(outside::agent(spec, desk));
    }
    match (name.strip_prefix(PANE).filter(|pane| !pane.is_empty()), by) {
        (Some(pane), NamedBy::Person) => Ok(Box::new(Tmux::new(name, pane))),
        (Some(pane), NamedBy::Document) => Err(Refusal::new(
            format!("a document may not choose the pane '{}' by itself", pane.escape_debug()),
            format!("give --agent '{PANE}{pane}', or set up an agent with this pane in your own settings"),
        )
        .into()),
        (None, _) => Err(unknown(name, &known(settings)).into()),
    }
}

/// The names of all agents: those of the person first, then our own loop with each of its models, then programs of others.
pub(crate) fn known(settings: &Configuration) -> Vec<String> {
    let own: Vec<&str> = settings.agents().iter().map(Configured::name).collect();
    let loops = ["offline"].into_iter().chain(PROVIDERS.iter().map(|provider| provider.name));
    let others = loops.chain(BUILT_IN).filter(|name| !own.contains(name));
    own.iter().copied().chain(others).map(str::to_owned).collect()
}

fn unknown(name: &str, known: &[String]) -> Refusal {
    let nearest = known.iter().min_by_key(|known| strsim::levenshtein(name, known));
    let meant = nearest.filter(|known| strsim::levenshtein(name, known) <= 1 + known.len() / 4);
    let list = format!("there are {} and {PANE}PANE", known.join(", "));
    let remedy = match meant {
        Some(nearest) => format!("did you mean '{nearest}'? {list}"),
        None => format!("{list}; others are set up in your own settings"),
    };
    Refusal::new(format!("there is no agent '{}'", name.escape_debug()), remedy)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use workspace::outside::RefuseAll;

    use super::{NamedBy, find, known};
    use crate::configuration::{Configuration, Sources};
    use crate::refusal::Refusal;

    fn settings(folder: &Path, own: &str) -> Configuration {
        let person = folder.join("config.toml");
        std::fs::write(&person, own).unwrap();
        Configuration::load(&Sources { person: Some(person), project: None, variable: &|_| None }).unwrap()
    }

    fn check(own: &str, name: &str, by: NamedBy) -> String {
        let folder = tempfile::tempdir().unwrap();
        match find(name, by, &settings(folder.path(), own), Arc::new(RefuseAll)) {
            Ok(agent) => agent.name().to_owned(),
            Err(error) => {
                let remedy = error.downcast_ref::<Refusal>().unwrap().remedy();
                format!("{error}; {remedy}")
            }
        }
    }

    #[test]
    fn agents_are_found_by_their_names() {
        let own = "[agents.mine]\ncommand = \"llm\"\n[agents.left]\npane = \"work:1\"\n";
        for name in ["claude", "codex", "gemini", "opencode", "acp:claude", "acp:opencode", "mine", "left"] {
            assert_eq!(check(own, name, NamedBy::Document), name);
        }
        assert_eq!(check("", "tmux:work:1", NamedBy::Person), "tmux:work:1");
    }

    #[test]
    fn a_document_chooses_no_pane_by_itself() {
        assert_eq!(
            check("", "tmux:0", NamedBy::Document),
            "a document may not choose the pane '0' by itself; give --agent 'tmux:0', or set up an agent with this pane in \
             your own settings"
        );
    }

    #[test]
    fn an_unknown_agent_is_refused_with_the_nearest_name() {
        let list = "there are offline, anthropic, openai, claude, codex, gemini, opencode, acp:claude, acp:codex, acp:gemini, acp:opencode and tmux:PANE";
        assert_eq!(
            check("", "cluade", NamedBy::Document),
            format!("there is no agent 'cluade'; did you mean 'claude'? {list}")
        );
        assert_eq!(
            check("", "somebody", NamedBy::Document),
            format!("there is no agent 'somebody'; {list}; others are set up in your own settings")
        );
        let folder = tempfile::tempdir().unwrap();
        let known = known(&settings(folder.path(), "[agents.mine]\ncommand = \"x\"\n"));
        assert_eq!(known.first().map(String::as_str), Some("mine"));
    }
}
