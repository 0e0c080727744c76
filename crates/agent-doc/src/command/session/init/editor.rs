//! Keys and tasks for an editor, written into the project. Never changes a file of the editor that is there, and never anything
//! outside of the project.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use workspace::sidecar::root_of;

use crate::arguments::Editor;
use crate::refusal::Refusal;

const VSCODE: &str = include_str!("editor/tasks.json");
const VIM: &str = include_str!("editor/agent-doc.vim");

/// Writes what the editor needs. Where that is, and what is left to do.
pub(super) fn set_up(editor: Editor) -> Result<(PathBuf, &'static str)> {
    let here = std::env::current_dir().context("the current folder cannot be found")?;
    let root = root_of(&here.join("any")).to_owned();
    let (path, text, next) = match editor {
        Editor::Vscode => (
            root.join(".vscode").join("tasks.json"),
            VSCODE,
            "bind a key to the task 'agent-doc: run' in 'Preferences: Open Keyboard Shortcuts (JSON)'; the guide shows how",
        ),
        Editor::Vim => (
            root.join(".agent-doc").join("agent-doc.vim"),
            VIM,
            "add ':source .agent-doc/agent-doc.vim' to your vimrc, or type it; then <Leader>ar runs and <Leader>as streams",
        ),
    };
    make(&path, text)?;
    Ok((shown(&path, &here), next))
}

fn make(path: &Path, text: &str) -> Result<()> {
    let name = path.display();
    let unwritable = || Refusal::new(format!("{name} cannot be made"), "look who owns its folder");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(unwritable)?;
    }
    workspace::store::create(path, text).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::Error::new(Refusal::new(
            format!("{name} exists already"),
            "the guide, docs/guide/editors.md, shows what to add to it",
        )),
        _ => anyhow::Error::new(error).context(unwritable()),
    })
}

fn shown(path: &Path, here: &Path) -> PathBuf {
    path.strip_prefix(here).unwrap_or(path).to_owned()
}
