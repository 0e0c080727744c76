//! Which words of the text a save holds at another place than they stood at.
//! Never takes one shared word for a line that was moved or changed: entries of two authors often share their number.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::diff::{Hunk, line_end, line_start, slice, solid};

/// Of how many lines that hold a word it is looked whether they are versions of its own one.
const LINES_MAX: usize = 16;

/// The lines that a save holds and the text does not, or at another place.
pub(super) struct Inserted<'a> {
    whole: HashSet<&'a str>,
    /// For each word the lines that hold it, by the number of their hunk.
    holding: HashMap<&'a str, Vec<(usize, &'a str)>>,
}

impl<'a> Inserted<'a> {
    pub(super) fn new(saved: &'a str, hunks: &[Hunk]) -> Inserted<'a> {
        let mut inserted = Inserted { whole: HashSet::new(), holding: HashMap::new() };
        for (number, hunk) in hunks.iter().enumerate() {
            for line in slice(saved, hunk.new.clone()).lines().map(str::trim) {
                inserted.whole.insert(line);
                for word in line.split_whitespace() {
                    let lines = inserted.holding.entry(word).or_default();
                    if lines.len() < LINES_MAX && lines.last() != Some(&(number, line)) {
                        lines.push((number, line));
                    }
                }
            }
        }
        inserted
    }

    /// Adds to `words` those of `removed`, a part of the text that the save lacks, that stand elsewhere in the save: in the same
    /// line, or, in the same hunk, in a line that is a version of theirs. Only words that `is_telling` are looked for.
    pub(super) fn find<'t>(
        &self,
        text: &'t str,
        removed: Range<usize>,
        number: usize,
        is_telling: impl Fn(&str) -> bool,
        words: &mut HashSet<&'t str>,
    ) {
        for (line, part) in lines(text, removed) {
            let line = slice(text, line).trim();
            let is_moved = self.whole.contains(line);
            let mut versions: HashMap<&str, bool> = HashMap::new();
            for word in part.split_whitespace().filter(|word| is_telling(word)) {
                let mut near =
                    self.holding.get(word).into_iter().flatten().filter(|(hunk, _)| *hunk == number);
                let is_held = is_moved
                    || near
                        .any(|(_, other)| *versions.entry(other).or_insert_with(|| is_version(other, line)));
                if is_held {
                    words.insert(word);
                }
            }
        }
    }
}

/// The parts of a range of the text that lie in one line each, each with the range of that line.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        (at < range.end).then(|| {
            let line = line_start(text, at)..line_end(text, at);
            let part = at..line.end.min(range.end);
            at = part.end;
            (line, slice(text, part))
        })
    })
}

/// Whether two lines share at least half of the shorter one.
fn is_version(a: &str, b: &str) -> bool {
    let words: HashSet<&str> = a.split_whitespace().collect();
    let shared: usize = b.split_whitespace().filter(|word| words.contains(word)).map(str::len).sum();
    shared * 2 >= solid(a).min(solid(b))
}
