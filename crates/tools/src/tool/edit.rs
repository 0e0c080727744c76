//! The tool that changes one place of a file. Never guesses which place is meant.

mod change;

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use super::read::{check_single_name, numbered};
use crate::files::{Files, Opened, opened, read_whole};
use crate::limits::EDIT_MAX;

pub(super) use change::Change;

/// Lines shown around a change.
const AROUND: usize = 3;
/// Lines of a change that are shown at most.
const SNIPPET_MAX: usize = 60;

/// Replaces a text in a file by another. The file must have been read before.
///
/// `old_string` must stand in the file exactly as given, blanks and line breaks included, and only once, unless `replace_all`
/// is set; give as many lines around it as make it unique. Line endings of the file are kept. To make a file, use Write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditInput {
    /// The file, from the root of the workspace or absolute.
    file_path: String,
    /// The text to replace.
    old_string: String,
    /// The text to put there.
    new_string: String,
    /// Replace each place where `old_string` stands.
    #[serde(default)]
    replace_all: bool,
}

/// `Edit`.
pub struct Edit {
    spec: ToolSpec,
    files: Files,
}

impl Edit {
    /// Changes files of this session.
    pub fn new(files: Files) -> Self {
        Self { spec: spec::<EditInput>("Edit"), files }
    }
}

impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: EditInput = parsed(call)?;
            self.files.claim("file_path", &input.file_path, PathAccess::Edit)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        let files = self.files.clone();
        blocking(move || {
            if scope.controller.is_aborted() {
                return Output::error("[Interrupted by user]");
            }
            let changes = parsed::<EditInput>(permit.call()).map(|input| {
                vec![Change {
                    old_string: input.old_string,
                    new_string: input.new_string,
                    replace_all: input.replace_all,
                }]
            });
            changes
                .and_then(|changes| edit(&files, &permit, &changes))
                .map_or_else(Output::error, Output::success)
        })
    }
}

/// Does all changes or none.
pub(super) fn edit(files: &Files, permit: &Permit, changes: &[Change]) -> Result<String, String> {
    let path = Files::permitted(permit)?;
    let shown = files.shown(&path);
    let unreadable = |error: std::io::Error| format!("{shown} cannot be edited: {error}");
    let file = match opened(&path).map_err(unreadable)? {
        Opened::File(file, _) => file,
        Opened::Missing => return Err(files.missing(&path)),
        Opened::Folder => return Err(format!("{shown} is a folder; give the name of a file in it")),
        Opened::Other => return Err(format!("{shown} is a pipe, a socket or a device, and is not edited")),
    };
    let before = read_whole(file, EDIT_MAX).map_err(unreadable)?;
    files.check_seen(&path, &before)?;
    check_single_name(&path, &shown)?;
    let text = std::str::from_utf8(&before)
        .map_err(|_| format!("{shown} is no UTF-8 and cannot be edited; use Bash"))?;
    let changed = change::applied(text, changes)?;
    files.replace(&path, Some(&before), changed.text.as_bytes())?;
    Ok(format!(
        "{shown} was changed in {}:\n{}",
        places(changed.places),
        snippet(&changed.text, changed.first)
    ))
}

fn places(places: usize) -> String {
    if places == 1 { "1 place".to_owned() } else { format!("{places} places") }
}

/// The lines around the first change.
fn snippet(text: &str, changed: std::ops::Range<usize>) -> String {
    let line_of = |place: usize| text.get(..place).unwrap_or_default().matches('\n').count();
    let first = line_of(changed.start).saturating_sub(AROUND);
    let lines = (line_of(changed.end) + AROUND + 1 - first).min(SNIPPET_MAX);
    let shown: Vec<&str> = text.lines().skip(first).take(lines).collect();
    numbered(&shown.join("\n"), first + 1)
}
