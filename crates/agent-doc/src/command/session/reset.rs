//! `agent-doc reset`: the whole document is new again. Never changes a word of it but the conversation's name.

use anyhow::{Context as _, Result};
use document::frontmatter::{clear_key, has_key};
use serde::Serialize;
use workspace::session::layout::talk_key;
use workspace::sidecar::Sidecar;
use workspace::snapshot::Snapshot;

use super::{changed, found};
use crate::arguments::Reset;
use crate::refusal::Refusal;
use crate::{input, output, reach};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    /// None if its text had nothing to forget.
    revision: Option<u64>,
}

pub(crate) fn run(given: &Reset) -> Result<()> {
    let file = found(&given.file)?;
    let (name, text) = (input::shown(&given.file), input::read(&given.file)?);
    file.settings(&text).map_err(|error| Refusal::new(error.to_string(), "nothing was changed"))?;
    let unusable =
        || Refusal::new(format!("{name} cannot be reset"), "look who owns the folder '.agent-doc'");
    let sidecar = Sidecar::open(&file.root).with_context(unusable)?;
    let paths = file.paths(&sidecar, &text).with_context(unusable)?;
    let revision = changed(&file, &name, reach::PERSON, |text| {
        let key = talk_key(text);
        Ok(if has_key(text, key) { clear_key(text, key)? } else { text.to_owned() })
    })?;
    Snapshot::at(&paths.snapshot).clear().with_context(unusable)?;
    if given.json {
        return output::print_json(&Report { document: &name, revision });
    }
    output::notice(&format!("{name}: all of it is new again, and the next answer begins a new conversation"));
    Ok(())
}
