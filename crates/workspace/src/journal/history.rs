//! The operations on one document since a checkpoint, and every text between. Never reads or writes a file, and never takes
//! an operation that does not fit the text before it.

use std::collections::{HashSet, VecDeque};

use document::text::insert_each;
use document::{Author, Edit, Revision};

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

/// A checkpoint, what was done since, and the text that it led to.
#[derive(Debug, Clone)]
pub struct History {
    checkpoint: Checkpoint,
    entries: Vec<Entry>,
    text: String,
    requests: Requests,
    /// The revision that was in the file when that was last looked at.
    settled: Option<Revision>,
}

impl History {
    /// A history that begins. Gives the checkpoint back if it contradicts itself.
    pub(super) fn begin(checkpoint: Checkpoint) -> Result<History, Box<Checkpoint>> {
        if !Spans::of(&checkpoint).covers(&checkpoint.text) {
            return Err(checkpoint.into());
        }
        let requests = Requests::of(&checkpoint);
        // Room for what comes, so that not all of it moves at once.
        let mut text = String::with_capacity(checkpoint.text.len() + checkpoint.text.len() / GROWTH);
        text.push_str(&checkpoint.text);
        Ok(History { checkpoint, entries: Vec::new(), text, requests, settled: None })
    }

    /// Takes an operation, if it follows the last one.
    pub(super) fn push(&mut self, entry: Entry) -> Result<(), Misfit> {
        // Not the floor: it may have been raised after later operations were written.
        if entry.revision <= self.latest_revision() {
            return Err(Misfit::Order);
        }
        if !apply_all(&mut self.text, &entry.edits) {
            return Err(Misfit::Edits);
        }
        self.requests.note(&entry);
        self.entries.push(entry);
        Ok(())
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
        if is_plain && insert_each(&mut self.text, &places) {
            entries.iter().for_each(|entry| self.requests.note(entry));
            self.entries.extend(entries);
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
        self.entries.truncate(count);
        let Checkpoint { text, .. } = self.folded(count);
        self.text = text;
        let mut requests = Requests::of(&self.checkpoint);
        self.entries.iter().for_each(|entry| requests.note(entry));
        self.requests = requests;
    }

    /// The text of this revision was in the file.
    pub(super) fn settle(&mut self, revision: Revision) {
        self.settled = Some(revision);
    }

    /// Whether the latest text was in the file for certain.
    pub(super) fn is_settled(&self) -> bool {
        self.settled == Some(self.latest_revision())
    }

    /// No revision up to `floor` is given again.
    pub(super) fn raise_floor(&mut self, floor: Revision) {
        self.checkpoint.floor = self.checkpoint.floor.max(floor);
    }

    /// Folds the oldest `count` operations into the checkpoint.
    pub(super) fn fold(&mut self, count: usize) {
        self.checkpoint = self.folded(count);
        self.entries.drain(..count.min(self.entries.len()));
    }

    /// What the checkpoint would be after the oldest `count` operations.
    pub(super) fn folded(&self, count: usize) -> Checkpoint {
        let mut checkpoint = self.checkpoint.clone();
        let mut spans = Spans::of(&checkpoint);
        let mut requests = Requests::of(&checkpoint);
        for entry in self.entries.iter().take(count) {
            apply_all(&mut checkpoint.text, &entry.edits);
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

    /// Where the history begins.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
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
        self.latest_revision().max(self.checkpoint.floor)
    }

    /// The revision of the latest text.
    pub fn latest_revision(&self) -> Revision {
        self.entries.last().map_or(self.checkpoint.revision, |entry| entry.revision)
    }

    /// The text as it stood at the checkpoint or after one of the operations; nothing for another revision.
    pub fn text_at(&self, revision: Revision) -> Option<String> {
        let count = if revision == self.checkpoint.revision {
            0
        } else {
            self.entries.binary_search_by_key(&revision, |entry| entry.revision).ok()? + 1
        };
        if count == self.entries.len() {
            return Some(self.text.clone());
        }
        let mut text = self.checkpoint.text.clone();
        let fits = self.entries.iter().take(count).all(|entry| apply_all(&mut text, &entry.edits));
        fits.then_some(text)
    }

    /// The latest requests that had a name, oldest first, also those that were folded into the checkpoint.
    pub fn done(&self) -> Vec<Done> {
        self.requests.order.iter().cloned().collect()
    }

    /// Who wrote each line of the latest text.
    pub fn blame(&self) -> Vec<BlamedLine> {
        blame(&self.entries, &self.checkpoint)
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

/// Does the edits one after another; if one of them does not fit, none is done.
pub(super) fn apply_all(text: &mut String, edits: &[Edit]) -> bool {
    let mut undo = Vec::new();
    for edit in edits {
        let Some(removed) = text.get(edit.range.clone()).map(str::to_owned) else {
            for (start, inserted, removed) in undo.into_iter().rev() {
                replace(text, start, inserted, removed);
            }
            return false;
        };
        replace(text, edit.range.start, edit.range.len(), &edit.text);
        if edits.len() > 1 {
            undo.push((edit.range.start, edit.text.len(), removed));
        }
    }
    true
}

fn replace(text: &mut String, start: usize, length: usize, by: impl AsRef<str>) {
    text.replace_range(start..start + length, by.as_ref());
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
