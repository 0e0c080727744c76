//! The tool that changes one passage of a section. Never guesses which passage is meant.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::scribe::{How, Scribe};
use crate::command::FileCommand;

/// Replaces one passage in a section of a document by another. The section must have been read before.
///
/// `old_string` must stand in the section exactly as given, and only once. If somebody changed the section since the revision that
/// you give, nothing is written, and you get what it holds now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditSectionInput {
    /// The document, from the root of the project or absolute.
    file_path: String,
    /// The title of the section.
    section: String,
    /// The revision at which you read the section.
    revision: u64,
    /// The passage to replace.
    old_string: String,
    /// The passage to put there.
    new_string: String,
}

/// `EditSection`.
pub struct EditSection {
    spec: ToolSpec,
    scribe: Scribe,
}

impl EditSection {
    /// Writes for this one.
    #[must_use]
    pub fn new(scribe: Scribe) -> Self {
        Self { spec: spec::<EditSectionInput>("EditSection"), scribe }
    }

    async fn write(&self, permit: &Permit, scope: &RunScope) -> Result<Output, Output> {
        let input: EditSectionInput = parsed(permit.call()).map_err(Output::error)?;
        let path = self.scribe.permitted(permit, &input.file_path)?;
        let base = self.scribe.base(&path, &input.section, input.revision);
        let section = input.section.clone();
        let command = FileCommand::EditSection {
            path: path.clone(),
            section,
            old: input.old_string,
            new: input.new_string,
        };
        let reply = self.scribe.ask(permit.call(), scope, command, Some(base)).await?;
        self.scribe.note_conflict(&path, &input.section, &reply);
        Ok(self.scribe.written(&path, &input.section, reply, How::Replaced))
    }
}

impl Tool for EditSection {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: EditSectionInput = parsed(call)?;
            self.scribe.claim(&input.file_path, PathAccess::Edit)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.write(&permit, &scope).await.unwrap_or_else(|told| told) })
    }
}
