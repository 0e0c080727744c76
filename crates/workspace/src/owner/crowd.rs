//! How many ask at about the same time, learned from the last time that they did, so that one write can serve them all. Never makes
//! anybody wait who does not come with a crowd, and never for longer than a write takes.

use std::time::{Duration, Instant};

/// How many must have come too late for a write to be waited for the next time.
const LATE_MIN: usize = 8;
/// A crowd comes after a pause of at least this; who comes all the time is served as it comes.
const PAUSE: Duration = Duration::from_millis(5);
/// How long the first of a crowd wait for the last, from the beginning of their turn.
const WAIT_MAX: Duration = Duration::from_micros(1500);

/// What is known of those who ask together.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    size: usize,
    /// When the last turn ended that somebody had asked for.
    last: Option<Instant>,
}

impl Crowd {
    /// Until when, and for how many, a turn that began at `begun` waits.
    pub(super) fn awaited(&self, begun: Instant) -> Option<(usize, Instant)> {
        let is_after_pause = self.last.is_some_and(|last| begun.duration_since(last) >= PAUSE);
        (is_after_pause && self.size > 0).then_some((self.size, begun + WAIT_MAX))
    }

    /// A turn from `begun` to `ended` served so many; so many more had come when it ended.
    pub(super) fn saw(&mut self, served: usize, late: usize, begun: Instant, ended: Instant) {
        let awaited = self.awaited(begun);
        let is_after_pause = self.last.is_none_or(|last| begun.duration_since(last) >= PAUSE);
        self.last = Some(ended);
        if late >= LATE_MIN && is_after_pause {
            self.size = served + late;
        } else if awaited.is_some_and(|(size, _)| served < size) {
            self.size = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Crowd, WAIT_MAX};

    const TURN: Duration = Duration::from_millis(3);

    /// Whom the next turn waits for, after turns at these milliseconds that served so many and left so many.
    fn check(turns: &[(u64, usize, usize)], next: u64, expected: Option<usize>) {
        let start = Instant::now();
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        let mut crowd = Crowd::default();
        for &(begun, served, late) in turns {
            crowd.saw(served, late, at(begun), at(begun) + TURN);
        }
        let expected = expected.map(|size| (size, at(next) + WAIT_MAX));
        assert_eq!(crowd.awaited(at(next)), expected, "{turns:?}");
    }

    #[test]
    fn a_crowd_that_came_in_two_parts_is_waited_for_the_next_time() {
        check(&[(0, 19, 45), (3, 45, 0)], 50, Some(64));
        check(&[(0, 19, 45), (3, 45, 0), (50, 64, 0)], 100, Some(64));
    }

    #[test]
    fn a_crowd_that_does_not_come_is_waited_for_once() {
        check(&[(0, 19, 45), (3, 45, 0), (50, 1, 0)], 100, None);
    }

    #[test]
    fn nobody_waits_for_a_few_nor_among_those_who_come_all_the_time() {
        check(&[(0, 1, 3), (3, 3, 0)], 50, None);
        check(&[(0, 1, 0), (3, 20, 20), (6, 20, 20)], 9, None);
        check(&[(0, 19, 45), (3, 45, 0)], 7, None);
    }
}
