//! The latest revisions of one text: who made each, and the few spans that lead back to the one before.
//! Never holds more than a bounded number of them; older ones are the journal's.

use std::collections::VecDeque;
use std::ops::Range;

use crate::replica::Author;
use crate::reversal::Reversal;

/// How many steps are kept.
const STEPS_MAX: usize = 1024;
/// How much text the steps may hold, besides the length of the text itself.
const WEIGHT_MIN: usize = 1 << 20;

/// The number of a revision: it grows by one with every change, and never falls.
pub type Revision = u64;

/// One author's changes, up to a revision.
#[derive(Debug, Clone)]
struct Step {
    revision: Revision,
    author: Author,
    back: Reversal,
    /// The next change is a step of its own, whoever makes it.
    is_closed: bool,
}

/// The latest revisions of a text, newest last.
#[derive(Debug, Clone)]
pub(crate) struct History {
    steps: VecDeque<Step>,
    oldest: Revision,
    weight: usize,
}

impl History {
    pub(crate) fn new(revision: Revision) -> History {
        History { steps: VecDeque::new(), oldest: revision, weight: 0 }
    }

    /// The text was edited: `range`, which read `removed`, is now `inserted` bytes long. What one author
    /// writes without a break is one step.
    pub(crate) fn record(
        &mut self,
        revision: Revision,
        author: &Author,
        range: Range<usize>,
        removed: &str,
        inserted: usize,
    ) {
        match self.steps.back_mut().filter(|step| !step.is_closed && step.author == *author) {
            Some(step) => {
                self.weight -= step.back.weight();
                step.back.edit(range, removed, inserted);
                step.revision = revision;
                self.weight += step.back.weight();
            }
            None => {
                let mut back = Reversal::default();
                back.edit(range, removed, inserted);
                self.weight += back.weight();
                self.steps.push_back(Step { revision, author: author.clone(), back, is_closed: false });
            }
        }
    }

    /// Ends the current step, and drops the oldest ones beyond what is kept. `length` is the length of the text.
    pub(crate) fn close_step(&mut self, length: usize) {
        if let Some(step) = self.steps.back_mut() {
            step.is_closed = true;
        }
        while self.steps.len() > STEPS_MAX || self.weight > WEIGHT_MIN + length {
            let Some(step) = self.steps.pop_front() else {
                return;
            };
            self.oldest = step.revision;
            self.weight -= step.back.weight();
        }
    }

    /// The kept steps, newest first: revision and author.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (Revision, &Author)> {
        self.steps.iter().rev().map(|step| (step.revision, &step.author))
    }

    /// What leads from the newest revision back to the one that was current at `revision`, as far as steps
    /// were kept apart.
    pub(crate) fn back_to(&self, revision: Revision) -> Option<Reversal> {
        let mut back = Reversal::default();
        for step in self.steps.iter().rev() {
            if step.revision <= revision {
                return Some(back);
            }
            back = back.then(&step.back);
        }
        (self.oldest <= revision).then_some(back)
    }
}
