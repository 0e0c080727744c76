//! `agent-doc diff`: what has changed in a document, since its last answer or since a revision, as every tool of the field shows it.
//! Never changes anything.

use anyhow::Result;
use document::diff::unified;

use crate::arguments::Diff;
use crate::past::Past;
use crate::{input, output};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

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
    if change.is_empty {
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
