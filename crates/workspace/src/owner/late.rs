//! Appends that come while a turn is under way and go into its write, instead of waiting for one of their own. Never takes anything
//! else, because only a turn that begins later has read the file after it came; and never lets one pass another.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::Message;
use super::answer::Outcome;
use super::append::Groups;
use super::desk::Desk;
use crate::command::FileCommand;

/// How often a turn looks for them before it writes.
const ROUNDS_MAX: usize = 4;
/// How many it takes each time.
const TAKEN_MAX: usize = 1024;
/// How often it looks whether a crowd is complete.
const LOOK: Duration = Duration::from_micros(50);

/// The mailbox of agents while a turn is under way.
pub(super) struct Late {
    mailbox: mpsc::Receiver<Message>,
    /// What was taken out and belongs to the next turn, in its order.
    left: Vec<Message>,
    /// When the turn began.
    begun: Instant,
}

impl Late {
    pub(super) fn new(mailbox: mpsc::Receiver<Message>) -> Self {
        Self { mailbox, left: Vec::new(), begun: Instant::now() }
    }

    /// The mailbox, and what was taken out of it for the next turn to begin with.
    pub(super) fn into_parts(self) -> (mpsc::Receiver<Message>, Vec<Message>) {
        (self.mailbox, self.left)
    }

    /// The appends that have come, up to the first message that is none.
    fn appends(&mut self) -> Groups {
        let mut groups = Groups::default();
        if !self.left.is_empty() {
            return groups;
        }
        for _ in 0..TAKEN_MAX {
            match self.mailbox.try_recv() {
                Ok(Message::Execute { request, reply })
                    if matches!(request.command, FileCommand::AppendSection { .. }) =>
                {
                    let given_back = groups.take(request, reply);
                    self.left.extend(given_back.map(|(request, reply)| Message::Execute { request, reply }));
                }
                Ok(other) => {
                    self.left.push(other);
                    break;
                }
                Err(_) => break,
            }
        }
        groups
    }
}

impl Desk {
    /// Does the appends that came since the turn began, as far as they are plain. Anything else may be about words that somebody saved
    /// since the file was read.
    pub(super) fn take_late(&mut self, late: &mut Late, outcome: &mut Outcome) {
        if let Some((size, until)) = self.crowd.awaited(late.begun).filter(|_| !outcome.answers.is_empty()) {
            while outcome.answers.len() + late.mailbox.len() < size && Instant::now() < until {
                std::thread::sleep(LOOK);
            }
        }
        for _ in 0..ROUNDS_MAX {
            let groups = late.appends();
            if groups.is_empty() {
                return;
            }
            let left = self.append_plain(groups, outcome);
            let left = left.into_iter().map(|(request, reply)| Message::Execute { request, reply });
            late.left.splice(0..0, left);
        }
    }

    /// Keeps in mind how many came together.
    pub(super) fn count_crowd(&mut self, late: &Late, outcome: &Outcome) {
        if !outcome.answers.is_empty() {
            let waiting = late.left.len() + late.mailbox.len();
            self.crowd.saw(outcome.answers.len(), waiting, late.begun, Instant::now());
        }
    }
}
