//! The latest versions of a text that stood in its file, and which of them an editor had loaded that saved it.
//! Never asks when the file was written; clocks and editors both lie about that.

mod comparison;
mod elsewhere;
mod search;
mod state;

use std::collections::VecDeque;
use std::ops::Range;

use comparison::Comparison;
use search::Search;

use crate::diff::{Hunk, line_hunks};
use crate::replica::Author;
use crate::reversal::Reversal;

/// How many versions are kept: a quarter of an hour of an answer that comes five times a second. An editor whose buffer is older
/// would seem to have deleted what came before.
const KNOWN_MAX: usize = 4096;
/// How much text they may hold, besides the length of the text itself.
const WEIGHT_MIN: usize = 1 << 20;

/// Versions that stood in the file, newest last. The oldest is the one that the first of them leads back to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Versions {
    known: VecDeque<Known>,
    weight: usize,
    /// From the text as it is now to the newest version.
    pending: Reversal,
}

/// One version that stood in the file.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Leads to the version before it.
    back: Reversal,
    /// Whose editor wrote it, if one did.
    saved_by: Option<Author>,
    /// It was merged at once, so that nobody else's editor has likely loaded it.
    is_passing: bool,
    /// A write took its place before it was read, so that its editor may hold that write instead.
    is_displaced: bool,
}

/// The version that a save was made from.
pub(crate) struct Origin {
    /// Leads from the text as it is now back to it; empty if it may as well be that text itself.
    pub(crate) back: Reversal,
    /// The changed lines from the text as it is now to the save.
    pub(crate) hunks: Vec<Hunk>,
}

impl Versions {
    /// The text was edited: `range`, which read `removed`, is now `inserted` bytes long.
    pub(crate) fn record(&mut self, range: Range<usize>, removed: &str, inserted: usize) {
        self.pending.edit(range, removed, inserted);
    }

    /// The text, of this length, stands in the file.
    pub(crate) fn publish(&mut self, length: usize) {
        self.know(Known::default(), length);
    }

    fn know(&mut self, known: Known, length: usize) {
        if self.pending.is_empty() {
            return;
        }
        let back = std::mem::take(&mut self.pending);
        self.weight += back.weight();
        self.known.push_back(Known { back, ..known });
        while self.known.len() >= KNOWN_MAX || self.weight > WEIGHT_MIN + length {
            let Some(oldest) = self.known.pop_front() else {
                return;
            };
            self.weight -= oldest.back.weight();
        }
    }

    /// A save of `author` stood in the file. `to_text` leads from it back to the text as it was then, `from_text` from the text
    /// as it is now back to it.
    pub(crate) fn saved(&mut self, author: &Author, to_text: Reversal, from_text: Reversal, length: usize) {
        self.pending = to_text.then(&self.pending);
        let known =
            Known { saved_by: Some(author.clone()), is_passing: !from_text.is_empty(), ..Known::default() };
        self.know(known, length);
        self.pending = from_text;
    }

    /// The same for a save that stood in the file before the newest version did. Its author's editor may have loaded that version
    /// after it, so it is nothing that the editor must hold.
    pub(crate) fn displaced(&mut self, to_text: Reversal, from_text: Reversal, length: usize) {
        self.pending = to_text.then(&self.pending);
        self.know(Known { is_displaced: true, ..Known::default() }, length);
        self.pending = from_text;
    }

    /// Finds the version that `saved` was made from: the one that fits best. An author's editor holds at least what it saved last,
    /// so no version before that is looked at. `own` tells what of the text that author wrote.
    pub(crate) fn origin(
        &self,
        text: &str,
        saved: &str,
        author: &Author,
        own: impl FnOnce() -> Vec<Range<usize>>,
    ) -> Origin {
        let hunks = line_hunks(text, saved);
        // How many versions there are to go back to, down to the one that the author saved last.
        let newer = || self.known.iter().rev().take_while(|known| known.saved_by.as_ref() != Some(author));
        let age_max = newer().count();
        let oldest = self.pending.clone().then(&self.between(0..age_max));
        let own = || if newer().any(|known| known.is_displaced) { own() } else { Vec::new() };
        // A save that leaves alone all that is young fits no version better than the newest text itself.
        let comparison = Comparison::new(text, saved, &hunks, &oldest, own);
        let back = comparison.map(|comparison| Search::new(self, comparison, author).run(age_max));
        Origin { back: back.unwrap_or_default(), hunks }
    }

    /// The version of this age; 0 is the newest. Nothing is known of the very oldest but its text.
    fn aged(&self, age: usize) -> Option<&Known> {
        self.known.iter().rev().nth(age)
    }

    /// Leads from the version of one age back to that of another.
    fn between(&self, ages: Range<usize>) -> Reversal {
        if ages.len() <= 1 {
            return ages
                .last()
                .and_then(|age| self.aged(age))
                .map(|known| known.back.clone())
                .unwrap_or_default();
        }
        // In halves: one by one, all that was passed would be gone through again at each step.
        let middle = ages.start + ages.len() / 2;
        self.between(ages.start..middle).then(&self.between(middle..ages.end))
    }
}
