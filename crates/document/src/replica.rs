//! One text that several authors write, and, while web peers are connected, its Yjs session. The only file that names the CRDT
//! library. Never decides what the words are: it carries edits that were decided elsewhere.
//!
//! Without a peer there is no session: a text and an index of who wrote which span. With the first peer the session begins
//! a new *epoch*: every span becomes an item of its author's client. From then on each local edit is written as an
//! update by identity, not by position, so that its cost does not grow with the age of the session.

mod author;
mod index;
mod peer;
mod state;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use yrs::types::Delta;
use yrs::updates::decoder::Decode as _;
use yrs::updates::encoder::Encode as _;
use yrs::{
    Assoc, ClientID, Doc, GetString as _, IndexScope, IndexedSequence as _, Observable as _, OffsetKind,
    Options, Out, ReadTxn as _, StateVector, TextRef, Transact as _, Update,
};

pub use author::Author;
use author::Authors;
use index::{Client, Id, Index, Span, spans_of, units};
pub(crate) use peer::Followed;
pub use peer::UpdateError;
pub use state::StateError;
pub use wire::MalformedUpdate;
use wire::{Deletion, Insertion};
pub(crate) use wire::{Reader, put, put_text};

use crate::diff::slice;

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

/// A text with its authors, and its session while peers are connected.
pub(crate) struct Replica {
    text: String,
    index: Index,
    authors: Authors,
    /// How many units each client has inserted.
    clocks: BTreeMap<Client, u32>,
    spans_max: usize,
    session: Option<Session>,
}

/// The CRDT of one epoch.
struct Session {
    epoch: u64,
    doc: Doc,
    root: TextRef,
    /// What the update applied last changed, filled by the library's own observer.
    heard: Arc<Mutex<Vec<Heard>>>,
    /// Updates made here that peers have not been given yet.
    outgoing: Vec<Vec<u8>>,
}

/// One step of a change as the library tells it, in UTF-16 units.
#[derive(Debug, Clone)]
enum Heard {
    Kept(u32),
    Removed(u32),
    Inserted(String),
}

/// The origin of transactions that apply a peer's update; only those are listened to.
const FROM_PEER: &str = "peer";

impl Replica {
    pub(crate) fn new(text: &str, author: &Author) -> Replica {
        let mut authors = Authors::default();
        let client = authors.client(author);
        let mut replica = Replica {
            text: String::new(),
            index: Index::default(),
            authors,
            clocks: BTreeMap::new(),
            spans_max: SPANS_BEFORE_TIDYING,
            session: None,
        };
        replica.splice(0..0, text, client);
        replica
    }

    pub(crate) fn text(&self) -> &str {
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
            session.apply(&update);
            session.outgoing.push(update);
        }
        if self.session.is_none() && self.index.count() > self.spans_max {
            self.tidy();
        }
    }

    /// Changes text and index; says the same as an update if there is a session to tell it to.
    fn splice(&mut self, range: Range<usize>, text: &str, client: Client) -> Option<Vec<u8>> {
        let removed = self.index.remove(range.clone(), &self.text);
        let mut insertion = None;
        if !text.is_empty() {
            let clock = self.clocks.entry(client).or_insert(0);
            let id = Id { client, clock: *clock };
            *clock += units(text);
            // What was removed is out of the index, so up to here the text still tells the same as the index.
            let (left, right) = self.index.neighbours(range.start, &self.text);
            let mut at = range.start;
            for span in spans_of(id, text) {
                self.index.insert(at, span, &self.text);
                at += span.bytes;
            }
            insertion = Some(Insertion { id, left, right, text });
        }
        self.text.replace_range(range, text);
        self.session.is_some().then(|| {
            let deletions: Vec<Deletion> =
                removed.iter().map(|span| Deletion { id: span.id, units: span.units }).collect();
            wire::write(insertion.as_slice(), &deletions)
        })
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
            short.extend(spans_of(span.id, slice(&self.text, at..at + span.bytes)));
            at += span.bytes;
        }
        self.spans_max = SPANS_BEFORE_TIDYING.max(short.len() * 2);
        self.index = Index::from_spans(short);
    }

    pub(crate) fn epoch(&self) -> Option<u64> {
        self.session.as_ref().map(|session| session.epoch)
    }

    /// Begins a session under a new epoch, for the first peer.
    pub(crate) fn open_session(&mut self, epoch: u64) {
        self.session = None;
        self.tidy();
        let session = Session::new(epoch);
        session.apply(&self.as_update());
        self.session = Some(session);
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
        for span in self.index.spans() {
            let text = slice(&self.text, at..at + span.bytes);
            insertions.push(Insertion { id: span.id, left, right: None, text });
            left = Some(Id { client: span.id.client, clock: span.id.clock + span.units - 1 });
            at += span.bytes;
        }
        wire::write(&insertions, &[])
    }

    /// Updates made since the last call, to be sent to every peer.
    pub(crate) fn drain_updates(&mut self) -> Vec<Vec<u8>> {
        self.session.as_mut().map(|session| std::mem::take(&mut session.outgoing)).unwrap_or_default()
    }

    /// What a peer with `state_vector` lacks; everything if there is none.
    pub(crate) fn update_since(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, UpdateError> {
        let session = self.session.as_ref().ok_or(UpdateError::NoSession)?;
        let known = match state_vector {
            Some(bytes) => StateVector::decode_v1(bytes)
                .map_err(|_| UpdateError::Malformed(MalformedUpdate::Truncated))?,
            None => StateVector::default(),
        };
        Ok(session.doc.transact().encode_diff_v1(&known))
    }

    /// What this side knows, for a peer to say what is lacking.
    pub(crate) fn state_vector(&self) -> Result<Vec<u8>, UpdateError> {
        let session = self.session.as_ref().ok_or(UpdateError::NoSession)?;
        Ok(session.doc.transact().state_vector().encode_v1())
    }
}

impl Session {
    fn new(epoch: u64) -> Session {
        let options = Options {
            // Nothing is ever inserted under the library's own number; every update carries its author's.
            client_id: ClientID::new(0),
            guid: format!("agent-doc-{epoch}").into(),
            collection_id: None,
            offset_kind: OffsetKind::Utf16,
            skip_gc: false,
            auto_load: false,
            should_load: true,
            cleanup_formatting: false,
        };
        let doc = Doc::with_options(options);
        let root = doc.get_or_insert_text(wire::ROOT);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        root.observe("replica", move |transaction, event| {
            if transaction.origin().is_some_and(|origin| origin.as_ref() == FROM_PEER.as_bytes()) {
                let mut heard = ear.lock().unwrap_or_else(PoisonError::into_inner);
                heard.extend(event.delta(transaction).iter().map(Heard::from));
            }
        });
        Session { epoch, doc, root, heard, outgoing: Vec::new() }
    }

    /// Applies an update that was made here.
    fn apply(&self, update: &[u8]) {
        let decoded = Update::decode_v1(update);
        debug_assert!(decoded.is_ok(), "our own update does not decode");
        if let Ok(update) = decoded {
            let applied = self.doc.transact_mut().apply_update(update);
            debug_assert!(applied.is_ok(), "our own update does not apply");
        }
    }

    /// Applies a checked update of a peer, and tells what it changed.
    fn apply_from_peer(&self, update: &[u8]) -> Result<Vec<Heard>, UpdateError> {
        let update =
            Update::decode_v1(update).map_err(|_| UpdateError::Malformed(MalformedUpdate::Truncated))?;
        let applied = self.doc.transact_mut_with(FROM_PEER).apply_update(update);
        let heard = std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner));
        applied.map_err(|_| UpdateError::Inconsistent)?;
        Ok(heard)
    }

    /// The identity of the unit at a place of the text, which the library finds by walking.
    fn id_at(&self, unit: u32) -> Option<Id> {
        let transaction = self.doc.transact();
        let sticky = self.root.sticky_index(&transaction, unit, Assoc::After)?;
        match sticky.scope() {
            IndexScope::Relative(id) => Some(Id { client: id.client.get(), clock: id.clock }),
            IndexScope::Nested(_) | IndexScope::Root(_) => None,
        }
    }

    fn text(&self) -> String {
        self.root.get_string(&self.doc.transact())
    }

    /// Everything the session holds, in the denser of the two Yjs encodings.
    fn state(&self) -> Vec<u8> {
        self.doc.transact().encode_state_as_update_v2(&StateVector::default())
    }

    /// A session from what [`state`](Self::state) gave.
    fn resume(epoch: u64, state: &[u8]) -> Option<Session> {
        let session = Session::new(epoch);
        let update = Update::decode_v2(state).ok()?;
        session.doc.transact_mut().apply_update(update).ok()?;
        Some(session)
    }

    /// How many units each client has inserted.
    fn clocks(&self) -> Vec<(Client, u32)> {
        let known = self.doc.transact().state_vector();
        known.iter().map(|(client, clock)| (client.get(), *clock)).collect()
    }
}

impl From<&Delta> for Heard {
    fn from(delta: &Delta) -> Heard {
        match delta {
            Delta::Retain(length, _) => Heard::Kept(*length),
            Delta::Deleted(length) => Heard::Removed(*length),
            Delta::Inserted(Out::Any(yrs::Any::String(text)), _) => Heard::Inserted(text.to_string()),
            // Only plain text passes the check of a peer's update.
            Delta::Inserted(_, _) => Heard::Inserted(String::new()),
        }
    }
}
