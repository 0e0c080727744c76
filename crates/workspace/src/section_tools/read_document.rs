//! The tool that reads a document from its owner. Never changes anything.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::page::Wanted;
use super::scribe::Scribe;
use crate::command::FileCommand;

/// Reads a markdown document in which people and other agents may be writing at this moment, and says its revision.
///
/// Give the revision back when you replace something, so that nobody's words are overwritten unseen. Of a long document you get
/// 2000 lines from the beginning if you do not say which; for one section, use `ReadSection`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadDocumentInput {
    /// The document, from the root of the project or absolute.
    file_path: String,
    /// The number of the first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read.
    limit: Option<u64>,
}

/// `ReadDocument`.
pub struct ReadDocument {
    spec: ToolSpec,
    scribe: Scribe,
}

impl ReadDocument {
    /// Reads for this one.
    #[must_use]
    pub fn new(scribe: Scribe) -> Self {
        Self { spec: spec::<ReadDocumentInput>("ReadDocument"), scribe }
    }

    async fn read(&self, permit: &Permit, scope: &RunScope) -> Result<Output, Output> {
        let input: ReadDocumentInput = parsed(permit.call()).map_err(Output::error)?;
        let path = self.scribe.permitted(permit, &input.file_path)?;
        let command = FileCommand::Read { path: path.clone() };
        let reply = self.scribe.ask(permit.call(), scope, command, None).await?;
        Ok(self.scribe.shown(&path, reply, Wanted { offset: input.offset, limit: input.limit }))
    }
}

impl Tool for ReadDocument {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: ReadDocumentInput = parsed(call)?;
            self.scribe.claim(&input.file_path, PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.read(&permit, &scope).await.unwrap_or_else(|told| told) })
    }
}
