//! `agent-doc convert`: how answers get into a document from now on. Never moves what is there.

use anyhow::Result;
use document::component::{ComponentError, find_component};
use document::frontmatter::{Presence, clear_key, has_key, presence, remove_key, set_key};
use document::text::LineEnding;
use serde::Serialize;

use super::{changed, found};
use crate::arguments::{Convert, SessionMode};
use crate::refusal::Refusal;
use crate::{input, output, reach};

/// Keys that would outrank the mode.
const OUTRANKING: [&str; 2] = ["agent_doc_format", "agent_doc_write"];

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    mode: &'static str,
    /// None if it was in this mode already.
    revision: Option<u64>,
}

pub(crate) fn run(given: &Convert) -> Result<()> {
    let file = found(&given.file)?;
    let name = input::shown(&given.file);
    let done = changed(&file, &name, reach::PERSON, |text| converted(text, given.mode, &name))?;
    let mode = word(given.mode);
    if given.json {
        return output::print_json(&Report { document: &name, mode, revision: done });
    }
    match done {
        Some(revision) => {
            output::notice(&format!("{name}: answers come in as '{mode}' now; revision {revision}"));
        }
        None => output::notice(&format!("{name}: answers come in as '{mode}' already")),
    }
    Ok(())
}

fn word(mode: SessionMode) -> &'static str {
    match mode {
        SessionMode::Append => "append",
        SessionMode::Template => "template",
        SessionMode::Stream => "stream",
    }
}

fn converted(text: &str, mode: SessionMode, name: &str) -> Result<String> {
    let refused =
        |what: String| Refusal::new(format!("{name}: {what}"), "correct that by hand; nothing was changed");
    let mut text = match presence(text) {
        Presence::Broken(wrong) => {
            return Err(refused(format!("line {}: {}", wrong.line, wrong.message)).into());
        }
        Presence::Absent => clear_key(text, "session").map_err(|error| refused(error.to_string()))?,
        Presence::Readable => text.to_owned(),
    };
    for key in OUTRANKING {
        text = remove_key(&text, key).map_err(|error| refused(error.to_string()))?;
    }
    let key = ["agent_doc_mode", "mode", "response_mode"].into_iter().find(|key| has_key(&text, key));
    text = set_key(&text, key.unwrap_or("agent_doc_mode"), word(mode))
        .map_err(|error| refused(error.to_string()))?;
    if mode == SessionMode::Append {
        return Ok(text);
    }
    match find_component(&text, "exchange") {
        Ok(_) => Ok(text),
        Err(ComponentError::NotFound { .. }) => Ok(with_exchange(&text)),
        Err(error) => Err(refused(error.to_string()).into()),
    }
}

/// A place for answers at the end, because there is none.
fn with_exchange(text: &str) -> String {
    let ending = LineEnding::of(text).as_str();
    let gap = if document::text::has_final_newline(text) { "" } else { ending };
    let markers = ["<!-- agent:exchange -->", "<!-- /agent:exchange -->", ""].join(ending);
    [text, gap, ending, markers.as_str()].concat()
}
