//! The tool that writes whole files. Never writes over a file that the model does not know.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use super::read::check_single_name;
use crate::files::{Files, Opened, opened, read_whole};
use crate::limits::EDIT_MAX;

/// Writes a whole file, and makes the folders that it needs. A file that exists must have been read before, and is replaced; to
/// change parts of it, use Edit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteInput {
    /// The file, from the root of the workspace or absolute.
    file_path: String,
    /// All that will be in it.
    content: String,
}

/// `Write`.
pub struct Write {
    spec: ToolSpec,
    files: Files,
}

impl Write {
    /// Writes files of this session.
    pub fn new(files: Files) -> Self {
        Self { spec: spec::<WriteInput>("Write"), files }
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: WriteInput = parsed(call)?;
            if input.content.len() as u64 > EDIT_MAX {
                return Err(format!(
                    "InputValidationError: `content`: it has more than {EDIT_MAX} bytes; write it in pieces"
                ));
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
            write(&files, &permit).map_or_else(Output::error, Output::success)
        })
    }
}

fn write(files: &Files, permit: &Permit) -> Result<String, String> {
    let input: WriteInput = parsed(permit.call())?;
    let path = Files::permitted(permit)?;
    let shown = files.shown(&path);
    let unreadable = |error: std::io::Error| format!("{shown} cannot be written: {error}");
    let before = match opened(&path).map_err(unreadable)? {
        Opened::File(file, _) => Some(read_whole(file, EDIT_MAX).map_err(unreadable)?),
        Opened::Missing => None,
        Opened::Folder => return Err(format!("{shown} is a folder; give the name of a file in it")),
        Opened::Other => return Err(format!("{shown} is a pipe, a socket or a device, and is not written")),
    };
    if let Some(before) = &before {
        files.check_seen(&path, before)?;
        check_single_name(&path, &shown)?;
    }
    files.replace(&path, before.as_deref(), input.content.as_bytes())?;
    let lines = input.content.lines().count();
    let done = if before.is_some() { "replaced" } else { "made" };
    Ok(format!("{shown} was {done}: {lines} lines"))
}
