//! The latest versions of a text that stood in its file, and which of them an editor had loaded that saved it.
//! Never asks when the file was written; clocks and editors both lie about that.

mod comparison;
mod elsewhere;
mod state;

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::Range;

use comparison::{Comparison, Misfit};

use crate::diff::{Hunk, line_hunks};
use crate::replica::Author;
use crate::reversal::Reversal;

/// How many versions are kept.
const KNOWN_MAX: usize = 64;
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
        let steps =
            self.known.iter().rev().take_while(|known| known.saved_by.as_ref() != Some(author)).count();
        let newer = || self.known.iter().rev().take(steps);
        // A save that leaves alone all that is young fits no version better than the newest text itself.
        let oldest = newer().fold(self.pending.clone(), |back, known| back.then(&known.back));
        let own = || if newer().any(|known| known.is_displaced) { own() } else { Vec::new() };
        let Some(comparison) = Comparison::new(text, saved, &hunks, &oldest, own) else {
            return Origin { back: Reversal::default(), hunks };
        };
        let (mut best, mut best_foreign) = (Candidate::default(), Candidate::default());
        let mut back = self.pending.clone();
        let mut step_back = newer();
        let versions = self.known.iter().rev().map(Some).chain([None]);
        for version in versions {
            // What another's editor saved is an unlikely origin; what was written for all, or saved by this one, is not.
            let is_foreign =
                version.is_some_and(|known| known.is_passing && known.saved_by.as_ref() != Some(author));
            let candidate = if is_foreign { &mut best_foreign } else { &mut best };
            if let Some(misfit) = comparison.misfit(&back, candidate.misfit) {
                candidate.challenge(misfit, &back, &comparison);
            }
            let Some(known) = step_back.next() else { break };
            back = back.then(&known.back);
        }
        let fits_better = best_foreign.misfit.telling.saturating_mul(FOREIGN_FACTOR) < best.misfit.telling;
        // Of two lines that are alike one must not be taken for a version of the other: in doubt, what deletes less.
        if fits_better && best_foreign.deleted(&comparison) <= best.deleted(&comparison) {
            best = best_foreign;
        }
        Origin { back: best.back, hunks }
    }
}

/// How many times better what another's editor saved must fit to be taken for the origin.
const FOREIGN_FACTOR: usize = 4;

struct Candidate {
    misfit: Misfit,
    back: Reversal,
    /// How many words the save deleted of it, once somebody asked.
    deleted: OnceCell<usize>,
}

impl Candidate {
    /// Takes the place of this one with another version that fits no worse. Of two that fit as well it is the one of which less was
    /// deleted, and else the newest: what an editor had not loaded looks deleted, so in doubt it was not.
    fn challenge(&mut self, misfit: Misfit, back: &Reversal, comparison: &Comparison<'_>) {
        let other = Candidate { misfit, back: back.clone(), deleted: OnceCell::new() };
        if misfit < self.misfit || other.deleted(comparison) < self.deleted(comparison) {
            *self = other;
        }
    }

    fn deleted(&self, comparison: &Comparison<'_>) -> usize {
        *self.deleted.get_or_init(|| comparison.deleted(&self.back))
    }
}

impl Default for Candidate {
    fn default() -> Candidate {
        Candidate { misfit: Misfit::MAX, back: Reversal::default(), deleted: OnceCell::new() }
    }
}
