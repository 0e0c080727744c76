//! `agent-doc blame`: who changed each line last. Never guesses whose a change is that no history tells of.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use anyhow::Result;
use document::Author;
use document::text::{lines, split_ending};
use serde::Serialize;
use workspace::blame::{BlamedLine, blame};
use workspace::journal::{History, edits_between};
use workspace::keeper::{Entry, InFile};

use super::visible;
use crate::arguments::Blame;
use crate::past::Past;
use crate::{moment, output};

/// The author of what was saved since the last operation.
const UNKNOWN: &str = "(not recorded)";

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    lines: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    line: usize,
    /// Nothing for what is not in the history yet.
    revision: Option<u64>,
    time: Option<u64>,
    author: Option<String>,
    text: String,
}

pub(crate) fn run(given: &Blame) -> Result<()> {
    let past = Past::find(&given.file)?;
    let history = past.history()?;
    let text = past.text.as_deref().unwrap_or(history.latest_text());
    let blamed = blamed(&history, text);
    let rows: Vec<Row> = blamed
        .iter()
        .zip(lines(text))
        .map(|(line, text)| row(line, split_ending(text).0, history.latest_revision()))
        .collect();
    if given.json {
        return output::print_json(&Report { file: past.name, lines: rows });
    }
    output::print(table(&rows).as_bytes())
}

/// Who changed each line of `text` last; what the history does not know has a revision beyond its latest.
fn blamed(history: &History, text: &str) -> Vec<BlamedLine> {
    let mut entries = history.entries().to_vec();
    entries.push(Entry {
        revision: history.latest_revision() + 1,
        author: Author::new(UNKNOWN),
        time: 0,
        section: None,
        request: None,
        edits: edits_between(history.latest_text(), text),
        file: InFile::default(),
    });
    blame(&entries, &history.checkpoint())
}

fn row(line: &BlamedLine, text: &str, latest: u64) -> Row {
    let is_known = line.revision <= latest;
    Row {
        line: line.line,
        revision: is_known.then_some(line.revision),
        time: is_known.then_some(line.time),
        author: is_known.then(|| line.author.name().to_owned()),
        text: text.to_owned(),
    }
}

fn table(rows: &[Row]) -> String {
    let author = |row: &Row| visible(row.author.as_deref().unwrap_or(UNKNOWN));
    let width = rows.iter().map(|row| author(row).chars().count()).max().unwrap_or_default();
    let mut table = String::new();
    for row in rows {
        let revision = row.revision.map_or_else(|| "-".to_owned(), |revision| revision.to_string());
        let time = row.time.map(moment::shown).unwrap_or_default();
        let (line, text) = (row.line, visible(&row.text));
        let row = format!("{revision:>8}  {time:19}  {:width$}  {line:5}  {text}", author(row));
        table.push_str(row.trim_end());
        table.push('\n');
    }
    table
}
