//! The tool that replaces what a section holds. Never replaces what the model has not seen.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::scribe::{How, Scribe};
use crate::command::FileCommand;

/// Replaces what a section of a document holds; its heading stays. The section must have been read before.
///
/// If somebody changed the section since the revision that you give, nothing is written, and you get what it holds now. To change
/// a few words, use `EditSection`; to add something, `AppendSection`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteSectionInput {
    /// The document, from the root of the project or absolute.
    file_path: String,
    /// The title of the section.
    section: String,
    /// The revision at which you read the section.
    revision: u64,
    /// All that will stand below the heading.
    content: String,
}

/// `WriteSection`.
pub struct WriteSection {
    spec: ToolSpec,
    scribe: Scribe,
}

impl WriteSection {
    /// Writes for this one.
    #[must_use]
    pub fn new(scribe: Scribe) -> Self {
        Self { spec: spec::<WriteSectionInput>("WriteSection"), scribe }
    }

    async fn write(&self, permit: &Permit, scope: &RunScope) -> Result<Output, Output> {
        let input: WriteSectionInput = parsed(permit.call()).map_err(Output::error)?;
        let path = self.scribe.permitted(permit, &input.file_path)?;
        let base = self.scribe.base(&path, &input.section, input.revision);
        let section = input.section.clone();
        let command = FileCommand::WriteSection { path: path.clone(), section, content: input.content };
        let reply = self.scribe.ask(permit.call(), scope, command, Some(base)).await?;
        self.scribe.note_conflict(&path, &input.section, &reply);
        Ok(self.scribe.written(&path, &input.section, reply, How::Replaced))
    }
}

impl Tool for WriteSection {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: WriteSectionInput = parsed(call)?;
            self.scribe.claim(&input.file_path, PathAccess::Edit)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.write(&permit, &scope).await.unwrap_or_else(|told| told) })
    }
}
