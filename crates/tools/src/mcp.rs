//! Tools of other programs, over the Model Context Protocol. Never trusts a word of a server: what it says about its tools is
//! bounded and made visible, and what it says about their harmlessness is not heard at all.

mod names;
mod described;
mod answer;
mod words;
mod child;
mod ears;
mod link;
mod server;
mod tool;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use agent::tool::Tool;
use tokio::task::JoinSet;

use server::Server;
use tool::ForeignTool;

pub use names::is_server_name;

use crate::limits::SERVER_TOOLS_MAX;
use crate::web::Key;

/// A server as the person's own configuration describes it. What a project brings along must never become one: starting a
/// program is the whole point of it.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// See [`is_server_name`].
    pub name: String,
    /// How it is reached.
    pub way: Way,
    /// Texts that are in nobody's answers, errors or last words: the values of the variables that the settings name.
    pub secrets: Vec<Key>,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Way {
    /// It is a program of this machine, spoken to over its standard input and output.
    Child {
        /// The program, looked up in the `PATH` of the surroundings.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// What it finds in its environment beside that of the surroundings.
        environment: Vec<(String, Key)>,
    },
    /// It answers at an address. The person chose it, so it may be on this machine.
    Http {
        /// Where.
        url: String,
        /// What is sent along with each request.
        headers: Vec<(String, Key)>,
    },
}

/// What is the same for all servers.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Where programs begin.
    pub folder: PathBuf,
    /// All that programs find in their environment, without keys: see [`crate::sandbox::cleaned`].
    pub environment: Vec<(OsString, OsString)>,
    /// Where answers too long to be shown are kept.
    pub artifacts: PathBuf,
}

/// The servers of a session. Dropping the last of its tools and this kills them.
#[derive(Default)]
pub struct Servers {
    servers: Vec<Arc<Server>>,
    tools: Vec<Arc<dyn Tool>>,
    warnings: Vec<String>,
}

impl Servers {
    /// Starts them side by side, and waits until each has listed its tools or used up its time. One that fails is a
    /// warning and not an error: the conversation begins without it.
    pub async fn start(settings: Vec<ServerSettings>, surroundings: &Surroundings) -> Self {
        let mut starting = JoinSet::new();
        for (place, settings) in settings.into_iter().enumerate() {
            let server = Arc::new(Server::new(settings, surroundings.clone()));
            starting.spawn(async move {
                let listed = server.listed().await;
                (place, server, listed)
            });
        }
        let mut started = Vec::new();
        let mut session = Self::default();
        while let Some(outcome) = starting.join_next().await {
            match outcome {
                Ok(outcome) => started.push(outcome),
                Err(error) => {
                    let why = format!("an MCP server is not used: internal error: {error}; please report it");
                    session.warnings.push(why);
                }
            }
        }
        // The model sees the same tools in the same order, whoever was first.
        started.sort_by_key(|(place, ..)| *place);
        for (_, server, listed) in started {
            match listed {
                Ok(tools) => session.add(&server, tools),
                Err(why) => session.warnings.push(why),
            }
            session.servers.push(server);
        }
        session
    }

    /// Their tools.
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// What the person should know: servers that did not start, and tools that are left out.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Lets each server end by itself, for a moment.
    pub async fn stop(&self) {
        let mut stopping = JoinSet::new();
        for server in &self.servers {
            let server = server.clone();
            stopping.spawn(async move { server.stop().await });
        }
        while stopping.join_next().await.is_some() {}
    }

    fn add(&mut self, server: &Arc<Server>, listed: Vec<rmcp::model::Tool>) {
        let mut taken = HashSet::new();
        let mut leave_out = |tool: &str, why: &str| {
            let tool = words::short(tool);
            self.warnings.push(format!(
                "the tool \"{tool}\" of the MCP server '{}' is left out: {why}",
                server.name()
            ));
        };
        for (index, listed) in listed.into_iter().enumerate() {
            if index >= SERVER_TOOLS_MAX {
                let why = format!("a server may have {SERVER_TOOLS_MAX} tools, and this one has more");
                leave_out(&listed.name, &why);
                break;
            }
            match described::spec(server.name(), &listed) {
                Ok(spec) if taken.insert(spec.name.clone()) => {
                    let tool = ForeignTool::new(server.clone(), listed.name.into_owned(), spec);
                    self.tools.push(Arc::new(tool));
                }
                Ok(spec) => {
                    let why =
                        format!("another one is called {} already; ask its maker for other names", spec.name);
                    leave_out(&listed.name, &why);
                }
                Err(why) => leave_out(&listed.name, &why),
            }
        }
    }
}

/// Tries a server out: starts it, counts its tools, and ends it.
pub async fn try_out(settings: ServerSettings, surroundings: &Surroundings) -> Result<usize, String> {
    let server = Server::new(settings, surroundings.clone());
    let listed = server.listed().await?;
    server.stop().await;
    Ok(listed.len())
}
