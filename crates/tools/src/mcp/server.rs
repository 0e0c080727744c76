//! One server over a whole session: started, called, and started again after it died. Never started again and again in vain.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use agent::tool::{Output, RunScope};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::link::{Failure, Link};
use super::{ServerSettings, Surroundings, Way, answer};
use crate::limits::{SERVER_CALL_TIMEOUT, SERVER_START_TIMEOUT, SERVER_STARTS_MAX};
use crate::tool::blocking;

const INTERRUPTED: &str = "[Interrupted by user]";

pub(super) struct Server {
    settings: ServerSettings,
    surroundings: Surroundings,
    state: Mutex<State>,
    /// Numbers what belongs to this server: its processes and the answers that are kept.
    counted: AtomicU64,
    /// Tells them from those of any other on this machine.
    mark: String,
}

#[derive(Default)]
struct State {
    link: Option<Arc<Link>>,
    /// Since the last call that was answered.
    starts: u32,
}

impl Server {
    pub(super) fn new(settings: ServerSettings, surroundings: Surroundings) -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mark = format!("mcp-{}-{}-{:x}", settings.name, std::process::id(), since_epoch.as_nanos());
        Self { settings, surroundings, state: Mutex::default(), counted: AtomicU64::new(0), mark }
    }

    pub(super) fn name(&self) -> &str {
        &self.settings.name
    }

    /// What it offers. A server that does not list its tools is ended.
    pub(super) async fn listed(&self) -> Result<Vec<rmcp::model::Tool>, String> {
        let deadline = Instant::now() + SERVER_START_TIMEOUT;
        let link = self.link(deadline).await?;
        let listed = link.tools(deadline).await;
        if listed.is_err() {
            self.forget(&link).await;
        }
        listed.map_err(|why| format!("the MCP server '{}' is not used: {why}", self.name()))
    }

    /// Calls a tool.
    pub(super) async fn call(&self, tool: &str, arguments: Map<String, Value>, scope: &RunScope) -> Output {
        let name = self.name();
        let link = tokio::select! {
            link = self.link(Instant::now() + SERVER_START_TIMEOUT) => link,
            () = scope.controller.subscribe() => return Output::error(INTERRUPTED),
        };
        let link = match link {
            Ok(link) => link,
            Err(why) => return Output::error(why),
        };
        let outcome = link.call(tool, arguments, scope).await;
        if !matches!(outcome, Err(Failure::Gone(_))) {
            self.state.lock().await.starts = 0;
        }
        match outcome {
            Ok(result) => {
                let (artifact, secrets) = (self.artifact(), self.settings.secrets.clone());
                blocking(move || answer::output(result, &secrets, artifact)).await
            }
            Err(Failure::Interrupted) => Output::error(INTERRUPTED),
            Err(Failure::TimedOut) => {
                let seconds = SERVER_CALL_TIMEOUT.as_secs();
                Output::error(format!(
                    "the MCP server '{name}' did not answer within {seconds} seconds; ask for less"
                ))
            }
            Err(Failure::Refused(why)) => Output::error(format!("the MCP server '{name}' answers: {why}")),
            Err(Failure::Gone(why)) => {
                self.forget(&link).await;
                Output::error(match &self.settings.way {
                    Way::Child { .. } => format!(
                        "the MCP server '{name}' ended in the middle of the call ({why}); it is started again at the next call"
                    ),
                    Way::Http { .. } => format!(
                        "the MCP server '{name}' was lost in the middle of the call ({why}); it is asked again at the next call"
                    ),
                })
            }
        }
    }

    /// Ends it for good.
    pub(super) async fn stop(&self) {
        let link = self.state.lock().await.link.take();
        if let Some(link) = link {
            link.stop().await;
        }
    }

    /// The connection, made anew if there is none any more. Those who come meanwhile wait for the same one.
    async fn link(&self, deadline: Instant) -> Result<Arc<Link>, String> {
        let mut state = self.state.lock().await;
        if let Some(link) = state.link.as_ref().filter(|link| !link.is_closed()) {
            return Ok(link.clone());
        }
        state.link = None;
        let name = self.name();
        if state.starts >= SERVER_STARTS_MAX {
            return Err(format!(
                "the MCP server '{name}' ended {SERVER_STARTS_MAX} times without an answer and is not started again; \
                 do without it, and tell the person to look at it with 'agent-doc doctor'"
            ));
        }
        state.starts += 1;
        let mark = format!("{}-{}", self.mark, self.counted.fetch_add(1, Ordering::Relaxed));
        let connected = Link::connect(&self.settings, &self.surroundings, &mark, deadline).await;
        let link = connected.map_err(|why| format!("the MCP server '{name}' is not used: {why}"))?;
        Ok(state.link.insert(Arc::new(link)).clone())
    }

    /// Drops a connection, unless another one stands in its place already.
    async fn forget(&self, link: &Arc<Link>) {
        let mut state = self.state.lock().await;
        if state.link.as_ref().is_some_and(|known| Arc::ptr_eq(known, link)) {
            state.link = None;
        }
    }

    fn artifact(&self) -> PathBuf {
        let number = self.counted.fetch_add(1, Ordering::Relaxed);
        self.surroundings.artifacts.join(format!("{}-{number}.txt", self.mark))
    }
}
