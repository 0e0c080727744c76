//! Looks, among thousands of versions, for the one that a save was made from.
//! Never compares the save with all of them: a version fits the better the closer it is to the origin, so after a first look at some of
//! every age only those around the best are looked at.

use std::cell::OnceCell;

use super::Versions;
use super::comparison::{Changed, Comparison, Misfit};
use crate::replica::Author;
use crate::reversal::Reversal;

/// How many of the newest versions are all looked at, and how many of a range of older ones at once.
const LOOKS: usize = 32;
/// By which part of its age a version is older than the one that is looked at before it.
const AGE_SHARE: usize = 16;
/// How many times better what another's editor saved must fit to be taken for the origin.
const FOREIGN_FACTOR: usize = 4;

pub(super) struct Search<'a> {
    versions: &'a Versions,
    comparison: Comparison<'a>,
    author: &'a Author,
    best: Candidate,
    /// What another's editor saved is an unlikely origin; what was written for all, or saved by this one, is not.
    best_foreign: Candidate,
}

impl<'a> Search<'a> {
    pub(super) fn new(versions: &'a Versions, comparison: Comparison<'a>, author: &'a Author) -> Search<'a> {
        let (best, best_foreign) = (Candidate::default(), Candidate::default());
        Search { versions, comparison, author, best, best_foreign }
    }

    /// What leads from the text as it is now back to the version that fits best, of those that are up to `age_max` versions old.
    pub(super) fn run(mut self, age_max: usize) -> Reversal {
        let mut ages = of_every_age(age_max);
        loop {
            self.look_at(&ages);
            let before = ages.partition_point(|&age| age < self.best.age);
            let newer = before.checked_sub(1).and_then(|last| ages.get(last)).copied().unwrap_or_default();
            let after = ages.partition_point(|&age| age <= self.best.age);
            let older = ages.get(after).copied().unwrap_or(age_max);
            // The origin lies between these two, of which all was seen if they are neighbours of the best.
            if older - newer <= 2 {
                break;
            }
            let step = ((older - newer) / LOOKS).max(1);
            ages = (newer..=older).step_by(step).collect();
        }
        let fits_better =
            self.best_foreign.misfit.telling.saturating_mul(FOREIGN_FACTOR) < self.best.misfit.telling;
        let deleted = |candidate: &Candidate| candidate.changed(&self.comparison).deleted;
        // Of two lines that are alike one must not be taken for a version of the other: in doubt, what deletes less.
        if fits_better && deleted(&self.best_foreign) <= deleted(&self.best) {
            self.best = self.best_foreign;
        }
        self.best.back
    }

    /// Compares the save with versions of these ages, which are in order.
    fn look_at(&mut self, ages: &[usize]) {
        let (mut back, mut at) = (self.versions.pending.clone(), 0);
        for &age in ages {
            back = back.then(&self.versions.between(at..age));
            at = age;
            let is_foreign = self
                .versions
                .aged(age)
                .is_some_and(|known| known.is_passing && known.saved_by.as_ref() != Some(self.author));
            let candidate = if is_foreign { &mut self.best_foreign } else { &mut self.best };
            if let Some(misfit) = self.comparison.misfit(&back, candidate.misfit) {
                let other = Candidate { misfit, age, back: back.clone(), changed: OnceCell::new() };
                if other.is_better_than(candidate, &self.comparison) {
                    *candidate = other;
                }
            }
        }
    }
}

/// Ages up to `age_max`, which is one of them: the older, the further apart.
fn of_every_age(age_max: usize) -> Vec<usize> {
    let next = |age: &usize| Some(age + (age / AGE_SHARE).max(1));
    let steps = std::iter::successors(Some(LOOKS), next).take_while(|&age| age < age_max);
    (0..LOOKS.min(age_max)).chain(steps).chain([age_max]).collect()
}

struct Candidate {
    misfit: Misfit,
    age: usize,
    back: Reversal,
    /// What the save changed in it, once somebody asked.
    changed: OnceCell<Changed>,
}

impl Candidate {
    /// Whether a version is the likelier origin. Of two that fit as well it is the one of which less was deleted, then the one in which
    /// less was changed at all, and else the newest: what an editor had not loaded looks deleted, so in doubt it was not.
    fn is_better_than(&self, other: &Candidate, comparison: &Comparison<'_>) -> bool {
        self.misfit
            .cmp(&other.misfit)
            .then_with(|| self.changed(comparison).cmp(&other.changed(comparison)))
            .then(self.age.cmp(&other.age))
            .is_lt()
    }

    fn changed(&self, comparison: &Comparison<'_>) -> Changed {
        *self.changed.get_or_init(|| comparison.changed(&self.back))
    }
}

impl Default for Candidate {
    fn default() -> Candidate {
        Candidate {
            misfit: Misfit::MAX,
            age: usize::MAX,
            back: Reversal::default(),
            changed: OnceCell::new(),
        }
    }
}
