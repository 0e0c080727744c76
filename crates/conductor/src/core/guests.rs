//! Agents of others in a run: what they wrote counts as what workers wrote. Never gives a guest anything to do, and never waits for
//! one: it came by itself, and may go without a word.

use super::Conductor;
use crate::limits::GUESTS_MAX;
use crate::record::Guest;
use crate::role;
use crate::status::{Phase, Status};

impl Conductor {
    /// Takes note of everybody who writes proposals here and was not sent.
    pub(super) fn adopt(&mut self) {
        for name in self.draft.guests(&self.record.authors()) {
            self.welcome(&name);
        }
    }

    /// What a guest found is finished, so it is merged.
    pub(super) fn guest_finished(&mut self, name: &str, mark: String, summary: &str) {
        let is_known = |guest: &Guest| guest.finished.as_ref() == Some(&mark);
        if self.record.status == Status::Cancelled || self.record.guest(name).is_some_and(is_known) {
            return;
        }
        // Its section may be gone in the same moment, and what it said is taken all the same.
        if self.record.guest(name).is_none() {
            self.welcome(name);
        }
        let Some(guest) = self.record.guest_mut(name) else { return };
        (guest.phase, guest.finished, guest.told) = (Phase::Done, Some(mark), Some(summary.to_owned()));
        self.record.decided(format!("{name} says that it is done: {summary}"));
        self.record.canon.is_due = true;
        self.is_due_again |= self.is_merging();
        self.reopen();
    }

    /// Nobody is listened to any more: a guest who said no last word is not at work for ever.
    pub(super) fn see_guests_off(&mut self) {
        for guest in self.record.guests.iter_mut().filter(|guest| guest.phase == Phase::Working) {
            guest.phase = if guest.merged.is_some() { Phase::Merged } else { Phase::Idle };
        }
    }

    /// Whether a guest found something.
    pub(super) fn is_guest_done(&self) -> bool {
        self.record.guests.iter().any(|guest| matches!(guest.phase, Phase::Done | Phase::Merged))
    }

    fn welcome(&mut self, name: &str) {
        let is_free = role::is_name(name) && self.record.worker(name).is_none();
        if is_free && self.record.guests.len() < GUESTS_MAX {
            self.record.guests.push(Guest::new(name));
            self.record.decided(format!("{name} joined"));
        }
    }
}
