//! A tool of a server, as one of ours. Never believes that it only reads: a server can say that of anything.

use std::sync::Arc;

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture};

use super::server::Server;

pub(super) struct ForeignTool {
    server: Arc<Server>,
    /// Its name at the server.
    name: String,
    spec: ToolSpec,
}

impl ForeignTool {
    pub(super) fn new(server: Arc<Server>, name: String, spec: ToolSpec) -> Self {
        Self { server, name, spec }
    }
}

impl Tool for ForeignTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            call.arguments().map_err(|error| error.to_string())?;
            Ok(Claim::of(Access::Execute))
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            match permit.call().arguments() {
                Ok(arguments) => self.server.call(&self.name, arguments, &scope).await,
                Err(error) => Output::error(error.to_string()),
            }
        })
    }
}
