//! A replica as bytes, for the sidecar, and back. Never trusts the bytes: whatever is wrong with them is an error, and the caller
//! begins from the file, which is the truth.

use std::collections::BTreeMap;

use super::author::Known;
use super::index::{Client, Id, Index, Span, byte_of_unit, units};
use super::wire::{self, Block, MalformedUpdate, Reader};
use super::{Author, Authors, Replica, SPANS_BEFORE_TIDYING, Session, session};

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
        let session = self.session.as_ref();
        match session.and_then(|session| Some((session.epoch, session.state(&self.text).ok()?))) {
            Some((epoch, state)) => {
                wire::put(bytes, 1);
                wire::put(bytes, epoch);
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
        let (session, text, held) = if reader.number()? == 1 {
            let (epoch, state) = (reader.number()?, reader.sized()?);
            let (text, held) = held_by(state, &spans)?;
            (Some(Session::resume(epoch, state)), text, held)
        } else {
            (None, reader.text()?.to_owned(), BTreeMap::new())
        };
        let mut clocks = measure(&mut spans, &text)?;
        for (client, clock) in held {
            let known = clocks.entry(client).or_insert(0);
            *known = clock.max(*known);
        }
        let spans_max = SPANS_BEFORE_TIDYING.max(spans.len() * 2);
        Ok(Replica {
            text: text.into(),
            spans_max,
            index: Index::from_spans(spans),
            authors,
            clocks,
            session,
        })
    }
}

/// How many units each client has inserted.
type Clocks = BTreeMap<Client, u32>;

/// The text of these spans as a saved session holds it, and how many units each client has inserted there. It is put together
/// from the session's blocks: building a CRDT of them takes several times as long, and perhaps nobody will ask for it.
fn held_by(state: &[u8], spans: &[Span]) -> Result<(String, Clocks), StateError> {
    let update = session::as_plain_update(state).ok_or(StateError::Damaged)?;
    let mut blocks = wire::read(&update)?.blocks;
    blocks.sort_unstable_by_key(|block| block.id);
    let mut text = String::new();
    for span in spans {
        text_of(span, &blocks, &mut text).ok_or(StateError::Damaged)?;
    }
    let ends = blocks.iter().map(|block| (block.id.client, block.id.clock + block.units));
    // Of one client the last block ends last, and the last one stays.
    Ok((text, ends.collect()))
}

/// Adds the text of a span, which may lie in several blocks. Nothing if they do not hold it.
fn text_of(span: &Span, blocks: &[Block<'_>], text: &mut String) -> Option<()> {
    let first = blocks.partition_point(|block| block.id <= span.id).checked_sub(1)?;
    let mut bytes = span.bytes;
    for block in blocks.get(first..)? {
        let held = block.text.filter(|_| block.id.client == span.id.client)?;
        let before = span.id.clock.saturating_sub(block.id.clock);
        let start =
            if held.len() == block.units as usize { before as usize } else { byte_of_unit(held, before)? };
        let held = held.get(start..)?;
        let part = held.get(..bytes.min(held.len()))?;
        text.push_str(part);
        bytes -= part.len();
        if bytes == 0 {
            return Some(());
        }
    }
    None
}

/// Counts the units of each span and of each client; the spans must cover the text exactly.
fn measure(spans: &mut [Span], text: &str) -> Result<Clocks, StateError> {
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
