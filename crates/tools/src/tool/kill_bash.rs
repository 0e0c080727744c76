//! The tool that ends a command in the background. Never ends anything that Bash did not start.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::shell::Shell;

/// Ends a command in the background with everything that it started, and gives back the rest of its output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KillBashInput {
    /// The name that Bash gave it, such as `bash_1`.
    bash_id: String,
}

/// `KillBash`.
pub struct KillBash {
    spec: ToolSpec,
    shell: Shell,
}

impl KillBash {
    /// Ends commands of `shell`.
    pub fn new(shell: Shell) -> Self {
        Self { spec: spec::<KillBashInput>("KillBash"), shell }
    }
}

impl Tool for KillBash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        // It takes back what was allowed before, so nobody needs to be asked again.
        Box::pin(async move { parsed::<KillBashInput>(call).map(|_| Claim::of(Access::ReadOnly)) })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            let input = match parsed::<KillBashInput>(permit.call()) {
                Ok(input) => input,
                Err(words) => return Output::error(words),
            };
            match self.shell.kill_background(&input.bash_id).await {
                Ok(text) => Output::success(text),
                Err(words) => Output::error(words),
            }
        })
    }
}
