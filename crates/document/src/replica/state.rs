//! A replica as bytes, for the sidecar, and back. Never trusts the bytes: whatever is wrong with them is an error, and the caller
//! begins from the file, which is the truth.

use std::collections::BTreeMap;

use super::author::Known;
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
    /// Appends the replica: authors, who wrote which span, and the text, or the session that holds it if one is open.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let authors: Vec<_> = self.authors.iter().collect();
        wire::put(bytes, authors.len() as u64);
        for known in &authors {
            wire::put(bytes, known.client);
            wire::put(bytes, u64::from(known.is_peer));
            wire::put_text(bytes, known.author.name());
        }
        wire::put(bytes, self.index.count() as u64);
        for span in self.index.spans() {
            let at = authors.iter().position(|known| known.client == span.id.client).unwrap_or_default();
            wire::put(bytes, at as u64);
            wire::put(bytes, u64::from(span.id.clock));
            wire::put(bytes, span.bytes as u64);
        }
        match &self.session {
            Some(session) => {
                wire::put(bytes, 1);
                wire::put(bytes, session.epoch);
                let state = session.state();
                wire::put(bytes, state.len() as u64);
                bytes.extend_from_slice(&state);
            }
            None => {
                wire::put(bytes, 0);
                wire::put_text(bytes, &self.text);
            }
        }
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Replica, StateError> {
        let mut authors = Authors::default();
        let mut clients = Vec::new();
        for _ in 0..reader.number()? {
            let client = reader.number()?;
            let is_peer = reader.number()? == 1;
            let author = Author::new(reader.text()?);
            if !authors.restore(Known { client, author, is_peer }) {
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
        let (session, text) = if reader.number()? == 1 {
            let session = Session::resume(reader.number()?, reader.sized()?).ok_or(StateError::Damaged)?;
            let text = session.text();
            (Some(session), text)
        } else {
            (None, reader.text()?.to_owned())
        };
        let mut clocks = measure(&mut spans, &text)?;
        for (client, clock) in session.iter().flat_map(Session::clocks) {
            let known = clocks.entry(client).or_insert(0);
            *known = clock.max(*known);
        }
        let spans_max = SPANS_BEFORE_TIDYING.max(spans.len() * 2);
        Ok(Replica { text, spans_max, index: Index::from_spans(spans), authors, clocks, session })
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
