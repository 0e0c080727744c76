//! Who wrote each line, found by doing again what was done. Never guesses: a part that no operation touched belongs to
//! whom the checkpoint names.

use document::text::{lines, split_ending};
use document::{Author, Edit, Revision};

use crate::journal::Checkpoint;
use crate::keeper::Entry;

/// A part of a text that one operation wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// How many bytes.
    pub length: usize,
    /// Who wrote it.
    pub author: Author,
    /// The revision that it came with.
    pub revision: Revision,
    /// Milliseconds since 1970 when it was written.
    pub time: u64,
}

impl Span {
    fn is_same(&self, other: &Span) -> bool {
        self.revision == other.revision && self.author == other.author && self.time == other.time
    }
}

/// Who changed a line last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// The line, counted from one.
    pub line: usize,
    /// Who changed it last.
    pub author: Author,
    /// With which revision.
    pub revision: Revision,
    /// When, in milliseconds since 1970.
    pub time: u64,
}

/// Who changed each line last, after `entries` were done on the text of `checkpoint`. What was taken out of a line leaves no
/// trace; where a line is parts of several authors, the latest of them is named.
pub fn blame(entries: &[Entry], checkpoint: &Checkpoint) -> Vec<BlamedLine> {
    let mut text = checkpoint.text.clone();
    let mut spans = Spans::of(checkpoint);
    for entry in entries {
        spans.apply(entry);
        for edit in &entry.edits {
            if text.get(edit.range.clone()).is_some() {
                text.replace_range(edit.range.clone(), &edit.text);
            }
        }
    }
    spans.lines_of(&text)
}

/// The parts of a text in order.
#[derive(Debug, Clone)]
pub(crate) struct Spans {
    spans: Vec<Span>,
}

impl Spans {
    pub(crate) fn of(checkpoint: &Checkpoint) -> Spans {
        Spans { spans: checkpoint.spans.clone() }
    }

    pub(crate) fn into_vec(self) -> Vec<Span> {
        self.spans
    }

    /// Whether the parts make up the text and end on its characters.
    pub(crate) fn covers(&self, text: &str) -> bool {
        let mut at = 0_usize;
        for span in &self.spans {
            match at.checked_add(span.length) {
                Some(end) if span.length > 0 && text.is_char_boundary(end) => at = end,
                _ => return false,
            }
        }
        at == text.len()
    }

    pub(crate) fn apply(&mut self, entry: &Entry) {
        for edit in &entry.edits {
            self.edit(edit, entry);
        }
    }

    fn edit(&mut self, edit: &Edit, entry: &Entry) {
        let from = self.cut(edit.range.start);
        let to = self.cut(edit.range.end).max(from);
        let written = (!edit.text.is_empty()).then(|| Span {
            length: edit.text.len(),
            author: entry.author.clone(),
            revision: entry.revision,
            time: entry.time,
        });
        let replaced = self.spans.splice(from..to, written);
        drop(replaced);
        // The next part first: joining it does not move the earlier one.
        self.join(from + 1);
        self.join(from);
    }

    /// The index of the part that begins at `at`; one that goes over it is cut in two.
    fn cut(&mut self, at: usize) -> usize {
        let mut start = 0;
        for index in 0..self.spans.len() {
            let Some(span) = self.spans.get_mut(index) else {
                break;
            };
            if at <= start {
                return index;
            }
            if at < start + span.length {
                let mut rest = span.clone();
                rest.length = start + span.length - at;
                span.length = at - start;
                self.spans.insert(index + 1, rest);
                return index + 1;
            }
            start += span.length;
        }
        self.spans.len()
    }

    /// Makes one part of two neighbours that came together.
    fn join(&mut self, index: usize) {
        let Some(before) = index.checked_sub(1) else {
            return;
        };
        let (Some(left), Some(right)) = (self.spans.get(before), self.spans.get(index)) else {
            return;
        };
        if left.is_same(right) {
            let length = right.length;
            self.spans.remove(index);
            if let Some(left) = self.spans.get_mut(before) {
                left.length += length;
            }
        }
    }

    fn lines_of(&self, text: &str) -> Vec<BlamedLine> {
        let mut blamed = Vec::new();
        let (mut line_start, mut span_start, mut index) = (0, 0, 0);
        for (number, line) in lines(text).enumerate() {
            let content = split_ending(line).0.len();
            // A line break says who parted two lines, not who wrote the first, unless there is nothing else.
            let end = line_start + if content == 0 { line.len() } else { content };
            while self.spans.get(index).is_some_and(|span| span_start + span.length <= line_start) {
                span_start += self.spans.get(index).map_or(0, |span| span.length);
                index += 1;
            }
            let mut at = span_start;
            let touching = self.spans.iter().skip(index).take_while(|span| {
                let begins = at < end;
                at += span.length;
                begins
            });
            if let Some(latest) = touching.max_by_key(|span| span.revision) {
                blamed.push(BlamedLine {
                    line: number + 1,
                    author: latest.author.clone(),
                    revision: latest.revision,
                    time: latest.time,
                });
            }
            line_start += line.len();
        }
        blamed
    }
}
