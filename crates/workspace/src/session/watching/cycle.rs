//! Whether a change is answered. Never decides by the clock: whose change it may be follows from when it was seen.

/// Who may have made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// It was saved while nobody answered: a person.
    Person,
    /// It came while an answer was on its way, so the agent itself may have made it.
    Anyone,
}

/// What to do about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Answer it.
    Answer,
    /// It is the one that was answered last.
    Converged,
    /// It was answered too often in a row.
    Spent,
}

/// What is remembered of one document.
#[derive(Debug, Default)]
pub(super) struct Cycle {
    count: u32,
    last: Option<u64>,
}

impl Cycle {
    /// Judges a change by its fingerprint.
    pub(super) fn judge(&mut self, change: u64, by: By, max: u32) -> Verdict {
        match by {
            By::Person => self.count = 0,
            By::Anyone if self.last == Some(change) => return Verdict::Converged,
            By::Anyone if self.count >= max => return Verdict::Spent,
            By::Anyone => self.count += 1,
        }
        self.last = Some(change);
        Verdict::Answer
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::{By, Cycle, Verdict};

    #[test]
    fn what_comes_back_is_answered_a_few_times_and_a_person_begins_anew() {
        let mut cycle = Cycle::default();
        assert_eq!(cycle.judge(0, By::Person, 3), Verdict::Answer);
        for change in 1..=3 {
            assert_eq!(cycle.judge(change, By::Anyone, 3), Verdict::Answer);
        }
        assert_eq!(cycle.judge(4, By::Anyone, 3), Verdict::Spent);
        assert_eq!(cycle.judge(4, By::Person, 3), Verdict::Answer);
        assert_eq!(cycle.judge(5, By::Anyone, 3), Verdict::Answer);
    }

    #[test]
    fn the_same_change_again_is_not_answered_again() {
        let mut cycle = Cycle::default();
        assert_eq!(cycle.judge(7, By::Person, 3), Verdict::Answer);
        assert_eq!(cycle.judge(7, By::Anyone, 3), Verdict::Converged);
        assert_eq!(cycle.judge(7, By::Person, 3), Verdict::Answer);
    }
}
