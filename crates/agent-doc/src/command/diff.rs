//! `agent-doc diff`: what has changed in a document, since its last answer or since a revision, as every tool of the field shows it.
//! Never changes anything.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use anyhow::Result;
use document::diff::unified;
use serde::Serialize;

use crate::arguments::Diff;
use crate::past::Past;
use crate::{input, output};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    /// `answer` or `revision`.
    since: &'static str,
    /// The revision, if one was named or there is no answer.
    revision: Option<u64>,
    changed: bool,
    diff: &'a str,
}

pub(crate) fn run(given: &Diff) -> Result<()> {
    if given.revision.is_none() && since_the_answer(given)? {
        return Ok(());
    }
    let past = Past::find(&given.file)?;
    let history = past.history()?;
    let revision = given.revision.unwrap_or_else(|| history.latest_revision());
    let old = past.text_at(&history, revision)?;
    let new = past.text.as_deref().unwrap_or_default();
    let changes = unified(&old, new, CONTEXT);
    if given.json {
        let (document, revision, changed) = (&past.name, Some(revision), !changes.is_empty());
        return output::print_json(&Report {
            document,
            since: "revision",
            revision,
            changed,
            diff: &changes,
        });
    }
    if changes.is_empty() {
        output::notice(&format!("{} is as it was at revision {revision}", past.name));
        return Ok(());
    }
    let name = &past.name;
    output::print(format!("--- {name}\trevision {revision}\n+++ {name}\tnow\n{changes}").as_bytes())
}

/// Shows what the next turn would answer. Whether the file is a session document at all.
#[cfg(unix)]
fn since_the_answer(given: &Diff) -> Result<bool> {
    use workspace::session::change::Change;
    use workspace::session::turn::{is_session, snapshot_of};

    if input::is_standard(&given.file) || !given.file.is_file() {
        return Ok(false);
    }
    let text = input::read(&given.file)?;
    if !is_session(&text) {
        return Ok(false);
    }
    let (name, file) = (input::shown(&given.file), super::session::found(&given.file)?);
    let snapshot = snapshot_of(&file, &text)?;
    let change = Change::between(snapshot.as_deref(), &text);
    if given.json {
        let (document, changed) = (&name, !change.is_empty);
        let diff = if changed { change.diff.as_str() } else { "" };
        output::print_json(&Report { document, since: "answer", revision: None, changed, diff })?;
    } else if change.is_empty {
        output::notice(&format!("Nothing changed since last submit for {name}"));
    } else {
        let since = if change.is_first { "nothing was answered yet" } else { "the last answer" };
        output::print(format!("--- {name}\t{since}\n+++ {name}\tnow\n{}", change.diff).as_bytes())?;
    }
    Ok(true)
}

#[cfg(not(unix))]
fn since_the_answer(_given: &Diff) -> Result<bool> {
    Ok(false)
}
