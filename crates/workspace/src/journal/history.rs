//! The operations on one document since a checkpoint, and every text between. Never reads or writes a file, and never takes
//! an operation that does not fit the text before it.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use document::text::insert_each;
use document::{Author, Edit, Revision};

use super::pieces::Pieces;
use crate::blame::{BlamedLine, Span, Spans, blame};
use crate::keeper::{Done, Entry};

/// A text is taken to grow by this part of its length before it is read anew.
const GROWTH: usize = 8;

/// How many of the latest requests are remembered.
const REQUESTS_MAX: usize = 1000;

/// The whole text at one revision, with what must outlive the operations before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The revision of the text.
    pub revision: Revision,
    /// No revision up to this one is given again, though some of them were lost to damage.
    pub floor: Revision,
    /// Milliseconds since 1970 when the text was last changed.
    pub time: u64,
    /// The text.
    pub text: String,
    /// Who wrote which part of it, from its beginning to its end.
    pub spans: Vec<Span>,
    /// The latest requests up to here that had a name, oldest first.
    pub requests: Vec<Done>,
}

impl Checkpoint {
    /// A text that one author is taken to have written.
    pub fn new(revision: Revision, text: &str, author: &Author, time: u64) -> Checkpoint {
        let length = text.len();
        let span = Span { length, author: author.clone(), revision, time };
        let spans = if text.is_empty() { Vec::new() } else { vec![span] };
        Checkpoint { revision, floor: revision, time, text: text.to_owned(), spans, requests: Vec::new() }
    }
}

/// Why an operation cannot be part of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Its revision is not later than the last one.
    Order,
    /// Its edits are outside of the text, or inside of a character.
    Edits,
}

/// A checkpoint, what was done since, and the text that it led to. Only the latest text is kept; the way back leads to the others.
#[derive(Debug, Clone)]
pub struct History {
    /// Without its text.
    start: Checkpoint,
    entries: Vec<Entry>,
    /// For each operation the edits that take it back.
    back: Vec<Vec<Edit>>,
    /// The document may hold it, too; then it is copied before it is changed here.
    text: Arc<String>,
    requests: Requests,
    /// The revision that was in the file when that was last looked at.
    settled: Option<Revision>,
}

impl History {
    /// A history that begins. Gives the checkpoint back if it contradicts itself.
    pub(super) fn begin(mut checkpoint: Checkpoint) -> Result<History, Box<Checkpoint>> {
        if !Spans::of(&checkpoint).covers(&checkpoint.text) {
            return Err(checkpoint.into());
        }
        let requests = Requests::of(&checkpoint);
        let mut text = std::mem::take(&mut checkpoint.text);
        // Room for what comes, so that not all of it moves at once.
        text.reserve_exact(text.len() / GROWTH);
        let (entries, back) = (Vec::new(), Vec::new());
        Ok(History { start: checkpoint, entries, back, text: text.into(), requests, settled: None })
    }

    /// Takes an operation, if it follows the last one.
    pub(super) fn push(&mut self, entry: Entry) -> Result<(), Misfit> {
        // Not the floor: it may have been raised after later operations were written.
        if entry.revision <= self.latest_revision() {
            return Err(Misfit::Order);
        }
        self.back.push(take_all(own(&mut self.text), &entry.edits).ok_or(Misfit::Edits)?);
        self.requests.note(&entry);
        self.entries.push(entry);
        Ok(())
    }

    /// Takes operations that led to `text`, and holds that text without a copy; gives them back if that is not just what they led to.
    pub(super) fn push_all_to(&mut self, entries: Vec<Entry>, text: &Arc<String>) -> Result<(), Vec<Entry>> {
        let revisions = entries.iter().map(|entry| entry.revision);
        let in_order = std::iter::once(self.latest_revision()).chain(revisions).is_sorted_by(|a, b| a < b);
        match way_back(&self.text, &entries, text).filter(|_| in_order) {
            None => Err(entries),
            Some(back) => {
                self.back.extend(back);
                self.text = Arc::clone(text);
                for entry in entries {
                    self.requests.note(&entry);
                    self.entries.push(entry);
                }
                Ok(())
            }
        }
    }

    /// Takes several operations. If one does not fit, those before it are taken, and its revision is told.
    pub(super) fn push_all(&mut self, entries: Vec<Entry>) -> Result<(), (Revision, Misfit)> {
        let is_insertion = |edit: &'_ Edit| edit.range.is_empty();
        let edits = || entries.iter().flat_map(|entry| &entry.edits);
        let revisions = entries.iter().map(|entry| entry.revision);
        let in_order = std::iter::once(self.latest_revision()).chain(revisions).is_sorted_by(|a, b| a < b);
        let is_plain = in_order && entries.len() > 1 && edits().all(is_insertion);
        let places: Vec<(usize, &str)> =
            edits().filter(|_| is_plain).map(|edit| (edit.range.start, edit.text.as_str())).collect();
        // What many added in different places is put in with one move of the text.
        if is_plain && insert_each(own(&mut self.text), &places) {
            for entry in entries {
                self.requests.note(&entry);
                self.back.push(entry.edits.iter().rev().map(|edit| taken_back(edit, "")).collect());
                self.entries.push(entry);
            }
            return Ok(());
        }
        for entry in entries {
            let revision = entry.revision;
            self.push(entry).map_err(|misfit| (revision, misfit))?;
        }
        Ok(())
    }

    /// Takes the operations back that came after the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        for back in self.back.drain(count.min(self.entries.len())..).rev() {
            apply_all(own(&mut self.text), &back);
        }
        self.entries.truncate(count);
        let mut requests = Requests::of(&self.start);
        self.entries.iter().for_each(|entry| requests.note(entry));
        self.requests = requests;
    }

    /// The text of this revision was in the file.
    pub(super) fn settle(&mut self, revision: Revision) {
        self.settled = Some(revision);
    }

    /// The revision that was in the file when that was last looked at.
    pub(super) fn settled(&self) -> Option<Revision> {
        self.settled
    }

    /// Whether the latest text was in the file for certain.
    pub(super) fn is_settled(&self) -> bool {
        self.settled == Some(self.latest_revision())
    }

    /// No revision up to `floor` is given again.
    pub(super) fn raise_floor(&mut self, floor: Revision) {
        self.start.floor = self.start.floor.max(floor);
    }

    /// Folds the oldest `count` operations into the checkpoint.
    pub(super) fn fold(&mut self, count: usize) {
        self.start = self.folded_without_text(count);
        let count = count.min(self.entries.len());
        self.entries.drain(..count);
        self.back.drain(..count);
    }

    /// What the checkpoint would be after the oldest `count` operations.
    pub(super) fn folded(&self, count: usize) -> Checkpoint {
        Checkpoint { text: self.text_after(count), ..self.folded_without_text(count) }
    }

    /// The same, but for its text.
    pub(super) fn folded_without_text(&self, count: usize) -> Checkpoint {
        let mut checkpoint = self.start.clone();
        let mut spans = Spans::of(&checkpoint);
        let mut requests = Requests::of(&checkpoint);
        for entry in self.entries.iter().take(count) {
            spans.apply(entry);
            requests.note(entry);
            checkpoint.revision = entry.revision;
            checkpoint.time = entry.time;
        }
        checkpoint.floor = checkpoint.floor.max(checkpoint.revision);
        checkpoint.spans = spans.into_vec();
        checkpoint.requests = requests.order.into();
        checkpoint
    }

    /// Where the history begins, with its text.
    pub fn checkpoint(&self) -> Checkpoint {
        self.folded(0)
    }

    /// The revision that the history begins with.
    pub fn first_revision(&self) -> Revision {
        self.start.revision
    }

    /// When the text that the history begins with was last changed, in milliseconds since 1970.
    pub fn first_time(&self) -> u64 {
        self.start.time
    }

    /// How many bytes the text has that the history begins with.
    pub(super) fn first_length(&self) -> usize {
        self.start.spans.iter().map(|span| span.length).sum()
    }

    /// The text after the oldest `count` operations.
    pub(super) fn text_after(&self, count: usize) -> String {
        // Room for what comes, so that not all of it moves at once.
        let mut text = String::with_capacity(self.text.len() + self.text.len() / GROWTH);
        text.push_str(&self.text);
        for back in self.back.iter().skip(count).rev() {
            apply_all(&mut text, back);
        }
        text
    }

    /// The same, taken out of here without a copy where nobody else holds the latest text. Another one is to be [given
    /// back](Self::give_text).
    pub(super) fn take_text_after(&mut self, count: usize) -> Arc<String> {
        let mut text = std::mem::take(&mut self.text);
        for back in self.back.iter().skip(count).rev() {
            apply_all(own(&mut text), back);
        }
        text
    }

    /// The latest text, after it was [taken](Self::take_text_after).
    pub(super) fn give_text(&mut self, text: Arc<String>) {
        self.text = text;
    }

    /// What was done since, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The text after the last operation.
    pub fn latest_text(&self) -> &str {
        &self.text
    }

    /// The revision that the next one must exceed.
    pub fn last_revision(&self) -> Revision {
        self.latest_revision().max(self.start.floor)
    }

    /// The revision of the latest text.
    pub fn latest_revision(&self) -> Revision {
        self.entries.last().map_or(self.start.revision, |entry| entry.revision)
    }

    /// The text as it stood at the checkpoint or after one of the operations; nothing for another revision.
    pub fn text_at(&self, revision: Revision) -> Option<String> {
        let count = if revision == self.start.revision {
            0
        } else {
            self.entries.binary_search_by_key(&revision, |entry| entry.revision).ok()? + 1
        };
        Some(self.text_after(count))
    }

    /// The latest requests that had a name, oldest first, also those that were folded into the checkpoint.
    pub fn done(&self) -> Vec<Done> {
        self.requests.order.iter().cloned().collect()
    }

    /// Who wrote each line of the latest text.
    pub fn blame(&self) -> Vec<BlamedLine> {
        blame(&self.entries, &self.checkpoint())
    }
}

/// The edits that turn one text into another, last place first, so that each holds in the text before it.
pub fn edits_between(old: &str, new: &str) -> Vec<Edit> {
    let hunks = document::diff::diff(old, new);
    let edit = |hunk: document::diff::Hunk| Edit {
        range: hunk.old,
        text: new.get(hunk.new).unwrap_or_default().to_owned(),
    };
    hunks.into_iter().rev().map(edit).collect()
}

/// The text to change, in a copy if others hold it.
fn own(text: &mut Arc<String>) -> &mut String {
    if Arc::get_mut(text).is_none() {
        let mut copy = String::with_capacity(text.len() + text.len() / GROWTH);
        copy.push_str(text);
        *text = Arc::new(copy);
    }
    Arc::make_mut(text)
}

/// For each operation the edits that take it back, if all of them together turn `old` into just `new`.
fn way_back(old: &str, entries: &[Entry], new: &str) -> Option<Vec<Vec<Edit>>> {
    let mut pieces = Pieces::of(old);
    let mut back = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut edits = VecDeque::with_capacity(entry.edits.len());
        for edit in &entry.edits {
            let removed = pieces.edit(edit.range.clone(), &edit.text)?;
            edits.push_front(taken_back(edit, &removed));
        }
        back.push(edits.into());
    }
    pieces.are(new).then_some(back)
}

/// Does the edits one after another; if one of them does not fit, none is done.
pub(super) fn apply_all(text: &mut String, edits: &[Edit]) -> bool {
    take_all(text, edits).is_some()
}

/// Does the edits one after another, and gives those that take them back; if one of them does not fit, none is done.
fn take_all(text: &mut String, edits: &[Edit]) -> Option<Vec<Edit>> {
    let mut back = VecDeque::with_capacity(edits.len());
    for edit in edits {
        let Some(removed) = text.get(edit.range.clone()) else {
            for Edit { range, text: removed } in back {
                text.replace_range(range, &removed);
            }
            return None;
        };
        back.push_front(taken_back(edit, removed));
        text.replace_range(edit.range.clone(), &edit.text);
    }
    Some(back.into())
}

/// The edit that takes this one back, which took out what was `removed`.
fn taken_back(edit: &Edit, removed: &str) -> Edit {
    let Edit { range, text } = edit;
    Edit { range: range.start..range.start + text.len(), text: removed.to_owned() }
}

/// The latest requests.
#[derive(Debug, Clone, Default)]
struct Requests {
    order: VecDeque<Done>,
    known: HashSet<(Author, String)>,
}

impl Requests {
    fn of(checkpoint: &Checkpoint) -> Requests {
        let mut requests = Requests::default();
        checkpoint.requests.iter().cloned().for_each(|done| requests.keep(done));
        requests
    }

    fn note(&mut self, entry: &Entry) {
        if let Some(request) = entry.request.clone() {
            let bytes = entry.edits.iter().map(|edit| edit.text.len()).sum();
            self.keep(Done { author: entry.author.clone(), request, revision: entry.revision, bytes });
        }
    }

    fn keep(&mut self, done: Done) {
        if !self.known.insert((done.author.clone(), done.request.clone())) {
            return;
        }
        self.order.push_back(done);
        if self.order.len() > REQUESTS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&(oldest.author, oldest.request));
        }
    }
}
