//! The CRDT of one epoch. The only file that names the CRDT library. Never builds it before somebody asks: after a restart most
//! documents have no peer that comes back, and what was written meanwhile waits beside the saved state.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use yrs::types::Delta;
use yrs::updates::decoder::Decode as _;
use yrs::updates::encoder::Encode as _;
use yrs::{
    Assoc, ClientID, Doc, GetString as _, IndexScope, IndexedSequence as _, Observable as _, OffsetKind,
    Options, Out, ReadTxn as _, StateVector, TextRef, Transact as _, Update,
};

use super::index::Id;
use super::peer::UpdateError;
use super::wire::{self, MalformedUpdate};

/// Updates that wait beside a saved state before the CRDT is built after all.
const WAITING_MAX: usize = 1024;

/// One epoch of a document that web peers write in.
pub(super) struct Session {
    pub(super) epoch: u64,
    /// Nothing if what was saved turned out not to be this document; then the session is as good as closed.
    crdt: OnceLock<Option<Crdt>>,
    saved: Saved,
    /// Updates made here that the CRDT has not been given yet. Peers get them without it, and many at once cost it less.
    behind: Mutex<Vec<Vec<u8>>>,
    /// Updates made here that peers have not been given yet.
    outgoing: Vec<Vec<u8>>,
}

/// What a CRDT is built from.
#[derive(Default)]
struct Saved {
    state: Vec<u8>,
    /// Updates made here since.
    waiting: Vec<Vec<u8>>,
}

impl Session {
    /// A session that begins with `update`, the whole text.
    pub(super) fn new(epoch: u64, update: &[u8]) -> Session {
        let crdt = Crdt::new(epoch);
        crdt.apply([update]);
        Session {
            epoch,
            crdt: OnceLock::from(Some(crdt)),
            saved: Saved::default(),
            behind: Mutex::default(),
            outgoing: Vec::new(),
        }
    }

    /// A session from what [`state`](Self::state) gave.
    pub(super) fn resume(epoch: u64, state: &[u8]) -> Session {
        let saved = Saved { state: state.to_vec(), waiting: Vec::new() };
        Session { epoch, crdt: OnceLock::new(), saved, behind: Mutex::default(), outgoing: Vec::new() }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.crdt.get().is_some_and(Option::is_none)
    }

    /// The CRDT, built now if it was not yet. `text` is the text as it is, which the CRDT must hold too.
    pub(super) fn crdt(&self, text: &str) -> Result<&Crdt, UpdateError> {
        let crdt = self.crdt.get_or_init(|| Crdt::build(self.epoch, &self.saved, text));
        let crdt = crdt.as_ref().ok_or(UpdateError::NoSession)?;
        let behind = std::mem::take(&mut *self.behind.lock().unwrap_or_else(PoisonError::into_inner));
        if !behind.is_empty() {
            crdt.apply(behind.iter().map(Vec::as_slice));
        }
        Ok(crdt)
    }

    /// Gives the CRDT what was written here, if it has been built.
    pub(super) fn catch_up(&self, text: &str) {
        if matches!(self.crdt.get(), Some(Some(_))) && self.crdt(text).is_err() {
            // It is as good as closed, and nobody listens.
        }
    }

    /// Takes updates that were made here, which led to `text`.
    pub(super) fn take(&mut self, updates: Vec<Vec<u8>>, text: &str) {
        match self.crdt.get() {
            Some(Some(_)) => {
                let behind = self.behind.get_mut().unwrap_or_else(PoisonError::into_inner);
                behind.extend(updates.iter().cloned());
                self.saved = Saved::default();
            }
            // Nobody listens to a session that is as good as closed.
            Some(None) => return,
            None => self.saved.waiting.extend(updates.iter().cloned()),
        }
        self.outgoing.extend(updates);
        if self.behind.get_mut().is_ok_and(|behind| behind.len() > WAITING_MAX) {
            self.catch_up(text);
        }
        if self.saved.waiting.len() > WAITING_MAX && self.crdt(text).is_ok() {
            self.saved = Saved::default();
        }
    }

    pub(super) fn drain_updates(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.outgoing)
    }

    /// Everything the session holds, in the denser of the two Yjs encodings.
    pub(super) fn state(&self, text: &str) -> Result<Vec<u8>, UpdateError> {
        if self.crdt.get().is_none() && self.saved.waiting.is_empty() {
            return Ok(self.saved.state.clone());
        }
        let crdt = self.crdt(text)?;
        Ok(crdt.doc.transact().encode_state_as_update_v2(&StateVector::default()))
    }
}

/// What [`Session::state`] gave, in the encoding that our own reader knows. Nothing if the library cannot read it.
pub(super) fn as_plain_update(state: &[u8]) -> Option<Vec<u8>> {
    Some(Update::decode_v2(state).ok()?.encode_v1())
}

/// One text in the CRDT library.
pub(super) struct Crdt {
    doc: Doc,
    root: TextRef,
    /// What the update applied last changed, filled by the library's own observer.
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// One step of a change as the library tells it, in UTF-16 units.
#[derive(Debug, Clone)]
pub(super) enum Heard {
    Kept(u32),
    Removed(u32),
    Inserted(String),
}

/// The origin of transactions that apply a peer's update; only those are listened to.
const FROM_PEER: &str = "peer";

impl Crdt {
    fn new(epoch: u64) -> Crdt {
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
        Crdt { doc, root, heard }
    }

    /// What was saved, as a CRDT; nothing if it is not of `text`.
    fn build(epoch: u64, saved: &Saved, text: &str) -> Option<Crdt> {
        let crdt = Crdt::new(epoch);
        let update = Update::decode_v2(&saved.state).ok()?;
        crdt.doc.transact_mut().apply_update(update).ok()?;
        crdt.apply(saved.waiting.iter().map(Vec::as_slice));
        let is_same = crdt.root.get_string(&crdt.doc.transact()) == text;
        is_same.then_some(crdt)
    }

    /// Applies updates that were made here.
    fn apply<'a>(&self, updates: impl IntoIterator<Item = &'a [u8]>) {
        let mut transaction = self.doc.transact_mut();
        for update in updates {
            let applied = Update::decode_v1(update).map(|update| transaction.apply_update(update));
            debug_assert!(matches!(applied, Ok(Ok(()))), "our own update does not apply");
        }
    }

    /// Applies a checked update of a peer, and tells what it changed.
    pub(super) fn apply_from_peer(&self, update: &[u8]) -> Result<Vec<Heard>, UpdateError> {
        let update =
            Update::decode_v1(update).map_err(|_| UpdateError::Malformed(MalformedUpdate::Truncated))?;
        let applied = self.doc.transact_mut_with(FROM_PEER).apply_update(update);
        let heard = std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner));
        applied.map_err(|_| UpdateError::Inconsistent)?;
        Ok(heard)
    }

    /// The identity of the unit at a place of the text, which the library finds by walking.
    pub(super) fn id_at(&self, unit: u32) -> Option<Id> {
        let transaction = self.doc.transact();
        let sticky = self.root.sticky_index(&transaction, unit, Assoc::After)?;
        match sticky.scope() {
            IndexScope::Relative(id) => Some(Id { client: id.client.get(), clock: id.clock }),
            IndexScope::Nested(_) | IndexScope::Root(_) => None,
        }
    }

    /// What a peer with `state_vector` lacks; everything if there is none.
    pub(super) fn update_since(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, UpdateError> {
        let known = match state_vector {
            Some(bytes) => StateVector::decode_v1(bytes)
                .map_err(|_| UpdateError::Malformed(MalformedUpdate::Truncated))?,
            None => StateVector::default(),
        };
        Ok(self.doc.transact().encode_diff_v1(&known))
    }

    pub(super) fn state_vector(&self) -> Vec<u8> {
        self.doc.transact().state_vector().encode_v1()
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
