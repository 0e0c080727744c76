//! Versions as bytes, for the sidecar, and back. Never keeps more of them than is small beside the text.

use super::{Known, Versions};
use crate::replica::{Author, Reader, StateError, put, put_text};
use crate::reversal::{Reversal, Span};

impl Versions {
    /// Appends the newest versions, as many as hold no more than `weight_max` bytes.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>, weight_max: usize) {
        let mut weight = 0;
        let mut fits = |back: &Reversal| {
            weight += back.weight();
            weight <= weight_max
        };
        let pending = Some(&self.pending).filter(|back| fits(back));
        let known =
            self.known.iter().rev().map(|known| (&known.back, known.saved_by.as_ref(), known.is_passing));
        let known = known.take_while(|(back, _, _)| fits(back));
        let kept: Vec<_> = pending.into_iter().map(|back| (back, None, false)).chain(known).collect();
        put(bytes, kept.len() as u64);
        for (back, saved_by, is_passing) in kept {
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
    }

    /// Reads what [`encode`](Self::encode) wrote. Each version must lead back through whole characters from `text`.
    pub(crate) fn decode(reader: &mut Reader<'_>, text: &str) -> Result<Versions, StateError> {
        let mut backs: Vec<Known> = Vec::new();
        let mut text = std::borrow::Cow::Borrowed(text);
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
            if !back.is_empty() {
                text = back.apply(&text).into();
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
