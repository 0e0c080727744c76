//! Keys kept out of what tools give back. A file or a command may hold one, and what a model reads is sent away and kept in the
//! transcript. Never changes a file.

use std::sync::Arc;

use agent::message::{Part, ToolCall};
use agent::model::ToolSpec;
use agent::permission::{Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use models::catalog::PROVIDERS;

/// Shorter values are no keys, and words of an ordinary text could be hidden.
const LENGTH_MIN: usize = 12;

/// The keys that this process was given, each with the variable that holds it.
pub(super) fn secrets() -> Arc<[(String, &'static str)]> {
    let known = PROVIDERS.iter().map(|provider| provider.key_variable);
    let set = known.filter_map(|variable| Some((std::env::var(variable).ok()?.trim().to_owned(), variable)));
    set.filter(|(key, _)| key.len() >= LENGTH_MIN).collect()
}

/// A tool whose results hold no key.
pub(super) struct Discreet {
    tool: Arc<dyn Tool>,
    secrets: Arc<[(String, &'static str)]>,
}

impl Discreet {
    pub(super) fn around(tool: Arc<dyn Tool>, secrets: Arc<[(String, &'static str)]>) -> Arc<dyn Tool> {
        if secrets.is_empty() { tool } else { Arc::new(Self { tool, secrets }) }
    }

    fn scrubbed(&self, mut output: Output) -> Output {
        for part in &mut output.content {
            if let Part::Text(text) = part {
                for (key, variable) in self.secrets.iter() {
                    if text.contains(key) {
                        *text = text.replace(key, &format!("[the value of {variable}]"));
                    }
                }
            }
        }
        output
    }
}

impl Tool for Discreet {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        self.tool.inspect(call)
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.scrubbed(self.tool.run(permit, scope).await) })
    }
}
