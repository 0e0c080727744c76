//! Completes responses that a crash left behind. Never applies one twice, whoever else tries and wherever the last attempt
//! ended; that takes the turn, the note before each write, and the journal's memory of requests.

use document::merge::merge;
use document::{Author, component, contain};

use super::{Pending, Response, Target};
use crate::journal::{Journal, JournalError, edits_between};
use crate::keeper::{Displaced, Entry, InFile, Keeper, KeeperError};
use crate::lock::TurnLock;
use crate::sidecar::SidecarError;

/// Who a change is said to be of that was found in the file.
const SAVED: &str = "file";
/// How often a save that raced us is taken in before we give up.
const RACES_MAX: usize = 100;
/// How much of what has arrived is looked for, to go on after it.
const TAIL_MAX: usize = 200;

/// Why the responses were not completed. They are still there.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The document could not be read or written.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The responses could not be read or written.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
}

/// Puts what is missing of each pending response into the document, notes it in the journal and forgets the response.
/// Gives the names of those that were not complete. `turn` shows that nobody else is at it.
pub fn recover(
    _turn: &TurnLock,
    pending: &Pending,
    journal: &mut Journal,
    keeper: &mut dyn Keeper,
    time: u64,
) -> Result<Vec<String>, RecoverError> {
    pending.sweep()?;
    let saved = Author::new(SAVED);
    let mut completed = Vec::new();
    for mut response in pending.list()? {
        if !journal.history().has_request(&response.id) {
            let known = journal.history().latest_text();
            let file = keeper.read()?.unwrap_or_else(|| known.to_owned());
            if !response.left(&file) {
                journal.catch_up(&file, &saved, time)?;
            }
            let (placed, now) = complete(pending, &mut response, keeper, &file)?;
            let edits = edits_between(journal.history().latest_text(), &placed);
            journal.append(Entry {
                revision: journal.history().last_revision() + 1,
                author: Author::new(response.author.clone()),
                time,
                section: match &response.target {
                    Target::Section(title) => Some(title.clone()),
                    Target::Component(_) | Target::End => None,
                },
                request: Some(response.id.clone()),
                edits,
                file: InFile::default(),
            })?;
            journal.catch_up(&now, &saved, time)?;
            completed.push(response.id.clone());
        }
        pending.clear(&response.id)?;
    }
    Ok(completed)
}

/// Writes what is missing of the response into the document, which reads `file`. Gives the text with the response, and the
/// same with saves that came in between.
fn complete(
    pending: &Pending,
    response: &mut Response,
    keeper: &mut dyn Keeper,
    file: &str,
) -> Result<(String, String), RecoverError> {
    response.applied = response.applied_in(file);
    response.attempt = None;
    let rest = response.text.get(response.applied..).unwrap_or_default().to_owned();
    if rest.is_empty() {
        return Ok((file.to_owned(), file.to_owned()));
    }
    let placed = place(file, response, &rest);
    response.attempting(file, &placed);
    pending.put(response)?;
    let (mut before, mut now) = (file.to_owned(), placed.clone());
    for _ in 0..RACES_MAX {
        let displaced = keeper.write(&before, &now)?;
        response.arrived();
        let Displaced::Save(save) = displaced else {
            return Ok((placed, now));
        };
        pending.put(response)?;
        let merged = merge(&before, &now, &save).text;
        before = std::mem::replace(&mut now, merged);
    }
    Err(KeeperError::Busy.into())
}

/// `file` with `rest`, the missing part of the response: after what is there of it, else at the end of its target, else at
/// the end of the document.
pub fn place(file: &str, response: &Response, rest: &str) -> String {
    if let Some(at) = end_of_arrived(file, response) {
        let (before, after) = file.split_at(at);
        return [before, rest, after].concat();
    }
    let placed = match &response.target {
        Target::Component(name) => component::append(file, name, rest).ok(),
        Target::Section(title) => contain::append_contained(file, title, rest, contain::Limits::NONE).ok(),
        Target::End => None,
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
