//! `agent-doc recover`: what a crash left waiting, and bringing it home. Never removes a damaged file; that is for a person to
//! judge.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::pending::Target;
use workspace::recovery::{self, Completed, Waiting};
use workspace::session::layout::Layout;
use workspace::sidecar::{DocumentPaths, Sidecar, root_of};

use super::visible;
use crate::arguments::Recover;
use crate::refusal::Refusal;
use crate::{Outcome, input, moment, output, reach};

/// The exit code if something waits that could not be brought home.
const STILL_WAITS: u8 = 1;

/// What `--json` prints.
#[derive(Debug, Default, Serialize)]
struct Report {
    responses: Vec<ResponseRow>,
    saves: Vec<SaveRow>,
    damaged: Vec<DamagedRow>,
    completed: Vec<CompletedRow>,
    /// Documents that have taken in the saves beside them.
    taken_in: Vec<PathBuf>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ResponseRow {
    document: PathBuf,
    id: String,
    author: String,
    time: u64,
    target: String,
    bytes: usize,
}

#[derive(Debug, Serialize)]
struct SaveRow {
    document: PathBuf,
    path: PathBuf,
}

#[derive(Debug, Serialize)]
struct DamagedRow {
    path: PathBuf,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct CompletedRow {
    document: PathBuf,
    id: String,
    author: String,
    revision: u64,
}

pub(crate) fn run(given: &Recover) -> Result<Outcome> {
    let (root, document) = place(given.file.as_deref())?;
    let unusable = || {
        let remedy = "look at the folder '.agent-doc' in the root of the project; documents are not touched";
        Refusal::new("what is waiting cannot be read", remedy)
    };
    let mut report = Report::default();
    if let Some(sidecar) = Sidecar::find(&root).with_context(unusable)? {
        let waiting = recovery::waiting(&sidecar, document.as_deref()).with_context(unusable)?;
        report = listed(&waiting);
        if !given.list {
            for (document, paths) in documents(&waiting) {
                complete(&root, document, paths, &mut report);
            }
        }
    }
    if given.json {
        output::print_json(&report)?;
    } else {
        tell(&report, given.list)?;
    }
    Ok(if report.problems.is_empty() { Outcome::Done } else { Outcome::Code(STILL_WAITS) })
}

/// The root of the project, and the document's path in it.
fn place(file: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>)> {
    let Some(file) = file else {
        let here = std::env::current_dir().context("the current folder cannot be found")?;
        // The root is looked for from a file on, and any name will do.
        return Ok((root_of(&here.join("any")).to_owned(), None));
    };
    let whole = input::whole(file)?;
    let root = root_of(&whole).to_owned();
    let document = whole.strip_prefix(&root).unwrap_or(&whole).to_owned();
    Ok((root, Some(document)))
}

fn listed(waiting: &Waiting) -> Report {
    let responses = waiting.responses.iter().map(|waiting| ResponseRow {
        document: waiting.document.clone(),
        id: waiting.response.id.clone(),
        author: waiting.response.author.clone(),
        time: waiting.response.time,
        target: match &waiting.response.target {
            Target::Component(name) => format!("component {name}"),
            Target::Section(title) => format!("section {title}"),
            Target::End => "end".to_owned(),
            Target::Answer(Layout::Append) => "the end of the conversation".to_owned(),
            Target::Answer(Layout::Template | Layout::Stream { .. }) => "its components".to_owned(),
        },
        bytes: waiting.response.text.len(),
    });
    let saves =
        waiting.saves.iter().map(|save| SaveRow { document: save.document.clone(), path: save.path.clone() });
    let damaged =
        waiting.damaged.iter().map(|kept| DamagedRow { path: kept.path.clone(), bytes: kept.bytes });
    Report {
        responses: responses.collect(),
        saves: saves.collect(),
        damaged: damaged.collect(),
        ..Report::default()
    }
}

/// The documents that something waits for, each once.
fn documents(waiting: &Waiting) -> Vec<(&Path, &DocumentPaths)> {
    let responses = waiting.responses.iter().map(|waiting| (waiting.document.as_path(), &waiting.paths));
    let saves = waiting.saves.iter().map(|save| (save.document.as_path(), &save.paths));
    let mut documents: Vec<_> = responses.chain(saves).collect();
    documents.sort_by_key(|(document, _)| *document);
    documents.dedup_by_key(|(document, _)| *document);
    documents
}

fn complete(root: &Path, document: &Path, paths: &DocumentPaths, report: &mut Report) {
    let name = document.display().to_string();
    let now = moment::now();
    let done =
        reach::run(&name, root, async |reach| Ok(recovery::complete(reach, document, paths, now).await));
    match done {
        Ok(Ok(completed)) => {
            report.completed.extend(completed.into_iter().map(|completed| {
                let Completed { id, author, revision } = completed;
                CompletedRow { document: document.to_owned(), id, author, revision }
            }));
            if report.saves.iter().any(|save| save.document == document) {
                report.taken_in.push(document.to_owned());
            }
        }
        Ok(Err(error)) => report.problems.push(format!("{name}: {:#}", anyhow::Error::new(error))),
        Err(error) => report.problems.push(format!("{error:#}")),
    }
}

fn tell(report: &Report, is_list: bool) -> Result<()> {
    if report.responses.is_empty() && report.saves.is_empty() && report.damaged.is_empty() {
        output::notice("nothing is waiting");
        return Ok(());
    }
    output::print(table(report).as_bytes())?;
    for done in &report.completed {
        output::notice(&format!(
            "{}: the response of {} is in the document now; revision {}",
            done.document.display(),
            visible(&done.author),
            done.revision
        ));
    }
    for document in &report.taken_in {
        output::notice(&format!("{}: the saves beside it are in the document now", document.display()));
    }
    for problem in &report.problems {
        output::notice(&format!("warning: {problem}"));
    }
    if is_list && !(report.responses.is_empty() && report.saves.is_empty()) {
        output::notice("'agent-doc recover' brings responses and saves into their documents");
    }
    if !report.damaged.is_empty() {
        output::notice("damaged files are kept for you; look at them, and remove them when you like");
    }
    Ok(())
}

fn table(report: &Report) -> String {
    let mut rows = Vec::new();
    for row in &report.responses {
        let what = format!(
            "{} bytes of {} for {}, since {} UTC",
            row.bytes,
            visible(&row.author),
            visible(&row.target),
            moment::shown(row.time)
        );
        rows.push(("response", row.document.display().to_string(), what));
    }
    for row in &report.saves {
        let what = format!("perhaps a save, in {}", row.path.display());
        rows.push(("save", row.document.display().to_string(), what));
    }
    for row in &report.damaged {
        rows.push(("damaged", row.path.display().to_string(), format!("{} bytes", row.bytes)));
    }
    let width = rows.iter().map(|(_, file, _)| file.chars().count()).max().unwrap_or_default();
    let mut table = format!("KIND      {:width$}  WHAT\n", "FILE");
    for (kind, file, what) in rows {
        table.push_str(&format!("{kind:8}  {file:width$}  {what}\n"));
    }
    table
}
