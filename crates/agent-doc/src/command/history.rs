//! `agent-doc history`: what was done on a document, by whom and when. Never shows the words; that is `show` and `diff`.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use anyhow::Result;
use serde::Serialize;
use workspace::keeper::Entry;

use super::visible;
use crate::arguments::History;
use crate::past::Past;
use crate::{moment, output};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    first_revision: u64,
    latest_revision: u64,
    operations: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    revision: u64,
    time: u64,
    author: String,
    section: Option<String>,
    request: Option<String>,
    inserted: usize,
    removed: usize,
}

pub(crate) fn run(given: &History) -> Result<()> {
    let past = Past::find(&given.file)?;
    let history = past.history()?;
    let latest = history.entries().iter().rev().take(given.limit.unwrap_or(usize::MAX));
    let report = Report {
        first_revision: history.first_revision(),
        latest_revision: history.latest_revision(),
        operations: latest.map(row).collect(),
        file: past.name,
    };
    if given.json {
        return output::print_json(&report);
    }
    let is_whole = report.operations.len() == history.entries().len();
    let start = is_whole.then_some(history.first_time());
    output::print(table(&report, start).as_bytes())?;
    if past.text.is_some_and(|text| text != history.latest_text()) {
        let file = &report.file;
        output::notice(&format!("{file} was changed since; 'agent-doc diff {file}' shows how"));
    }
    Ok(())
}

fn row(entry: &Entry) -> Row {
    Row {
        revision: entry.revision,
        time: entry.time,
        author: entry.author.name().to_owned(),
        section: entry.section.clone(),
        request: entry.request.clone(),
        inserted: entry.edits.iter().map(|edit| edit.text.len()).sum(),
        removed: entry.edits.iter().map(|edit| edit.range.len()).sum(),
    }
}

/// The operations, and below them the beginning if they are all.
fn table(report: &Report, start: Option<u64>) -> String {
    let mut table = "REVISION  TIME (UTC)           INSERTED  REMOVED  AUTHOR\n".to_owned();
    for row in &report.operations {
        let section = row.section.as_ref().map(|title| format!(" in {}", visible(title))).unwrap_or_default();
        table.push_str(&format!(
            "{:8}  {}  {:8} {:8}  {}{section}\n",
            row.revision,
            moment::shown(row.time),
            row.inserted,
            row.removed,
            visible(&row.author),
        ));
    }
    if let Some(start) = start {
        let time = moment::shown(start);
        table.push_str(&format!(
            "{:8}  {time}  {:8} {:8}  (the history begins)\n",
            report.first_revision, "", ""
        ));
    }
    table
}
