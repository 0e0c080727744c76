//! Where in a document the missing part of a response goes. Never loses it: what has no place goes to the end.

use document::{component, contain};

use crate::pending::{Response, Target};

/// How much of what has arrived is looked for, to go on after it.
const TAIL_MAX: usize = 200;

/// `file` with `rest`, the missing part of the response: after what is there of it, else at the end of its target, else at
/// the end of the document.
pub(super) fn place(file: &str, response: &Response, rest: &str) -> String {
    if let Some(at) = end_of_arrived(file, response) {
        let (before, after) = file.split_at(at);
        return [before, rest, after].concat();
    }
    let placed = match &response.target {
        Target::Component(name) => component::append(file, name, rest).ok(),
        Target::Section(title) => contain::append_contained(file, title, rest, contain::Limits::NONE).ok(),
        Target::End | Target::Answer(_) => None,
    };
    placed.unwrap_or_else(|| at_end(file, rest))
}

/// Where the part of the response that is in the document ends, if that is the only such place.
fn end_of_arrived(file: &str, response: &Response) -> Option<usize> {
    let arrived = response.text.get(..response.applied)?;
    let from =
        (arrived.len().saturating_sub(TAIL_MAX)..=arrived.len()).find(|at| arrived.is_char_boundary(*at))?;
    let tail = arrived.get(from..).filter(|tail| !tail.trim().is_empty())?;
    let mut places = file.match_indices(tail);
    let (at, _) = places.next()?;
    places.next().is_none().then_some(at + tail.len())
}

fn at_end(file: &str, rest: &str) -> String {
    let ending = document::text::LineEnding::of(file).as_str();
    let gap = if document::text::has_final_newline(file) { "" } else { ending };
    [file, gap, rest].concat()
}
