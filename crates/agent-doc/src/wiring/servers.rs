//! The MCP servers of the person's settings, ready to be started. Never starts one in the folder of a project: what lies there
//! could decide what runs, as programs such as `npx` look around themselves first.

use std::path::{Path, PathBuf};

use agent::permission::Policy;
use tools::mcp::{ServerSettings, Servers, Surroundings};
use tools::sandbox::cleaned;

use crate::configuration::{Configuration, ServerEntry};
use crate::output;

/// Starts what the settings name, and says what could not be started. A server whose every tool a rule denies is left alone.
pub(crate) async fn start(settings: &Configuration, policy: &Policy, artifacts: &Path) -> Servers {
    let is_wanted = |entry: &&ServerEntry| !policy.hides(&format!("mcp__{}__", entry.name));
    let mut ready = Vec::new();
    for entry in settings.servers().iter().filter(is_wanted) {
        match resolved(entry) {
            Ok(server) => ready.push(server),
            Err(why) => output::notice(&why),
        }
    }
    let servers = Servers::start(ready, &surroundings(artifacts.to_owned())).await;
    for warning in servers.warnings() {
        output::notice(warning);
    }
    servers
}

/// A server with the values of the variables that its settings name.
pub(crate) fn resolved(entry: &ServerEntry) -> Result<ServerSettings, String> {
    let resolved = entry.settings(&|name| std::env::var(name).ok());
    resolved.map_err(|why| format!("the MCP server '{}' is not used: {why}", entry.name))
}

/// What all servers find.
pub(crate) fn surroundings(artifacts: PathBuf) -> Surroundings {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
    let folder = home.unwrap_or_else(|| PathBuf::from("/"));
    Surroundings { folder, environment: cleaned(std::env::vars_os()), artifacts }
}
