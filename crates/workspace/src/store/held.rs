//! Displaced files, kept open for a while: a program that found the file just before it was displaced may still write there.
//! Never lets go of one that somebody is writing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use document::text::decode;

use super::disk::{Disk, Glimpse};
use super::file::{Remark, StoredFile};
use super::name::sum;
use super::quiet::Patience;
use crate::SharedText;
use crate::checksum::{LongSum, long_sum64};
use crate::keeper::KeeperError;

/// How many are kept; more than ten seconds of five writes each.
const HELD_MAX: usize = 64;
/// How many more there may be until the next time when nobody waits.
const OVER_MAX: usize = 8;
/// How many bytes they may have together, since the disk cannot use that room meanwhile.
const HELD_BYTES_MAX: usize = 64 << 20;

/// One displaced file.
pub(super) struct Held<F> {
    /// Its name, as long as a crash must not lose it.
    path: Option<PathBuf>,
    file: F,
    /// The sum of what was read there, if it was.
    seen: Option<u64>,
    /// How many bytes it had when it was read.
    bytes: usize,
    since: Instant,
    looks: u8,
}

impl<F> Held<F> {
    pub(super) fn unread(path: PathBuf, file: F) -> Held<F> {
        Held { path: Some(path), file, seen: None, bytes: 0, since: Instant::now(), looks: 0 }
    }

    /// The caller was handed what it holds; it keeps its name until that is in the file.
    pub(super) fn named(path: PathBuf, file: F, text: &str) -> Held<F> {
        Held { seen: Some(sum(text)), bytes: text.len(), ..Held::unread(path, file) }
    }

    /// The caller knew what it holds.
    pub(super) fn nameless(file: F, text: &SharedText) -> Held<F> {
        let seen = Some(text.sum().value());
        Held { path: None, file, seen, bytes: text.len(), since: Instant::now(), looks: 0 }
    }
}

impl<D: Disk> StoredFile<D> {
    /// Looks at displaced files again and gives what was written there late. Called when there is nothing else to do; [`read`] gives
    /// the same texts one by one.
    ///
    /// [`read`]: crate::keeper::Keeper::read
    pub fn look_again(&mut self) -> Vec<String> {
        self.read_held();
        std::mem::take(&mut self.late)
    }

    /// Lets go of displaced files before their time, since they take room on a full disk. Never of one that is being written, or that
    /// was written late. Whether there were any.
    pub fn make_room(&mut self) -> bool {
        let before = self.held.len();
        for mut held in std::mem::take(&mut self.held) {
            if held.path.is_some() || self.peek(&mut held) != Peek::Still {
                self.held.push(held);
            }
        }
        self.held.len() < before
    }

    pub(super) fn hold(&mut self, held: Held<D::File>) {
        self.held.push(held);
        self.shed(OVER_MAX);
    }

    /// Lets go of the oldest when there are too many, by more than `over`. Each is looked at for the last time, so whoever waits for a
    /// write need not wait for that.
    pub(super) fn shed(&mut self, over: usize) {
        while self.held.len() > HELD_MAX + over
            || self.held.iter().map(|held| held.bytes).sum::<usize>() > HELD_BYTES_MAX
        {
            let mut oldest = self.held.remove(0);
            if self.peek(&mut oldest) == Peek::Busy || oldest.path.is_some() {
                self.held.insert(0, oldest);
                break;
            }
        }
    }

    /// What was handed out before the last write is in the file now.
    pub(super) fn let_go_of_absorbed(&mut self) {
        for held in &mut self.held {
            if held.seen.is_some()
                && let Some(path) = held.path.take()
            {
                drop(self.disk.remove(&path));
            }
        }
    }

    pub(super) fn read_held(&mut self) {
        self.shed(0);
        let patience = self.options.patience;
        for path in std::mem::take(&mut self.unopened) {
            match self.disk.open(&path) {
                Ok(file) => self.held.push(Held::unread(path, file)),
                Err(_) => self.unopened.push(path),
            }
        }
        for mut held in std::mem::take(&mut self.held) {
            let age = held.since.elapsed();
            if !is_due(&held, age, patience.second_look, patience.last_look) {
                self.held.push(held);
                continue;
            }
            let peek = self.peek(&mut held);
            let is_over = peek == Peek::Still && age >= patience.last_look && held.path.is_none();
            if !is_over && peek != Peek::NoText {
                self.held.push(held);
            }
        }
    }

    /// After which time a displaced file should be looked at again, if any should.
    pub(super) fn next_look(&self) -> Option<Duration> {
        let Patience { second_look, last_look, .. } = self.options.patience;
        if !self.late.is_empty() {
            return Some(Duration::ZERO);
        }
        let next = |held: &Held<D::File>| {
            let due = if held.seen.is_none() || held.looks == 0 { second_look } else { last_look };
            let age = held.since.elapsed();
            // One that keeps its name waits for the next write, which nobody needs to be woken for.
            (held.path.is_none() || held.seen.is_none() || age < last_look).then(|| due.saturating_sub(age))
        };
        // Somebody may be writing one right now; that is asked for again, but not without pause.
        self.held.iter().filter_map(next).min().map(|next| next.max(second_look))
    }

    fn peek(&mut self, held: &mut Held<D::File>) -> Peek {
        let Some(seen) = held.seen else { return self.first_look(held) };
        let mut sum = LongSum::default();
        let mut add = |piece: &[u8]| {
            sum.add(piece);
            true
        };
        if self.disk.show(&held.file, &mut add).is_ok_and(|is_all| is_all && sum.value() == seen) {
            held.looks = held.looks.saturating_add(1);
            return Peek::Still;
        }
        let glimpse = self.disk.glimpse(&held.file, self.options.limit);
        let Ok(Glimpse::Quiet(bytes) | Glimpse::Unsure(bytes, _)) = glimpse else { return Peek::Busy };
        if long_sum64(&bytes) == seen {
            held.looks = held.looks.saturating_add(1);
            return Peek::Still;
        }
        match decode(&bytes) {
            Ok(text) => self.written_late(held, text.to_owned()),
            Err(_) => self.unreadable(held),
        }
    }

    fn first_look(&mut self, held: &mut Held<D::File>) -> Peek {
        match self.text_of(&held.file) {
            Ok(text) => self.written_late(held, text),
            Err(KeeperError::NotText(_) | KeeperError::TooLarge { .. }) => self.unreadable(held),
            Err(_) => Peek::Busy,
        }
    }

    fn written_late(&mut self, held: &mut Held<D::File>, text: String) -> Peek {
        held.looks = held.looks.saturating_add(1);
        held.seen = Some(sum(&text));
        self.late.push(text);
        Peek::Written
    }

    fn unreadable(&mut self, held: &Held<D::File>) -> Peek {
        self.remarks.extend(held.path.clone().map(Remark::Unreadable));
        Peek::NoText
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peek {
    Still,
    Written,
    Busy,
    NoText,
}

fn is_due<F>(held: &Held<F>, age: Duration, second: Duration, last: Duration) -> bool {
    held.seen.is_none() || (held.looks == 0 && age >= second) || age >= last
}
