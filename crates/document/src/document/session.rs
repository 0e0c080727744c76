//! Web peers of a document: their updates in, its updates out. Never opens a connection; the bytes are the caller's to carry.

use super::{Author, Document, Edit, UpdateError};
use crate::replica::Followed;

impl Document {
    /// Begins a session for web peers, if none is open, and says its epoch. A peer that comes with another epoch
    /// has to load the document anew.
    pub fn open_session(&mut self) -> u64 {
        match self.replica.epoch() {
            Some(epoch) => epoch,
            None => {
                self.epoch += 1;
                self.replica.open_session(self.epoch);
                self.epoch
            }
        }
    }

    /// Ends the session when the last peer has gone.
    pub fn close_session(&mut self) {
        self.replica.close_session();
    }

    /// The epoch of the open session.
    pub fn epoch(&self) -> Option<u64> {
        self.replica.epoch()
    }

    /// The Yjs update that a peer lacks which knows `state_vector`; the whole document if it knows nothing.
    pub fn update_since(&self, state_vector: Option<&[u8]>) -> Result<Vec<u8>, UpdateError> {
        self.replica.update_since(state_vector)
    }

    /// The session's Yjs state vector.
    pub fn state_vector(&self) -> Result<Vec<u8>, UpdateError> {
        self.replica.state_vector()
    }

    /// Yjs updates of what was written here since the last call, to be sent to all peers.
    pub fn drain_updates(&mut self) -> Vec<Vec<u8>> {
        self.replica.drain_updates()
    }

    /// Does what the session has put off. Nothing is lost without it; called when nobody waits, it spares the next peer the wait.
    pub fn catch_up(&self) {
        self.replica.catch_up();
    }

    /// Takes a Yjs update of the peer that writes under the client number `client` for `author`, and says which
    /// edits it made, in the order in which they were made. Words that two people typed at one place at the same
    /// time are put on lines of their own.
    pub fn apply_update(
        &mut self,
        update: &[u8],
        client: u64,
        author: &Author,
    ) -> Result<Vec<Edit>, UpdateError> {
        let before = self.text().to_owned();
        let Followed { mut edits, touching } = self.replica.apply_update(update, client, author)?;
        if edits.is_empty() {
            return Ok(edits);
        }
        self.revision += 1;
        let mut text = before;
        for edit in &edits {
            let removed = text.get(edit.range.clone()).unwrap_or_default().to_owned();
            text.replace_range(edit.range.clone(), &edit.text);
            self.anchors.shift(edit, &removed, &|_| false);
            self.note(edit, &removed, author);
        }
        for at in touching.into_iter().rev() {
            edits.extend(self.edit(at..at, "\n", author));
        }
        Ok(edits)
    }
}
