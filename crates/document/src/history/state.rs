//! History as bytes, for the sidecar, and back. Never keeps more of it than is small beside the text.

use super::{History, Step};
use crate::replica::{Author, Reader, StateError, put, put_text};
use crate::reversal::{Reversal, Span};

impl History {
    /// Appends the newest steps, as many as hold no more than `weight_max` bytes.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>, weight_max: usize) {
        let mut weight = 0;
        let kept = self.steps.iter().rev().take_while(|step| {
            weight += step.back.weight();
            weight <= weight_max
        });
        let kept = kept.count();
        let first = self.steps.len() - kept;
        let (oldest, is_known) = match first.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some(step) => (step.revision, step.is_known),
            None => (self.oldest, self.is_oldest_known),
        };
        put(bytes, oldest);
        put(bytes, u64::from(is_known));
        put(bytes, kept as u64);
        for step in self.steps.range(first..) {
            put(bytes, step.revision);
            put_text(bytes, step.author.name());
            put(bytes, u64::from(step.is_known));
            put(bytes, step.back.spans().len() as u64);
            for span in step.back.spans() {
                put(bytes, span.new.start as u64);
                put(bytes, span.new.len() as u64);
                put_text(bytes, &span.old);
            }
        }
    }

    /// Reads what [`encode`](Self::encode) wrote. The steps must lead back through whole characters from `text`.
    pub(crate) fn decode(reader: &mut Reader<'_>, text: &str) -> Result<History, StateError> {
        let mut history = History::new(reader.number()?);
        history.is_oldest_known = reader.number()? == 1;
        history.known = usize::from(history.is_oldest_known);
        for _ in 0..reader.number()? {
            let revision = reader.number()?;
            let author = Author::new(reader.text()?);
            let is_known = reader.number()? == 1;
            let mut spans = Vec::new();
            for _ in 0..reader.number()? {
                let start = reader.small()? as usize;
                let end = start + reader.small()? as usize;
                spans.push(Span { new: start..end, old: reader.text()?.to_owned() });
            }
            let back = Reversal::from_spans(spans).ok_or(StateError::Damaged)?;
            history.weight += back.weight();
            history.known += usize::from(is_known);
            history.steps.push_back(Step { revision, author, back, is_known });
        }
        history.check(text).ok_or(StateError::Damaged)?;
        Ok(history)
    }

    /// Every step fits the text that it leads back from.
    fn check(&self, text: &str) -> Option<()> {
        let mut text = text.to_owned();
        for step in self.steps.iter().rev() {
            let fits = |span: &Span| text.get(span.new.clone()).is_some();
            if !step.back.spans().iter().all(fits) {
                return None;
            }
            text = step.back.apply(&text);
        }
        Some(())
    }
}
