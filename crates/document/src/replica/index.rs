//! Who wrote which span, and under which identity: the positions that the CRDT library would otherwise look for by walking.
//! Never holds text; the caller passes it where a span has to be cut inside.

use std::ops::Range;

/// Spans are joined only up to this length: a cut has to count the units of a whole span.
const SPAN_BYTES_MAX: usize = 4096;
/// Spans in one chunk before it is split; a place is found by passing whole chunks.
const CHUNK_MAX: usize = 128;

/// A client of a CRDT session: one for each author.
pub(crate) type Client = u64;

/// Identity of one UTF-16 unit: the client that inserted it, and how many that client had inserted before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    pub(crate) client: Client,
    pub(crate) clock: u32,
}

/// A run of units with consecutive identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) id: Id,
    pub(crate) bytes: usize,
    /// Length in UTF-16 units.
    pub(crate) units: u32,
}

impl Span {
    /// The identity of the last unit.
    pub(crate) fn last(&self) -> Id {
        Id { client: self.id.client, clock: self.id.clock + self.units.saturating_sub(1) }
    }

    fn goes_on_to(&self, next: Id) -> bool {
        self.id.client == next.client && self.id.clock.checked_add(self.units) == Some(next.clock)
    }

    /// Whether the next span goes on where this one ends, so that the two can be one.
    fn is_followed_by(&self, next: &Span) -> bool {
        self.goes_on_to(next.id) && self.bytes + next.bytes <= SPAN_BYTES_MAX
    }

    /// Cuts the span at `bytes` of its `text`.
    fn cut(&self, bytes: usize, text: &str) -> (Span, Span) {
        let units = if self.bytes == self.units as usize {
            u32::try_from(bytes).unwrap_or(u32::MAX)
        } else {
            units(text.get(..bytes).unwrap_or_default())
        };
        let head = Span { id: self.id, bytes, units };
        let tail_id = Id { client: self.id.client, clock: self.id.clock + units };
        (head, Span { id: tail_id, bytes: self.bytes - bytes, units: self.units - units })
    }
}

/// How many UTF-16 units a text has: one for each character, and one more for each that needs four bytes of UTF-8.
pub(crate) fn units(text: &str) -> u32 {
    let characters = text.bytes().filter(|byte| byte & 0xc0 != 0x80).count();
    let pairs = text.bytes().filter(|byte| *byte >= 0xf0).count();
    u32::try_from(characters + pairs).unwrap_or(u32::MAX)
}

/// The spans of a text that one client inserts at once, in the order of the text. `before` is the length of the span that goes on
/// into it.
///
/// Every Yjs library joins neighbours whose identities go on into one item, and whoever edits inside an item copies it. So that no
/// item gets long, the last span has the lowest identities and the first one the highest: nothing goes on from one to the next.
pub(crate) fn spans_of(id: Id, text: &str, before: usize) -> Vec<Span> {
    let is_short = text.len() <= SPAN_BYTES_MAX && before + text.len() > SPAN_BYTES_MAX;
    let mut length = if is_short { text.ceil_char_boundary(1) } else { SPAN_BYTES_MAX };
    let (mut spans, mut rest) = (Vec::new(), text);
    while !rest.is_empty()
        && let Some((head, tail)) = rest.split_at_checked(rest.floor_char_boundary(length))
    {
        spans.push(Span { id, bytes: head.len(), units: units(head) });
        (rest, length) = (tail, SPAN_BYTES_MAX);
    }
    let mut clock = id.clock;
    for span in spans.iter_mut().rev() {
        span.id.clock = clock;
        clock += span.units;
    }
    spans
}

#[derive(Debug, Clone, Default)]
struct Chunk {
    spans: Vec<Span>,
    bytes: usize,
    units: u32,
}

impl Chunk {
    fn grow(&mut self, span: &Span) {
        self.bytes += span.bytes;
        self.units += span.units;
    }

    fn shrink(&mut self, span: &Span) {
        self.bytes -= span.bytes;
        self.units -= span.units;
    }
}

/// All spans of a text, in its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    chunks: Vec<Chunk>,
}

/// A place between two spans or inside one: its chunk, its span there, and how far the place lies inside the span.
#[derive(Clone, Copy)]
struct Place {
    chunk: usize,
    span: usize,
    inside: usize,
}

impl Index {
    pub(crate) fn from_spans(spans: impl IntoIterator<Item = Span>) -> Index {
        let mut index = Index::default();
        for span in spans {
            index.push(span);
        }
        index
    }

    pub(crate) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.chunks.iter().flat_map(|chunk| &chunk.spans)
    }

    pub(crate) fn count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.spans.len()).sum()
    }

    /// Adds a span at the end, joined to the last one where identities go on.
    fn push(&mut self, span: Span) {
        if self.chunks.last().is_none_or(|chunk| chunk.spans.len() >= CHUNK_MAX) {
            let joins = self
                .chunks
                .last()
                .and_then(|chunk| chunk.spans.last())
                .is_some_and(|l| l.is_followed_by(&span));
            if !joins {
                self.chunks.push(Chunk::default());
            }
        }
        let Some(chunk) = self.chunks.last_mut() else {
            return;
        };
        chunk.grow(&span);
        match chunk.spans.last_mut() {
            Some(last) if last.is_followed_by(&span) => {
                last.bytes += span.bytes;
                last.units += span.units;
            }
            _ => chunk.spans.push(span),
        }
    }

    /// The identity of the unit that ends at `at`, and of the one that begins there.
    pub(crate) fn neighbours(&self, at: usize, text: &str) -> (Option<Id>, Option<Id>) {
        let place = self.place(at);
        let chunk = self.chunks.get(place.chunk);
        let here = chunk.and_then(|chunk| chunk.spans.get(place.span));
        if place.inside > 0 {
            let Some(span) = here else { return (None, None) };
            let (head, tail) = span.cut(place.inside, self.text_of(place, at, text));
            return (Some(head.last()), Some(tail.id));
        }
        (self.span_before(place).map(Span::last), here.map(|span| span.id))
    }

    /// How long the span is that ends at `at`, if identities go on from it to `next`.
    pub(crate) fn bytes_before(&self, at: usize, next: Id) -> usize {
        let place = self.place(at);
        let before = self.span_before(place).filter(|_| place.inside == 0);
        before.filter(|span| span.goes_on_to(next)).map_or(0, |span| span.bytes)
    }

    fn span_before(&self, place: Place) -> Option<&Span> {
        match place.span {
            0 => self.chunks.get(..place.chunk)?.last()?.spans.last(),
            span => self.chunks.get(place.chunk)?.spans.get(span - 1),
        }
    }

    /// Puts a span at `at`. `text` is the text before the insertion.
    pub(crate) fn insert(&mut self, at: usize, span: Span, text: &str) {
        let place = self.split_at(at, text);
        let Some(chunk) = self.chunks.get_mut(place.chunk) else {
            self.push(span);
            return;
        };
        chunk.grow(&span);
        let before = place.span.checked_sub(1).and_then(|span| chunk.spans.get_mut(span));
        match before {
            Some(before) if before.is_followed_by(&span) => {
                before.bytes += span.bytes;
                before.units += span.units;
            }
            _ => chunk.spans.insert(place.span.min(chunk.spans.len()), span),
        }
        self.keep_small(place.chunk);
    }

    /// Takes out the spans of `range` and gives them back. `text` is the text before the removal.
    pub(crate) fn remove(&mut self, range: Range<usize>, text: &str) -> Vec<Span> {
        let mut removed = Vec::new();
        if range.is_empty() {
            return removed;
        }
        self.split_at(range.end, text);
        let place = self.split_at(range.start, text);
        let mut left = range.len();
        let (mut chunk_at, mut span_at) = (place.chunk, place.span);
        while let Some(chunk) = self.chunks.get_mut(chunk_at).filter(|_| left > 0) {
            let mut end = span_at;
            while let Some(span) = chunk.spans.get(end).copied().filter(|span| span.bytes <= left) {
                left -= span.bytes;
                chunk.shrink(&span);
                end += 1;
            }
            removed.extend(chunk.spans.drain(span_at..end));
            span_at = 0;
            if chunk.spans.is_empty() {
                self.chunks.remove(chunk_at);
            } else {
                chunk_at += 1;
            }
        }
        removed
    }

    /// The byte that a place counted in UTF-16 units is, if it is one; a place inside a character is none.
    pub(crate) fn byte_at(&self, units: u32, text: &str) -> Option<usize> {
        let (mut left, mut bytes) = (units, 0);
        for chunk in &self.chunks {
            if left > chunk.units {
                left -= chunk.units;
                bytes += chunk.bytes;
                continue;
            }
            for span in &chunk.spans {
                if left >= span.units {
                    left -= span.units;
                    bytes += span.bytes;
                    continue;
                }
                if span.bytes == span.units as usize {
                    return Some(bytes + left as usize);
                }
                return byte_of_unit(text.get(bytes..bytes + span.bytes)?, left).map(|inside| bytes + inside);
            }
            return (left == 0).then_some(bytes);
        }
        (left == 0).then_some(bytes)
    }

    /// Whether a unit still stands in the text.
    pub(crate) fn holds(&self, id: Id) -> bool {
        self.spans()
            .any(|span| span.id.client == id.client && id.clock.wrapping_sub(span.id.clock) < span.units)
    }

    /// Whether a border before `id` would cut a character in two.
    pub(crate) fn cuts_character(&self, id: Id, text: &str) -> bool {
        let mut bytes = 0;
        for span in self.spans() {
            let inside = id.clock.wrapping_sub(span.id.clock);
            if span.id.client == id.client && inside < span.units && span.bytes != span.units as usize {
                let span_text = text.get(bytes..bytes + span.bytes).unwrap_or_default();
                return byte_of_unit(span_text, inside).is_none();
            }
            bytes += span.bytes;
        }
        false
    }

    /// Makes `at` a border between spans.
    fn split_at(&mut self, at: usize, text: &str) -> Place {
        let place = self.place(at);
        if place.inside == 0 {
            return place;
        }
        let span_text = self.text_of(place, at, text);
        let Some(chunk) = self.chunks.get_mut(place.chunk) else {
            return place;
        };
        let Some(span) = chunk.spans.get_mut(place.span) else {
            return place;
        };
        let (head, tail) = span.cut(place.inside, span_text);
        *span = head;
        chunk.spans.insert(place.span + 1, tail);
        Place { chunk: place.chunk, span: place.span + 1, inside: 0 }
    }

    fn text_of<'a>(&self, place: Place, at: usize, text: &'a str) -> &'a str {
        text.get(at - place.inside..).unwrap_or_default()
    }

    /// Where `at` lies. At a border it is the start of the span behind it, and past the last one at the very end.
    fn place(&self, at: usize) -> Place {
        let mut left = at;
        for (chunk_at, chunk) in self.chunks.iter().enumerate() {
            let is_last = chunk_at + 1 == self.chunks.len();
            if left >= chunk.bytes && !(is_last && left == chunk.bytes) {
                left -= chunk.bytes;
                continue;
            }
            for (span_at, span) in chunk.spans.iter().enumerate() {
                if left < span.bytes {
                    return Place { chunk: chunk_at, span: span_at, inside: left };
                }
                left -= span.bytes;
            }
            return Place { chunk: chunk_at, span: chunk.spans.len(), inside: 0 };
        }
        Place { chunk: self.chunks.len(), span: 0, inside: 0 }
    }

    fn keep_small(&mut self, at: usize) {
        let Some(chunk) = self.chunks.get_mut(at).filter(|chunk| chunk.spans.len() > CHUNK_MAX) else {
            return;
        };
        let spans = chunk.spans.split_off(CHUNK_MAX / 2);
        let mut upper = Chunk::default();
        for span in &spans {
            chunk.shrink(span);
            upper.grow(span);
        }
        upper.spans = spans;
        self.chunks.insert(at + 1, upper);
    }
}

/// The byte where a UTF-16 unit of `text` begins, if a character begins there.
pub(crate) fn byte_of_unit(text: &str, unit: u32) -> Option<usize> {
    let mut left = unit as usize;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        left = left.checked_sub(character.len_utf16())?;
    }
    (left == 0).then_some(text.len())
}
