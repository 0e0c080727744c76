//! The tool that reads one section of a document. Never changes anything.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::page::Wanted;
use super::scribe::Scribe;
use crate::command::FileCommand;

/// Reads one section of a markdown document, without its heading, and says the revision of the document.
///
/// Give the revision back when you replace something in the section. If two sections have the same title, name the one that
/// you mean with the titles above it: `Plan/Log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadSectionInput {
    /// The document, from the root of the project or absolute.
    file_path: String,
    /// The title of the section.
    section: String,
    /// The number of the first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read.
    limit: Option<u64>,
}

/// `ReadSection`.
pub struct ReadSection {
    spec: ToolSpec,
    scribe: Scribe,
}

impl ReadSection {
    /// Reads for this one.
    #[must_use]
    pub fn new(scribe: Scribe) -> Self {
        Self { spec: spec::<ReadSectionInput>("ReadSection"), scribe }
    }

    async fn read(&self, permit: &Permit, scope: &RunScope) -> Result<Output, Output> {
        let input: ReadSectionInput = parsed(permit.call()).map_err(Output::error)?;
        let path = self.scribe.permitted(permit, &input.file_path)?;
        let command = FileCommand::ReadSection { path: path.clone(), section: input.section };
        let reply = self.scribe.ask(permit.call(), scope, command, None).await?;
        Ok(self.scribe.shown(&path, reply, Wanted { offset: input.offset, limit: input.limit }))
    }
}

impl Tool for ReadSection {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: ReadSectionInput = parsed(call)?;
            self.scribe.claim(&input.file_path, PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.read(&permit, &scope).await.unwrap_or_else(|told| told) })
    }
}
