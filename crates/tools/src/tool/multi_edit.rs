//! The tool that changes several places of a file at once. Never does only some of them.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use super::edit::{Change, edit};
use crate::files::Files;
use crate::limits::EDITS_MAX;

/// Makes several changes to one file, in the given order, each as Edit would. All are made, or none if one does not fit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MultiEditInput {
    /// The file, from the root of the workspace or absolute.
    file_path: String,
    /// The changes. Each sees what those before it made.
    edits: Vec<Change>,
}

/// `MultiEdit`.
pub struct MultiEdit {
    spec: ToolSpec,
    files: Files,
}

impl MultiEdit {
    /// Changes files of this session.
    pub fn new(files: Files) -> Self {
        Self { spec: spec::<MultiEditInput>("MultiEdit"), files }
    }
}

impl Tool for MultiEdit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: MultiEditInput = parsed(call)?;
            if input.edits.is_empty() || input.edits.len() > EDITS_MAX {
                return Err(format!("InputValidationError: `edits`: give between 1 and {EDITS_MAX} changes"));
            }
            self.files.claim("file_path", &input.file_path, PathAccess::Edit)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        let files = self.files.clone();
        blocking(move || {
            if scope.controller.is_aborted() {
                return Output::error("[Interrupted by user]");
            }
            let input = parsed::<MultiEditInput>(permit.call());
            input
                .and_then(|input| edit(&files, &permit, &input.edits))
                .map_or_else(Output::error, Output::success)
        })
    }
}
