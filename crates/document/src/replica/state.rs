//! A replica as bytes, for the sidecar, and back. Never trusts the bytes: whatever is wrong with them is an error, and the caller
//! begins from the file, which is the truth.

use std::collections::BTreeMap;

use super::index::{Id, Index, Span, units};
use super::wire::{self, MalformedUpdate, Reader};
use super::{Author, Authors, Replica, SPANS_BEFORE_TIDYING, Session};

/// Why saved state cannot be used. The document itself is not touched; open it from its file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The bytes were written by something else, or by a version that this one does not know.
    #[error("the saved state is not of a version that this program knows")]
    UnknownVersion,
    /// The bytes are damaged.
    #[error("the saved state is damaged")]
    Damaged,
}

impl From<MalformedUpdate> for StateError {
    fn from(_: MalformedUpdate) -> StateError {
        StateError::Damaged
    }
}

impl Replica {
    /// Appends the replica: authors, who wrote which span, the text, and the session if one is open.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let authors: Vec<_> = self.authors.iter().collect();
        wire::put(bytes, authors.len() as u64);
        for (client, author) in &authors {
            wire::put(bytes, *client);
            wire::put_text(bytes, author.name());
        }
        wire::put(bytes, self.index.count() as u64);
        for span in self.index.spans() {
            let at = authors.iter().position(|(client, _)| *client == span.id.client).unwrap_or_default();
            wire::put(bytes, at as u64);
            wire::put(bytes, u64::from(span.id.clock));
            wire::put(bytes, span.bytes as u64);
        }
        wire::put_text(bytes, &self.text);
        match &self.session {
            Some(session) => {
                wire::put(bytes, 1);
                wire::put(bytes, session.epoch);
                let state = session.state();
                wire::put(bytes, state.len() as u64);
                bytes.extend_from_slice(&state);
            }
            None => wire::put(bytes, 0),
        }
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Replica, StateError> {
        let mut authors = Authors::default();
        let mut clients = Vec::new();
        for _ in 0..reader.number()? {
            let client = reader.number()?;
            if !authors.enlist(client, &Author::new(reader.text()?)) {
                return Err(StateError::Damaged);
            }
            clients.push(client);
        }
        let mut spans = Vec::new();
        for _ in 0..reader.number()? {
            let client = clients.get(reader.small()? as usize).ok_or(StateError::Damaged)?;
            let id = Id { client: *client, clock: reader.small()? };
            spans.push(Span { id, bytes: reader.small()? as usize, units: 0 });
        }
        let text = reader.text()?;
        let clocks = measure(&mut spans, text)?;
        let mut replica = Replica {
            text: text.to_owned(),
            spans_max: SPANS_BEFORE_TIDYING.max(spans.len() * 2),
            index: Index::from_spans(spans),
            authors,
            clocks,
            session: None,
        };
        if reader.number()? == 1 {
            let epoch = reader.number()?;
            replica.resume_session(epoch, reader.sized()?);
        }
        Ok(replica)
    }

    /// Goes on with a session, if it still tells the same text. Otherwise there is none, and peers load anew.
    fn resume_session(&mut self, epoch: u64, state: &[u8]) {
        let Ok(parsed) = wire::read(state) else { return };
        let session = Session::new(epoch);
        if session.apply_from_peer(state).is_err() || session.text() != self.text {
            return;
        }
        for block in &parsed.blocks {
            let clock = self.clocks.entry(block.id.client).or_insert(0);
            *clock = (*clock).max(block.id.clock + block.units);
        }
        self.session = Some(session);
    }
}

/// Counts the units of each span and of each client; the spans must cover the text exactly.
fn measure(spans: &mut [Span], text: &str) -> Result<BTreeMap<u64, u32>, StateError> {
    let mut clocks = BTreeMap::new();
    let mut at = 0;
    for span in spans {
        let end = at + span.bytes;
        let span_text = text.get(at..end).filter(|text| !text.is_empty()).ok_or(StateError::Damaged)?;
        span.units = units(span_text);
        let clock = clocks.entry(span.id.client).or_insert(0);
        *clock = span.id.clock.saturating_add(span.units).max(*clock);
        at = end;
    }
    if at == text.len() { Ok(clocks) } else { Err(StateError::Damaged) }
}
