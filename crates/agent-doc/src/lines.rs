//! Line numbers of many places in one walk over the text. Never walks once for each place: a text may have a million.

use document::text::position;

/// The line numbers of a set of offsets.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Offset and line, in order.
    known: Vec<(usize, usize)>,
}

impl Lines {
    /// Finds the lines of `offsets`, which stand on character boundaries of `text` and in any order.
    pub(crate) fn of(text: &str, offsets: impl Iterator<Item = usize>) -> Self {
        let mut offsets: Vec<usize> = offsets.collect();
        offsets.sort_unstable();
        offsets.dedup();
        let (mut at, mut line) = (0, 1);
        let known = offsets
            .into_iter()
            .map(|offset| {
                let passed = text.get(at..offset).unwrap_or_default();
                line += position(passed, passed.len()).line - 1;
                at = offset;
                (offset, line)
            })
            .collect();
        Self { known }
    }

    /// The line of an offset that was asked for at the beginning, counted from one.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.known
            .binary_search_by_key(&offset, |(known, _)| *known)
            .ok()
            .and_then(|index| self.known.get(index))
            .map_or(1, |(_, line)| *line)
    }
}

/// A place on the last line of what ends at `end`: before its line break, if it has one.
pub(crate) fn last_place(text: &str, start: usize, end: usize) -> usize {
    let inside = text.get(start..end).unwrap_or_default();
    let content = inside.strip_suffix("\r\n").or_else(|| inside.strip_suffix(['\n', '\r'])).unwrap_or(inside);
    start + content.len()
}
