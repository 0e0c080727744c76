//! `agent-doc diff`: what has changed since a revision, as every tool of the field shows it. Never changes anything.

use anyhow::Result;
use document::diff::unified;

use crate::arguments::Diff;
use crate::output;
use crate::past::Past;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

pub(crate) fn run(given: &Diff) -> Result<()> {
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
