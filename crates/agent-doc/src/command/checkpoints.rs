//! `agent-doc checkpoints`: what agents changed in the project, and the way back. Never touches git, and never takes away what
//! somebody wrote after the agent.

use anyhow::{Context as _, Result};
use serde::Serialize;
use tools::checkpoint::{Changed, Checkpoints, Record};
use workspace::command::Actor;
use workspace::documents::Documents;
use workspace::owner::Options;
use workspace::sidecar::{FOLDER, root_of};

use super::visible;
use crate::arguments::{CheckpointsCommand, CheckpointsList, CheckpointsRestore};
use crate::refusal::Refusal;
use crate::wiring::writer::StoreWriter;
use crate::{Outcome, moment, output, reach};

pub(crate) fn run(given: &CheckpointsCommand) -> Result<Outcome> {
    match given {
        CheckpointsCommand::List(given) => list(given).map(|()| Outcome::Done),
        CheckpointsCommand::Restore(given) => restore(given),
    }
}

/// One checkpoint of `list --json`. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct Listed {
    id: u64,
    /// Milliseconds since 1970; 0 if that is not known.
    at: u64,
    /// The command, or what was edited.
    label: String,
    files: Vec<ListedFile>,
    /// Some files were too large or too many to be kept.
    partial: bool,
}

#[derive(Debug, Serialize)]
struct ListedFile {
    path: String,
    change: &'static str,
}

impl From<Record> for Listed {
    fn from(record: Record) -> Self {
        let file = |changed: &Changed| ListedFile { path: changed.path.clone(), change: change(changed) };
        let files = record.changes.iter().map(file).collect();
        Self { id: record.id, at: record.at, label: record.label, files, partial: record.is_partial }
    }
}

fn change(changed: &Changed) -> &'static str {
    match (&changed.before, &changed.after) {
        (None, _) => "made",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "changed",
    }
}

fn list(given: &CheckpointsList) -> Result<()> {
    let records = match opened()? {
        Some((checkpoints, _)) => checkpoints.records().with_context(unreadable)?,
        None => Vec::new(),
    };
    let listed: Vec<Listed> = records.into_iter().map(Listed::from).collect();
    if given.json {
        return output::print_json(&listed);
    }
    if listed.is_empty() {
        return output::print(b"no checkpoints; agents have changed nothing here\n");
    }
    let mut text = String::new();
    for checkpoint in &listed {
        let when =
            if checkpoint.at == 0 { String::new() } else { format!("{}  ", moment::shown(checkpoint.at)) };
        let partial = if checkpoint.partial { "  (some files were too large to be kept)" } else { "" };
        text.push_str(&format!("{:>4}  {when}{}{partial}\n", checkpoint.id, visible(&checkpoint.label)));
        for file in &checkpoint.files {
            text.push_str(&format!("      {:7}  {}\n", file.change, visible(&file.path)));
        }
    }
    output::print(text.as_bytes())
}

fn restore(given: &CheckpointsRestore) -> Result<Outcome> {
    let none = || Refusal::new("there is no such checkpoint", "see 'agent-doc checkpoints list'");
    let (checkpoints, root) = opened()?.ok_or_else(none)?;
    let ids: Vec<u64> =
        checkpoints.records().with_context(unreadable)?.into_iter().map(|record| record.id).collect();
    let from = given.id.or(ids.last().copied()).filter(|id| ids.contains(id)).ok_or_else(none)?;
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let documents = Documents::new(root, Options::default());
    let actor = Actor::User(reach::PERSON.to_owned());
    let writer = StoreWriter::new(documents.clone(), actor, runtime.handle().clone());
    let restored = checkpoints.restore(from, &writer);
    runtime.block_on(documents.close());
    let outcome = restored.with_context(|| {
        Refusal::new("not everything could be taken back", "look at the message, then try the same again")
    })?;
    let mut text = String::new();
    for path in &outcome.restored {
        text.push_str(&format!("restored    {}\n", visible(path)));
    }
    for path in &outcome.kept {
        text.push_str(&format!("left alone  {}  (somebody changed it since)\n", visible(path)));
    }
    output::print(text.as_bytes())?;
    Ok(if outcome.kept.is_empty() { Outcome::Done } else { Outcome::Code(1) })
}

/// The records of the project around the current folder and its root; none if no agent has worked here.
fn opened() -> Result<Option<(Checkpoints, std::path::PathBuf)>> {
    let here = std::env::current_dir()
        .and_then(|folder| folder.canonicalize())
        .with_context(|| Refusal::new("the current folder cannot be read", "go to a folder that is there"))?;
    let root = root_of(&here.join("x")).to_owned();
    let kept = root.join(FOLDER).join("checkpoints");
    if !kept.is_dir() {
        return Ok(None);
    }
    Ok(Some((Checkpoints::new(root.clone(), kept).with_context(unreadable)?, root)))
}

fn unreadable() -> Refusal {
    Refusal::new("the checkpoints cannot be read", "look who owns '.agent-doc/checkpoints'")
}
