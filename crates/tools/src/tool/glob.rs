//! The tool that finds files by their names. Never shows what git ignores.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use crate::files::Files;
use crate::limits::PATHS_MAX;
use crate::search::{Scope, Veil, glob, path_pattern};

/// Finds files by a pattern such as `src/**/*.rs` or `*.md`, and gives back their paths, sorted. A pattern without a slash fits
/// in any folder. What .gitignore names is left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GlobInput {
    /// The pattern.
    pattern: String,
    /// The folder to look in; the workspace if not given. The pattern begins there.
    path: Option<String>,
}

/// `Glob`.
pub struct Glob {
    spec: ToolSpec,
    files: Files,
    veil: Veil,
}

impl Glob {
    /// Looks into the files of this session, except those behind the veil.
    pub fn new(files: Files, veil: Veil) -> Self {
        Self { spec: spec::<GlobInput>("Glob"), files, veil }
    }
}

impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: GlobInput = parsed(call)?;
            path_pattern(&input.pattern).map_err(|why| format!("InputValidationError: `pattern`: {why}"))?;
            self.files.claim("path", input.path.as_deref().unwrap_or("."), PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        let (files, veil) = (self.files.clone(), self.veil.clone());
        blocking(move || found(&files, veil, &permit, scope).map_or_else(Output::error, Output::success))
    }
}

fn found(files: &Files, veil: Veil, permit: &Permit, scope: RunScope) -> Result<String, String> {
    let input: GlobInput = parsed(permit.call())?;
    let folder = Files::permitted(permit)?;
    if !folder.is_dir() {
        return Err(format!("{} is no folder; give a folder, or leave path out", files.shown(&folder)));
    }
    let glob_scope = Scope {
        glob: Some(path_pattern(&input.pattern)?),
        veil,
        controller: scope.controller,
        ..Scope::of(folder)
    };
    let paths = glob(&glob_scope)?;
    if paths.is_empty() {
        return Ok(format!("no file fits {:?}", input.pattern));
    }
    let mut text: String =
        paths.iter().take(PATHS_MAX).map(|path| format!("{}\n", files.shown(path))).collect();
    if paths.len() > PATHS_MAX {
        text.push_str(&format!("[{PATHS_MAX} of {} files; use a narrower pattern]\n", paths.len()));
    }
    Ok(text)
}
