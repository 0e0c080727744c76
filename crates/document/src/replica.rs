//! One text that several authors write, and, while web peers are connected, its Yjs session.
//! Never decides what the words are: it carries edits that were decided elsewhere.
//!
//! Without a peer there is no session: a text and an index of who wrote which span. With the first peer the session begins
//! a new *epoch*: every span becomes an item of its author's client. From then on each local edit is written as an
//! update by identity, not by position, so that its cost does not grow with the age of the session.

mod author;
mod index;
mod peer;
mod session;
mod state;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use author::Author;
use author::Authors;
use index::{Client, Id, Index, Span, spans_of};
pub(crate) use peer::Followed;
pub use peer::UpdateError;
use session::{Crdt, Heard, Session};
pub use state::StateError;
pub use wire::MalformedUpdate;
use wire::{Deletion, Insertion};
pub(crate) use wire::{Reader, put, put_text};

use crate::diff::slice;
use crate::text::{can_insert_each, insert_each, with_each};

/// One edit of a text: `range` of it was replaced by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that were replaced, in the text before this edit.
    pub range: Range<usize>,
    /// What stands there now.
    pub text: String,
}

/// Spans that the index may hold before it is tidied for the first time.
const SPANS_BEFORE_TIDYING: usize = 1024;

/// A text is taken to grow by this part of its length while it is open.
const GROWTH: usize = 8;

/// A text with its authors, and its session while peers are connected.
pub(crate) struct Replica {
    /// Others may hold it, too; it is copied when it is written in while they do.
    text: Arc<String>,
    index: Index,
    authors: Authors,
    /// How many units each client has inserted.
    clocks: BTreeMap<Client, u32>,
    spans_max: usize,
    session: Option<Session>,
}

impl Replica {
    pub(crate) fn new(mut text: Arc<String>, author: &Author) -> Replica {
        let mut authors = Authors::default();
        let client = authors.client(author);
        let mut replica = Replica {
            text: Arc::default(),
            index: Index::default(),
            authors,
            clocks: BTreeMap::new(),
            spans_max: SPANS_BEFORE_TIDYING,
            session: None,
        };
        replica.reckon(0..0, &text, client);
        if let Some(text) = Arc::get_mut(&mut text) {
            // It will be written in; room for that now saves moving all of it then.
            text.reserve_exact(text.len() / GROWTH);
        }
        replica.text = text;
        replica
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text for others to hold, without a copy.
    pub(crate) fn shared(&self) -> &Arc<String> {
        &self.text
    }

    pub(crate) fn client(&mut self, author: &Author) -> Client {
        self.authors.client(author)
    }

    /// Everyone who has a client number, here or as a peer.
    pub(crate) fn clients(&self) -> Vec<(Client, Author)> {
        self.authors.iter().map(|known| (known.client, known.author.clone())).collect()
    }

    /// Who wrote each span, in order. Neighbours of one author are one span.
    pub(crate) fn provenance(&self) -> Vec<(Range<usize>, Author)> {
        let mut spans: Vec<(Range<usize>, Author)> = Vec::new();
        let mut at = 0;
        for span in self.index.spans() {
            let range = at..at + span.bytes;
            at = range.end;
            let author = self.authors.author(span.id.client);
            match spans.last_mut() {
                Some(last) if author == Some(&last.1) => last.0.end = range.end,
                _ => spans.extend(author.map(|author| (range, author.clone()))),
            }
        }
        spans
    }

    /// What an author wrote, in order.
    pub(crate) fn authored_by(&self, author: &Author) -> Vec<Range<usize>> {
        let spans = self.provenance().into_iter();
        spans.filter(|(_, by)| by == author).map(|(range, _)| range).collect()
    }

    /// Who wrote the character that ends at `at`.
    pub(crate) fn author_before(&self, at: usize) -> Option<&Author> {
        let (before, _) = self.index.neighbours(at, &self.text);
        self.authors.author(before?.client)
    }

    /// Makes one edit as `client`. The range lies on character boundaries.
    pub(crate) fn edit(&mut self, range: Range<usize>, text: &str, client: Client) {
        if let Some(update) = self.splice(range, text, client)
            && let Some(session) = &mut self.session
        {
            session.take(vec![update], &self.text);
        }
        self.tidy_if_long();
    }

    /// Makes many insertions, each at a place that is not behind the one before. Whether they fit; if not, nothing is changed.
    pub(crate) fn insert_each(&mut self, insertions: &[(usize, &str, Client)]) -> bool {
        let places: Vec<(usize, &str)> = insertions.iter().map(|(at, text, _)| (*at, *text)).collect();
        if !can_insert_each(&self.text, &places) {
            return false;
        }
        // The index looks only at the text before a place, and that stays what it is until all places are known.
        let mut written = Vec::new();
        for (at, text, client) in insertions {
            written.extend(self.reckon(*at..*at, text, *client).0);
        }
        let is_done = match Arc::get_mut(&mut self.text) {
            Some(text) => insert_each(text, &places),
            None => self.copy_with(&places),
        };
        if let Some(session) = self.session.as_mut().filter(|_| !written.is_empty()) {
            // Peers get one update for all of them: each is a message to every page.
            session.take(vec![wire::write(&written, &[])], &self.text);
        }
        self.tidy_if_long();
        is_done
    }

    /// Puts texts in where others hold the text, so that it is copied and moved in one go.
    fn copy_with(&mut self, insertions: &[(usize, &str)]) -> bool {
        let capacity = self.text.len() + self.text.len() / GROWTH;
        let text = with_each(&self.text, insertions.iter().rev().copied(), capacity);
        text.is_some_and(|text| {
            self.text = text.into();
            true
        })
    }

    /// Changes text and index; says the same as an update if there is a session to tell it to.
    fn splice(&mut self, range: Range<usize>, text: &str, client: Client) -> Option<Vec<u8>> {
        let (insertions, deletions) = self.reckon(range.clone(), text, client);
        let update = self.session.is_some().then(|| wire::write(&insertions, &deletions));
        own(&mut self.text).replace_range(range, text);
        update
    }

    /// Whether peers must hear of each edit.
    pub(crate) fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// Makes one edit as `client` in the index alone. The text is to follow by [`become_text`](Self::become_text); until then only
    /// what stands before the edit may be asked for, or edited. Not while there is a session.
    pub(crate) fn edit_ahead(&mut self, range: Range<usize>, text: &str, client: Client) {
        self.reckon(range, text, client);
    }

    /// The text, after all edits that were made ahead of it.
    pub(crate) fn become_text(&mut self, text: Arc<String>) {
        self.text = text;
        self.tidy_if_long();
    }

    /// Changes the index as the text is going to be changed; gives what an update has to say, if there is a session to tell it to.
    fn reckon<'t>(
        &mut self,
        range: Range<usize>,
        text: &'t str,
        client: Client,
    ) -> (Vec<Insertion<'t>>, Vec<Deletion>) {
        let removed = self.index.remove(range.clone(), &self.text);
        let mut insertions = Vec::new();
        if !text.is_empty() {
            let clock = self.clocks.entry(client).or_insert(0);
            let id = Id { client, clock: *clock };
            // What was removed is out of the index, so up to here the text still tells the same as the index.
            let (left, right) = self.index.neighbours(range.start, &self.text);
            let spans = spans_of(id, text, self.index.bytes_before(range.start, id));
            *clock += spans.iter().map(|span| span.units).sum::<u32>();
            let mut at = range.start;
            for span in &spans {
                self.index.insert(at, *span, &self.text);
                at += span.bytes;
            }
            if self.session.is_some() {
                insertions = insertions_of(&spans, text, left, right);
            }
        }
        let deletions = removed.iter().filter(|_| self.session.is_some());
        (insertions, deletions.map(|span| Deletion { id: span.id, units: span.units }).collect())
    }

    fn tidy_if_long(&mut self) {
        if self.session.is_none() && self.index.count() > self.spans_max {
            self.tidy();
        }
    }

    /// Joins what one author wrote side by side, and counts everyone's units anew. Only without a session.
    fn tidy(&mut self) {
        let mut joined: Vec<Span> = Vec::new();
        for span in self.index.spans() {
            match joined.last_mut() {
                Some(last) if last.id.client == span.id.client => {
                    last.bytes += span.bytes;
                    last.units += span.units;
                }
                _ => joined.push(*span),
            }
        }
        self.clocks.clear();
        for span in &mut joined {
            let clock = self.clocks.entry(span.id.client).or_insert(0);
            span.id.clock = *clock;
            *clock += span.units;
        }
        let mut at = 0;
        let mut short = Vec::with_capacity(joined.len());
        for span in joined {
            short.extend(spans_of(span.id, slice(&self.text, at..at + span.bytes), 0));
            at += span.bytes;
        }
        self.spans_max = SPANS_BEFORE_TIDYING.max(short.len() * 2);
        self.index = Index::from_spans(short);
    }

    pub(crate) fn epoch(&self) -> Option<u64> {
        self.session.as_ref().filter(|session| !session.is_broken()).map(|session| session.epoch)
    }

    /// Begins a session under a new epoch, for the first peer.
    pub(crate) fn open_session(&mut self, epoch: u64) {
        self.session = None;
        self.tidy();
        self.session = Some(Session::new(epoch, &self.as_update()));
    }

    /// Ends the session when the last peer has gone. Peers of this epoch cannot come back to it.
    pub(crate) fn close_session(&mut self) {
        self.session = None;
        self.tidy();
    }

    /// The whole text as an update. Only for a tidied index.
    fn as_update(&self) -> Vec<u8> {
        let (mut at, mut left) = (0, None);
        let mut insertions = Vec::new();
        let spans: Vec<Span> = self.index.spans().copied().collect();
        for run in spans.chunk_by(|a, b| a.id.client == b.id.client) {
            let end = at + run.iter().map(|span| span.bytes).sum::<usize>();
            insertions.extend(insertions_of(run, slice(&self.text, at..end), left, None));
            (at, left) = (end, run.last().map(Span::last));
        }
        wire::write(&insertions, &[])
    }

    /// Updates made since the last call, to be sent to every peer.
    pub(crate) fn drain_updates(&mut self) -> Vec<Vec<u8>> {
        self.session.as_mut().map(Session::drain_updates).unwrap_or_default()
    }

    /// Does what the session put off.
    pub(crate) fn catch_up(&self) {
        if let Some(session) = &self.session {
            session.catch_up(&self.text);
        }
    }

    /// What a peer with `state_vector` lacks; everything if there is none.
    pub(crate) fn update_since(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, UpdateError> {
        self.crdt()?.update_since(state_vector)
    }

    /// What this side knows, for a peer to say what is lacking.
    pub(crate) fn state_vector(&self) -> Result<Vec<u8>, UpdateError> {
        Ok(self.crdt()?.state_vector())
    }

    fn crdt(&self) -> Result<&Crdt, UpdateError> {
        self.session.as_ref().ok_or(UpdateError::NoSession)?.crdt(&self.text)
    }
}

/// The text to write in, in a copy if others hold it.
fn own(text: &mut Arc<String>) -> &mut String {
    if Arc::get_mut(text).is_none() {
        let mut copy = String::with_capacity(text.len() + text.len() / GROWTH);
        copy.push_str(text);
        *text = Arc::new(copy);
    }
    Arc::make_mut(text)
}

/// The insertions that put these spans of `text`, one behind the other, between two units; the last one comes first.
fn insertions_of<'a>(
    spans: &[Span],
    text: &'a str,
    left: Option<Id>,
    mut right: Option<Id>,
) -> Vec<Insertion<'a>> {
    let mut end = text.len();
    let insertion = |span: &Span| {
        let start = end - span.bytes;
        let insertion = Insertion { id: span.id, left, right, text: slice(text, start..end) };
        (end, right) = (start, Some(span.id));
        insertion
    };
    spans.iter().rev().map(insertion).collect()
}

#[cfg(test)]
mod tests;
