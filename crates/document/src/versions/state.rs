//! Versions as bytes, for the sidecar, and back. Never keeps more of them than is small beside the text.

use super::{Known, Versions};
use crate::replica::{Author, Reader, StateError, put, put_text};
use crate::reversal::{Reversal, Span};

impl Versions {
    /// Appends the newest versions, as many as fit into `bytes_max`.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>, bytes_max: usize) {
        let known =
            self.known.iter().rev().map(|known| (&known.back, known.saved_by.as_ref(), known.is_passing));
        let mut count = 0_u64;
        let mut kept = Vec::new();
        for (back, saved_by, is_passing) in std::iter::once((&self.pending, None, false)).chain(known) {
            let before = kept.len();
            put_version(&mut kept, back, saved_by, is_passing);
            if kept.len() > bytes_max {
                kept.truncate(before);
                break;
            }
            count += 1;
        }
        put(bytes, count);
        bytes.append(&mut kept);
    }

    /// Reads what [`encode`](Self::encode) wrote. Each version must lead back through whole characters from `text`.
    pub(crate) fn decode(reader: &mut Reader<'_>, text: &str) -> Result<Versions, StateError> {
        let mut backs: Vec<Known> = Vec::new();
        let mut text = text.to_owned();
        for _ in 0..reader.number()? {
            let is_passing = reader.number()? == 1;
            let is_save = reader.number()? == 1;
            let saved_by = Some(Author::new(reader.text()?)).filter(|_| is_save);
            let mut spans = Vec::new();
            let mut at = 0;
            for _ in 0..reader.number()? {
                let start = at + reader.small()? as usize;
                at = start + reader.small()? as usize;
                spans.push(Span { new: start..at, old: reader.text()?.to_owned() });
            }
            let is_fitting = spans.iter().all(|span| text.get(span.new.clone()).is_some());
            let back = Reversal::from_spans(spans).filter(|_| is_fitting).ok_or(StateError::Damaged)?;
            // In place, from the end: copying all of a long text for each of many versions takes its time.
            for span in back.spans().iter().rev() {
                text.replace_range(span.new.clone(), &span.old);
            }
            backs.push(Known { back, saved_by, is_passing, is_displaced: false });
        }
        let mut known = backs.into_iter();
        let pending = known.next().map(|pending| pending.back).unwrap_or_default();
        let mut versions = Versions { pending, ..Versions::default() };
        for known in known {
            versions.weight += known.back.weight();
            versions.known.push_front(known);
        }
        Ok(versions)
    }
}

fn put_version(bytes: &mut Vec<u8>, back: &Reversal, saved_by: Option<&Author>, is_passing: bool) {
    put(bytes, u64::from(is_passing));
    put(bytes, u64::from(saved_by.is_some()));
    put_text(bytes, saved_by.map_or("", Author::name));
    put(bytes, back.spans().len() as u64);
    let mut at = 0;
    for span in back.spans() {
        put(bytes, (span.new.start - at) as u64);
        put(bytes, span.new.len() as u64);
        put_text(bytes, &span.old);
        at = span.new.end;
    }
}
