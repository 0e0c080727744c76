//! The tool that looks at a command in the background. Never waits for it.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::shell::Shell;

/// Gives back what a command in the background printed since you last looked, and whether it still runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashOutputInput {
    /// The name that Bash gave it, such as `bash_1`.
    bash_id: String,
}

/// `BashOutput`.
pub struct BashOutput {
    spec: ToolSpec,
    shell: Shell,
}

impl BashOutput {
    /// Looks at the commands of `shell`.
    pub fn new(shell: Shell) -> Self {
        Self { spec: spec::<BashOutputInput>("BashOutput"), shell }
    }
}

impl Tool for BashOutput {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move { parsed::<BashOutputInput>(call).map(|_| Claim::of(Access::ReadOnly)) })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            let input = parsed::<BashOutputInput>(permit.call());
            match input.and_then(|input| self.shell.background_output(&input.bash_id)) {
                Ok(finished) => Output::success(finished.text),
                Err(words) => Output::error(words),
            }
        })
    }
}
