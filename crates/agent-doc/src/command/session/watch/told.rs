//! What happens while documents are watched, as a sentence for a person and as a line for a program. Never prints it.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use std::path::Path;

use serde::Serialize;
use workspace::session::turn::{Taken, Told};
use workspace::session::watching::Event;

/// One thing that happened.
#[derive(Debug, Default, Serialize)]
pub(super) struct Line<'a> {
    /// `watching`, `found`, `answering`, `answered`, `nothing`, `failed`, `skipped` or `waiting`.
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// What a program is told; nothing of the words of an answer.
pub(super) fn line(event: &Event) -> Option<Line<'_>> {
    let (name, document) = match event {
        Event::Watching(documents) => {
            return Some(Line { event: "watching", documents: Some(documents), ..Line::default() });
        }
        Event::Found(path) => ("found", path),
        Event::Begun(path) => ("answering", path),
        Event::Ended(path, Ok(Taken::Answered(_))) => ("answered", path),
        Event::Ended(path, Ok(Taken::Nothing)) => ("nothing", path),
        Event::Ended(path, Err(_)) | Event::Refused(path, _) => ("failed", path),
        Event::Skipped(path, _) => ("skipped", path),
        Event::Told(path, Told::NoPlace | Told::Stuck(_)) => ("waiting", path),
        Event::Told(..) => return None,
    };
    let mut line = Line { event: name, document: Some(document), why: why(event), ..Line::default() };
    if let Event::Ended(_, Ok(Taken::Answered(delivered))) = event {
        line.revision = delivered.revision;
        (line.merged, line.conflicts) = (Some(delivered.is_merged), Some(delivered.conflicts));
    }
    Some(line)
}

/// What a person is told.
pub(super) fn sentence(root: &Path, event: &Event) -> Option<String> {
    Some(match event {
        Event::Watching(documents) => {
            let many = match documents.len() {
                0 => "no session document yet".to_owned(),
                1 => "1 session document".to_owned(),
                count => format!("{count} session documents"),
            };
            format!("watching {} with {many}; ctrl-c ends", root.display())
        }
        Event::Found(path) => format!("{path}: found"),
        Event::Begun(path) => format!("{path}: answering"),
        Event::Ended(path, Ok(Taken::Answered(delivered))) => {
            let merged = match (delivered.conflicts, delivered.is_merged) {
                (0, false) => "",
                (0, true) => ". Merge successful — user edits preserved.",
                (_, _) => ". WARNING: Merge conflicts detected.",
            };
            format!("{path}: answered{merged}")
        }
        Event::Ended(path, Ok(Taken::Nothing)) => format!("{path}: nothing to answer"),
        Event::Ended(path, Err(_))
        | Event::Skipped(path, _)
        | Event::Refused(path, _)
        | Event::Told(path, Told::NoPlace | Told::Stuck(_)) => {
            format!("{path}: {}", why(event).unwrap_or_default())
        }
        Event::Told(..) => return None,
    })
}

/// Why a document is not, or not yet, answered.
fn why(event: &Event) -> Option<String> {
    match event {
        Event::Ended(_, Err(error)) => Some(error.to_string()),
        Event::Skipped(_, why) => Some((*why).to_owned()),
        Event::Refused(_, why) => Some(why.clone()),
        Event::Told(_, Told::NoPlace) => {
            Some("the place of the answer is gone or its markers are broken; the answer waits".to_owned())
        }
        Event::Told(_, Told::Stuck(why)) => Some(format!("{why}; the answer waits, and is tried again")),
        Event::Watching(_) | Event::Found(_) | Event::Begun(_) | Event::Ended(_, Ok(_)) | Event::Told(..) => {
            None
        }
    }
}
