//! The tool that shows what is in a folder. Never goes deeper than that folder.

use std::fs;

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use crate::files::Files;
use crate::limits::PATHS_MAX;
use crate::output::visible;

/// Shows what is in a folder: folders with a slash behind their name, files with their size in bytes, links with where they lead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListInput {
    /// The folder, from the root of the workspace or absolute; the workspace if not given.
    path: Option<String>,
}

/// `List`.
pub struct List {
    spec: ToolSpec,
    files: Files,
}

impl List {
    /// Shows folders of this session.
    pub fn new(files: Files) -> Self {
        Self { spec: spec::<ListInput>("List"), files }
    }
}

impl Tool for List {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: ListInput = parsed(call)?;
            self.files.claim("path", input.path.as_deref().unwrap_or("."), PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        let files = self.files.clone();
        blocking(move || listed(&files, &permit).map_or_else(Output::error, Output::success))
    }
}

fn listed(files: &Files, permit: &Permit) -> Result<String, String> {
    let folder = Files::permitted(permit)?;
    let shown = files.shown(&folder);
    if !folder.exists() {
        return Err(files.missing(&folder));
    }
    let entries = fs::read_dir(&folder).map_err(|error| format!("{shown} cannot be listed: {error}"))?;
    let mut lines: Vec<String> = entries.flatten().map(|entry| line(&entry)).collect();
    lines.sort_unstable();
    let all = lines.len();
    lines.truncate(PATHS_MAX);
    if all > PATHS_MAX {
        lines.push(format!("[{PATHS_MAX} of {all} entries; use Glob to find the others]"));
    }
    if lines.is_empty() { Ok(format!("{shown} is empty")) } else { Ok(lines.join("\n")) }
}

fn line(entry: &fs::DirEntry) -> String {
    let name = entry.file_name();
    let name = visible(&name.to_string_lossy()).replace('\n', "<U+000A>");
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => format!("{name}/"),
        Ok(kind) if kind.is_symlink() => {
            let target = fs::read_link(entry.path()).unwrap_or_default();
            format!("{name} -> {}", visible(&target.to_string_lossy()))
        }
        Ok(kind) if kind.is_file() => {
            format!("{name}  {}", entry.metadata().map(|metadata| metadata.len()).unwrap_or_default())
        }
        Ok(_) | Err(_) => format!("{name}  (neither file nor folder)"),
    }
}
