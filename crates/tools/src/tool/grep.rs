//! The tool that finds lines in files. Never shows what git ignores.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use crate::files::Files;
use crate::limits::{MATCHES_MAX, SHOWN_MAX};
use crate::output::visible;
use crate::search::{Amount, FileMatches, LineQuery, Scope, Veil, grep, path_pattern};

/// Finds lines that match a regular expression (Rust's syntax) in the files of the workspace. What .gitignore names and
/// binary files are left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GrepInput {
    /// The regular expression.
    pattern: String,
    /// The file or folder to look in; the workspace if not given.
    path: Option<String>,
    /// Only files whose path fits this pattern, such as `*.rs` or `src/**/*.ts`.
    glob: Option<String>,
    /// Only files of this type, such as rust, py, js, md.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What to give back. The names of files with a match if not given.
    #[serde(default)]
    output_mode: Mode,
    /// Upper and lower case are the same.
    #[serde(rename = "-i", default)]
    ignore_case: bool,
    /// Line numbers are always shown; accepted and without effect.
    #[serde(rename = "-n", default)]
    #[expect(dead_code, reason = "models are used to giving it")]
    numbers: bool,
    /// Lines to show after each match.
    #[serde(rename = "-A", default)]
    after: usize,
    /// Lines to show before each match.
    #[serde(rename = "-B", default)]
    before: usize,
    /// Lines to show around each match.
    #[serde(rename = "-C", default)]
    around: usize,
    /// A match may span lines.
    #[serde(default)]
    multiline: bool,
    /// Give back only so many lines or files.
    head_limit: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// The matching lines, each with its file and number.
    Content,
    /// The names of the files.
    #[default]
    FilesWithMatches,
    /// The number of matching lines of each file.
    Count,
}

impl GrepInput {
    fn query(&self) -> LineQuery {
        LineQuery {
            pattern: self.pattern.clone(),
            ignore_case: self.ignore_case,
            multiline: self.multiline,
            before: self.before.max(self.around),
            after: self.after.max(self.around),
        }
    }
}

/// `Grep`.
pub struct Grep {
    spec: ToolSpec,
    files: Files,
    veil: Veil,
}

impl Grep {
    /// Looks into the files of this session, except those behind the veil.
    pub fn new(files: Files, veil: Veil) -> Self {
        Self { spec: spec::<GrepInput>("Grep"), files, veil }
    }
}

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: GrepInput = parsed(call)?;
            if let Some(glob) = &input.glob {
                path_pattern(glob).map_err(|why| format!("InputValidationError: `glob`: {why}"))?;
            }
            self.files.claim("path", input.path.as_deref().unwrap_or("."), PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        let (files, veil) = (self.files.clone(), self.veil.clone());
        blocking(move || found(&files, veil, &permit, scope).map_or_else(Output::error, Output::success))
    }
}

fn found(files: &Files, veil: Veil, permit: &Permit, scope: RunScope) -> Result<String, String> {
    let input: GrepInput = parsed(permit.call())?;
    let folder = Files::permitted(permit)?;
    if !folder.exists() {
        return Err(files.missing(&folder));
    }
    let glob = input.glob.as_deref().map(path_pattern).transpose()?;
    let kind = input.kind.clone();
    let scope = Scope { folder, glob, kind, veil, controller: scope.controller };
    let amount = match input.output_mode {
        Mode::Content => Amount::Lines,
        Mode::FilesWithMatches => Amount::Names,
        Mode::Count => Amount::Counts,
    };
    let matches = grep(&scope, &input.query(), amount)
        .map_err(|why| format!("InputValidationError: `pattern`: {why}"))?;
    if matches.is_empty() {
        return Ok("no match".to_owned());
    }
    let limit = input.head_limit.unwrap_or(MATCHES_MAX).clamp(1, MATCHES_MAX);
    Ok(match input.output_mode {
        Mode::Content => lines(files, &matches, limit),
        Mode::FilesWithMatches => listed(&matches, limit, |file| files.shown(&file.path)),
        Mode::Count => listed(&matches, limit, |file| format!("{}:{}", files.shown(&file.path), file.count)),
    })
}

fn listed(matches: &[FileMatches], limit: usize, shown: impl Fn(&FileMatches) -> String) -> String {
    let mut text: String = matches.iter().take(limit).map(|file| shown(file) + "\n").collect();
    if matches.len() > limit {
        text.push_str(&format!("[{limit} of {} files]\n", matches.len()));
    }
    text
}

/// `path:12:match` and `path-13-context`, with `--` where lines are left out.
fn lines(files: &Files, matches: &[FileMatches], limit: usize) -> String {
    let (mut text, mut shown) = (String::new(), 0);
    let has_context = matches.iter().any(|file| file.lines.iter().any(|line| !line.is_match));
    'all: for file in matches {
        let path = files.shown(&file.path);
        let mut last = None;
        for line in &file.lines {
            if (line.is_match && shown == limit) || text.len() >= SHOWN_MAX {
                break 'all;
            }
            if has_context && last.is_none_or(|last| line.number > last + 1) && !text.is_empty() {
                text.push_str("--\n");
            }
            let mark = if line.is_match { ':' } else { '-' };
            text.push_str(&format!("{path}{mark}{}{mark}{}\n", line.number, visible(&line.text)));
            shown += usize::from(line.is_match);
            last = Some(line.number);
        }
    }
    let all: u64 = matches.iter().map(|file| file.count).sum();
    if all > shown as u64 {
        text.push_str(&format!(
            "[{shown} of {all} matching lines in {} files; use a narrower pattern, path or glob]\n",
            matches.len()
        ));
    }
    text
}
