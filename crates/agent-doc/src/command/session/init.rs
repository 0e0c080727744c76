//! `agent-doc init`: a new session document, or the keys of an editor. Never writes over a file that is there.

mod editor;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::arguments::{Init, SessionMode};
use crate::refusal::Refusal;
use crate::{input, output};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    /// The document that was made, if one was wanted.
    document: Option<String>,
    /// What was written for the editor, if one was named.
    editor: Option<PathBuf>,
}

pub(crate) fn run(given: &Init) -> Result<()> {
    let editor = given.editor.map(editor::set_up).transpose()?;
    let document = given.file.as_deref().map(|file| make(file, given)).transpose()?;
    if given.json {
        return output::print_json(&Report { document, editor: editor.map(|(path, _)| path) });
    }
    if let Some((path, next)) = editor {
        output::notice(&format!("{} is there", path.display()));
        output::notice(next);
    }
    if let Some(name) = document {
        let command = command(given.mode);
        output::notice(&format!(
            "{name} is there; write below the last heading, save, then: agent-doc {command} {name}"
        ));
    }
    Ok(())
}

/// Makes the document. Its name as the person typed it.
fn make(file: &Path, given: &Init) -> Result<String> {
    let name = input::shown(file);
    let file = &std::path::absolute(file).context("the current folder cannot be found")?;
    let title = given.title.clone().unwrap_or_else(|| title_of(file));
    let text = text(&title, given.mode, given.agent.as_deref())?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| {
            Refusal::new(format!("the folder of {name} cannot be made"), "name a place that you may write in")
        })?;
    }
    workspace::store::create(file, &text).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::Error::new(Refusal::new(
            format!("{name} exists already"),
            format!(
                "name another file, or make it a session document: agent-doc convert {name} --mode append"
            ),
        )),
        _ => anyhow::Error::new(error)
            .context(Refusal::new(format!("{name} cannot be made"), "name a place that you may write in")),
    })?;
    Ok(name)
}

fn command(mode: SessionMode) -> &'static str {
    match mode {
        SessionMode::Append | SessionMode::Template => "run",
        SessionMode::Stream => "stream",
    }
}

/// The whole text of a new document.
fn text(title: &str, mode: SessionMode, agent: Option<&str>) -> Result<String> {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut head = String::from("---\nsession:\n");
    head.push_str(match mode {
        SessionMode::Append => "agent_doc_mode: append\n",
        SessionMode::Template => "agent_doc_mode: template\n",
        SessionMode::Stream => {
            "agent_doc_mode: stream\nagent_doc_stream:\n  interval: 200\n  target: exchange\n"
        }
    });
    head.push_str("---\n");
    if let Some(agent) = agent {
        head = document::frontmatter::set_key(&head, "agent", agent)
            .map_err(|error| Refusal::new(format!("--agent: {error}"), "give the name of an agent"))?;
    }
    let body = match mode {
        SessionMode::Append => "## User\n\n".to_owned(),
        SessionMode::Template | SessionMode::Stream => {
            "## Exchange\n\n<!-- agent:exchange -->\n<!-- /agent:exchange -->\n".to_owned()
        }
    };
    Ok(format!("{head}\n# Session: {title}\n\n{body}"))
}

fn title_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    stem.replace(['-', '_'], " ")
}
