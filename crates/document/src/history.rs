//! The latest versions of one text, each as the few spans that lead back to the one before, and who made them.
//! Never holds more than a bounded number of them; older ones are the journal's.

mod origin;
mod state;

use std::collections::VecDeque;
use std::ops::Range;

pub(crate) use origin::Origin;

use crate::replica::Author;
use crate::reversal::Reversal;

/// How many versions that stood in the file are kept to recognise a save of a stale buffer.
const KNOWN_MAX: usize = 64;
/// How many steps are kept in all.
const STEPS_MAX: usize = 1024;
/// How much text the steps may hold, besides twice the text itself.
const WEIGHT_MIN: usize = 1 << 20;

/// The number of a version: it grows by one with every change, and never falls.
pub type Revision = u64;

/// From one version to the next.
#[derive(Debug, Clone)]
struct Step {
    revision: Revision,
    author: Author,
    back: Reversal,
    /// The version that this step led to stood in the file.
    is_known: bool,
}

/// The latest versions of a text, newest last.
#[derive(Debug, Clone)]
pub(crate) struct History {
    steps: VecDeque<Step>,
    oldest: Revision,
    is_oldest_known: bool,
    known: usize,
    weight: usize,
}

impl History {
    pub(crate) fn new(revision: Revision) -> History {
        History { steps: VecDeque::new(), oldest: revision, is_oldest_known: false, known: 0, weight: 0 }
    }

    /// The newest version was edited: `range`, which read `removed`, is now `inserted` bytes long.
    pub(crate) fn record(
        &mut self,
        revision: Revision,
        author: &Author,
        range: Range<usize>,
        removed: &str,
        inserted: usize,
    ) {
        match self.steps.back_mut().filter(|step| !step.is_known && step.author == *author) {
            Some(step) => {
                self.weight -= step.back.weight();
                step.back.edit(range, removed, inserted);
                step.revision = revision;
                self.weight += step.back.weight();
            }
            None => {
                let mut back = Reversal::default();
                back.edit(range, removed, inserted);
                self.push(revision, author, back);
            }
        }
    }

    /// A new version that `back` leads back from.
    pub(crate) fn push(&mut self, revision: Revision, author: &Author, back: Reversal) {
        self.weight += back.weight();
        self.steps.push_back(Step { revision, author: author.clone(), back, is_known: false });
    }

    /// The newest version stands in the file. `length` is the length of its text.
    pub(crate) fn know_newest(&mut self, length: usize) {
        let is_known = match self.steps.back_mut() {
            Some(step) => &mut step.is_known,
            None => &mut self.is_oldest_known,
        };
        self.known += usize::from(!*is_known);
        *is_known = true;
        let weight_max = WEIGHT_MIN + 2 * length;
        while self.known > KNOWN_MAX || self.steps.len() > STEPS_MAX || self.weight > weight_max {
            let Some(step) = self.steps.pop_front() else {
                return;
            };
            self.known -= usize::from(self.is_oldest_known);
            self.is_oldest_known = step.is_known;
            self.oldest = step.revision;
            self.weight -= step.back.weight();
        }
    }

    /// The kept versions, newest first: revision and author.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (Revision, &Author)> {
        self.steps.iter().rev().map(|step| (step.revision, &step.author))
    }

    /// What leads from the newest version back to the one that was current at `revision`.
    pub(crate) fn back_to(&self, revision: Revision) -> Option<Reversal> {
        let mut back = Reversal::default();
        for step in self.steps.iter().rev() {
            if step.revision <= revision {
                return Some(back);
            }
            back = back.after(&step.back);
        }
        (self.oldest <= revision).then_some(back)
    }
}
