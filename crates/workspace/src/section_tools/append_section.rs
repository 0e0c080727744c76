//! The tool that adds to a section. Never takes anything away.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::scribe::{How, Scribe};
use crate::command::FileCommand;

/// Adds a block of markdown at the end of a section of a document. Nothing that stands there is changed, so it needs no revision, and
/// what others add at the same time stays.
///
/// The block stays in its section: headings in it are put below that of the section.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppendSectionInput {
    /// The document, from the root of the project or absolute.
    file_path: String,
    /// The title of the section.
    section: String,
    /// What to add.
    content: String,
}

/// `AppendSection`.
pub struct AppendSection {
    spec: ToolSpec,
    scribe: Scribe,
}

impl AppendSection {
    /// Writes for this one.
    #[must_use]
    pub fn new(scribe: Scribe) -> Self {
        Self { spec: spec::<AppendSectionInput>("AppendSection"), scribe }
    }

    async fn write(&self, permit: &Permit, scope: &RunScope) -> Result<Output, Output> {
        let input: AppendSectionInput = parsed(permit.call()).map_err(Output::error)?;
        let path = self.scribe.permitted(permit, &input.file_path)?;
        let section = input.section.clone();
        let command = FileCommand::AppendSection { path: path.clone(), section, content: input.content };
        let reply = self.scribe.ask(permit.call(), scope, command, None).await?;
        Ok(self.scribe.written(&path, &input.section, reply, How::Appended))
    }
}

impl Tool for AppendSection {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: AppendSectionInput = parsed(call)?;
            self.scribe.claim(&input.file_path, PathAccess::Edit)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.write(&permit, &scope).await.unwrap_or_else(|told| told) })
    }
}
