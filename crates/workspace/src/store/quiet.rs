//! Reading a file when nobody is writing it, with a bound on every wait. Never takes a file for empty or cut off because an
//! editor is in the middle of saving it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use document::text::decode_owned;

use super::disk::{Disk, Glimpse, Look};
use crate::keeper::KeeperError;

/// The first pause between two tries; each next one is twice as long, up to the last.
const PAUSE_FIRST: Duration = Duration::from_micros(100);
const PAUSE_LAST: Duration = Duration::from_millis(2);

/// How long to wait for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a program that has the file open for writing.
    pub busy: Duration,
    /// For a name that is missing: some editors move the old file aside before they write the new one.
    pub missing: Duration,
    /// How long a file must stand still where nobody can say whether it is being written.
    pub stable: Duration,
    /// How long an empty or cut-off file must stand there to be believed.
    pub truncated: Duration,
    /// When a displaced file is looked at again, for a program that opened it just before.
    pub second_look: Duration,
    /// When it is looked at for the last time.
    pub last_look: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            busy: Duration::from_secs(2),
            missing: Duration::from_millis(500),
            stable: Duration::from_millis(50),
            truncated: Duration::from_secs(2),
            second_look: Duration::from_millis(300),
            last_look: Duration::from_secs(10),
        }
    }
}

/// Pauses that grow.
pub(super) struct Pauses {
    next: Duration,
    until: Instant,
}

impl Pauses {
    pub(super) fn within(time: Duration) -> Pauses {
        Pauses { next: PAUSE_FIRST, until: Instant::now() + time }
    }

    /// Waits a little; false if the time is over.
    pub(super) fn pause(&mut self) -> bool {
        if Instant::now() >= self.until {
            return false;
        }
        sleep(self.next);
        self.next = (self.next * 2).min(PAUSE_LAST);
        true
    }
}

/// The text of an open file, read while nobody wrote it; none if it is `before`, which was last known to stand there.
pub(super) fn read<D: Disk>(
    disk: &D,
    file: &D::File,
    before: Option<&str>,
    patience: &Patience,
    limit: u64,
) -> Result<Option<String>, KeeperError> {
    if before.is_some_and(|before| !before.is_empty() && is_still(disk, file, before)) {
        return Ok(None);
    }
    let other = |bytes: Vec<u8>| {
        let is_same = before.is_some_and(|before| before.as_bytes() == bytes);
        if is_same { Ok(None) } else { Ok(Some(decode_owned(bytes)?)) }
    };
    let mut pauses = Pauses::within(patience.busy + patience.truncated);
    let mut busy = Pauses::within(patience.busy);
    let mut standing: Option<Standing> = None;
    let had_words = before.is_none_or(|before| !before.is_empty());
    let mut empty_since: Option<Instant> = None;
    loop {
        match disk.glimpse(file, limit)? {
            // A new file has its name a moment before its maker has it open for writing, and in that moment nothing says that
            // words will follow.
            Glimpse::Quiet(bytes) if bytes.is_empty() && had_words => {
                let since = *empty_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= patience.truncated {
                    return other(bytes);
                }
                if !pauses.pause() {
                    return Err(KeeperError::Busy);
                }
            }
            Glimpse::Quiet(bytes) => return other(bytes),
            Glimpse::TooLong(length) => return Err(KeeperError::TooLarge { length, limit }),
            Glimpse::Unsure(bytes, look) => {
                let stood = Standing::of(&mut standing, bytes, look);
                if stood.since.elapsed() >= stood.needed(before, patience) {
                    return other(std::mem::take(&mut stood.bytes));
                }
                if !pauses.pause() {
                    return Err(KeeperError::Busy);
                }
            }
            Glimpse::Busy => {
                (standing, empty_since) = (None, None);
                if !busy.pause() {
                    return Err(KeeperError::Busy);
                }
            }
        }
    }
}

/// Whether the file holds just this text, for certain, found out without a copy of it. An error is no answer: it comes again when
/// the file is read.
fn is_still<D: Disk>(disk: &D, file: &D::File, text: &str) -> bool {
    let mut left = text.as_bytes();
    let mut goes_on = |piece: &[u8]| {
        left.strip_prefix(piece).is_some_and(|after| {
            left = after;
            true
        })
    };
    disk.show(file, &mut goes_on).is_ok_and(|is_all| is_all && left.is_empty())
}

/// Content that has been the same since a moment.
struct Standing {
    bytes: Vec<u8>,
    look: Look,
    since: Instant,
}

impl Standing {
    fn of(standing: &mut Option<Standing>, bytes: Vec<u8>, look: Look) -> &mut Standing {
        let is_same = standing.as_ref().is_some_and(|stood| stood.look == look && stood.bytes == bytes);
        let kept = standing.take().filter(|_| is_same);
        standing.insert(kept.unwrap_or_else(|| Standing { bytes, look, since: Instant::now() }))
    }

    fn needed(&self, before: Option<&str>, patience: &Patience) -> Duration {
        let before = before.unwrap_or_default().as_bytes();
        let is_cut = self.bytes.len() < before.len() && before.starts_with(&self.bytes);
        if self.bytes.is_empty() || is_cut { patience.truncated } else { patience.stable }
    }
}
