//! `agent-doc patch`: text into one component. Never touches the rest of the document.

use std::path::Path;

use anyhow::Result;
use document::component::{apply, find_component};
use serde::Serialize;

use super::{changed, found};
use crate::arguments::Patch;
use crate::refusal::Refusal;
use crate::{input, output, reach};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    component: &'a str,
    /// None if the component held that already.
    revision: Option<u64>,
}

pub(crate) fn run(given: &Patch) -> Result<()> {
    let file = found(&given.file)?;
    let name = input::shown(&given.file);
    let text = match &given.text {
        Some(text) => text.clone(),
        None => input::read(Path::new("-"))?,
    };
    let done = changed(&file, &name, reach::PERSON, |document| {
        let remedy = "'agent-doc outline' shows what is there; nothing was changed";
        let refused =
            |error: document::component::ComponentError| Refusal::new(format!("{name}: {error}"), remedy);
        let component = find_component(document, &given.component).map_err(refused)?;
        Ok(apply(document, &given.component, component.mode(), &text).map_err(refused)?)
    })?;
    if given.json {
        let component = given.component.as_str();
        return output::print_json(&Report { document: &name, component, revision: done });
    }
    match done {
        Some(revision) => output::notice(&format!("{name}: revision {revision}")),
        None => output::notice(&format!("{name}: '{}' holds that already", given.component)),
    }
    Ok(())
}
