//! How the run stands: what is wrong with its document, what its status is, and whether it is over. Never says that it is over while
//! something is still to be written.

use super::{Conductor, Effect, Stopping};
use crate::draft::{CANON, Trouble};
use crate::plan::{Item, ItemState};
use crate::status::Status;

impl Conductor {
    /// Sections that are needed and cannot be written. One that is gone is made again; of two, a person must take one away.
    pub(super) fn look_for_trouble(&mut self, effects: &mut Vec<Effect>) {
        let known = std::mem::take(&mut self.troubles);
        let is_needed = |worker: &String| {
            self.record.plan.iter().any(|item| item.worker == *worker && !item.state.is_over())
        };
        let mut needed: Vec<String> = self.record.names().into_iter().filter(is_needed).collect();
        if self.record.canon.is_due || self.is_merging() {
            needed.push(CANON.to_owned());
        }
        for title in needed {
            if let Err(trouble) = self.draft.section(&title) {
                self.troubles.insert(title, trouble);
            }
        }
        let gone = |troubles: &std::collections::BTreeMap<String, Trouble>| -> Vec<String> {
            let gone = troubles.iter().filter(|(_, trouble)| **trouble == Trouble::Missing);
            gone.map(|(title, _)| title.clone()).collect()
        };
        let missing = gone(&self.troubles);
        if !missing.is_empty() && missing != gone(&known) {
            self.record.decided(format!("made again: {}", missing.join(", ")));
            effects.push(Effect::Restore(missing));
        }
        for (title, trouble) in &self.troubles {
            if *trouble != Trouble::Missing && known.get(title) != Some(trouble) {
                let words = trouble.words(title);
                self.record.decisions.push(words);
            }
        }
    }

    /// Whether something is still to be done, begun or written.
    pub(super) fn is_unfinished(&self) -> bool {
        self.is_anybody_left() || self.is_merging() || self.record.canon.is_due || !self.running.is_empty()
    }

    /// Whether somebody may still find something.
    pub(super) fn is_anybody_left(&self) -> bool {
        self.is_planning || self.record.plan.iter().any(|item| !item.state.is_over())
    }

    /// Sets the status, and ends the run if nothing is left.
    pub(super) fn conclude(&mut self, was: Status, effects: &mut Vec<Effect>) {
        let is_cancelled = matches!(self.stopping, Some(Stopping::Cancelled(_)));
        let is_over = if is_cancelled { self.running.is_empty() } else { !self.is_unfinished() };
        let is_anything = !self.record.plan.is_empty() || !self.record.guests.is_empty();
        if is_over && (is_cancelled || is_anything) {
            self.see_guests_off();
            let (status, why) = self.verdict();
            (self.record.status, self.record.why) = (status, why);
            if !was.is_final() || was != status {
                effects.push(Effect::End(status));
            }
            return;
        }
        let blocking = self.troubles.iter().find(|(_, trouble)| **trouble != Trouble::Missing);
        let question = self.record.workers.iter().find_map(|worker| {
            worker.question.as_ref().map(|question| format!("{} asks: {question}", worker.name))
        });
        let (status, why) = match (blocking, question) {
            (Some((title, trouble)), _) => (Status::Blocked, Some(trouble.words(title))),
            (None, _) if self.is_planning || self.is_merging() => (Status::Running, None),
            (None, _) if self.is_put_off => {
                (Status::Blocked, Some("the canon could not be written yet".to_owned()))
            }
            (None, question) if !self.running.is_empty() => (Status::WaitingForWorker, question),
            (None, Some(question)) => (Status::WaitingForUser, Some(question)),
            (None, None) => (Status::Running, None),
        };
        (self.record.status, self.record.why) = (status, why);
    }

    fn verdict(&self) -> (Status, Option<String>) {
        let is = |state: ItemState| {
            let counts = |item: &Item| item.state == state && (state == ItemState::Done || item.is_missing());
            self.record.plan.iter().any(counts)
        };
        let is_done = is(ItemState::Done) || self.is_guest_done();
        let told = self.record.plan.iter().rev().find(|item| item.is_missing());
        let told = told.and_then(|item| item.told.clone());
        match &self.stopping {
            Some(Stopping::Cancelled(by)) => (Status::Cancelled, Some(format!("cancelled by {by}"))),
            Some(Stopping::Exhausted(why)) if is_done => (Status::Partial, Some(why.clone())),
            _ if is(ItemState::Cancelled) && !is(ItemState::Failed) && !is_done => (Status::Cancelled, told),
            _ if !is_done => (Status::Failed, told),
            _ if is(ItemState::Failed) || is(ItemState::Cancelled) => (Status::Partial, told),
            _ => (Status::Completed, None),
        }
    }
}
