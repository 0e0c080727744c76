//! The task that owns one document: hears, does, writes once, answers. Never touches the document on both sides of an await.

use std::time::Duration;

use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};

use super::answer::Outcome;
use super::desk::Desk;
use super::late::Late;
use super::{Message, Snapshot};
use crate::event::DocumentChanged;

/// How many messages one turn takes from each mailbox.
const BATCH_MAX: usize = 1024;
/// How long words of an answer are gathered before peers see them.
const SHOW: Duration = Duration::from_millis(33);
/// How often the owner gives way to those who were just answered.
const WAYS_MAX: usize = 64;
/// After how many of them without a new caller the owner begins.
const QUIET_WAYS: usize = 3;
/// How long the owner waits before it tries a failed write again on its own.
const RETRY: Duration = Duration::from_secs(1);
/// How long after its work the owner has the disk looked after, when all callers have their answers.
const TEND: Duration = Duration::from_millis(400);

/// The owner of one document. Its [`run`](Self::run) belongs into the task set of whoever opened it.
pub struct DocumentActor {
    pub(super) desk: Desk,
    /// What people ask for comes first, so that no flood of agents makes them wait.
    pub(super) people: mpsc::Receiver<Message>,
    pub(super) agents: mpsc::Receiver<Message>,
    pub(super) snapshot: watch::Sender<Snapshot>,
    pub(super) events: broadcast::Sender<DocumentChanged>,
}

/// When the owner wakes without being called.
#[derive(Debug, Default)]
struct Alarm {
    said: Option<Instant>,
    shown: Option<Instant>,
    retry: Option<Instant>,
    tend: Option<Instant>,
}

impl Alarm {
    fn next(&self) -> Option<Instant> {
        [self.shown, self.write()].into_iter().flatten().min()
    }

    /// When the disk is wanted, not only the peers' eyes.
    fn write(&self) -> Option<Instant> {
        [self.said, self.retry, self.tend].into_iter().flatten().min()
    }
}

impl DocumentActor {
    /// Works until all handles are gone or the owner is told to stop, and has written everything by then, if the disk allows.
    pub async fn run(mut self) {
        let mut batch = Vec::new();
        // What was noted before a crash, or lay beside the file, may not be in it yet.
        let mut alarm = Alarm { retry: self.desk.is_dirty().then(Instant::now), ..Alarm::default() };
        let mut last_flush: Option<Instant> = None;
        loop {
            let is_open = self.hear(&mut batch, alarm.next()).await;
            let now = Instant::now();
            let (words, asked): (Vec<Message>, Vec<Message>) = batch.drain(..).partition(Message::is_words);
            let earliest = last_flush.map_or(now, |last| last + self.desk.options.interval).max(now);
            for message in words {
                match message {
                    Message::Say { stream, text } => {
                        self.desk.say(stream, &text);
                        alarm.said.get_or_insert(earliest);
                        if !self.desk.peers.is_empty() {
                            alarm.shown.get_or_insert(now + SHOW);
                        }
                    }
                    Message::Peer(message) => {
                        let is_text = self.desk.hear(message);
                        alarm.said = alarm.said.or(is_text.then_some(earliest));
                    }
                    _ => {}
                }
            }
            if alarm.shown.take_if(|due| *due <= now).is_some() && self.desk.trouble.is_none() {
                self.desk.advance_streams();
            }
            self.desk.tell_peers();
            if asked.iter().any(|message| matches!(message, Message::Stop)) {
                self.people.close();
                self.agents.close();
            }
            let is_due = alarm.write().is_some_and(|due| due <= now);
            if asked.is_empty() && !is_due && is_open {
                continue;
            }
            let mut late = Late::new(self.agents);
            let turn = aside(self.desk, move |desk| {
                let outcome = desk.turn(asked, &mut late);
                (outcome, late)
            });
            // A turn that panicked takes the document with it: what was acknowledged is in the file, callers hear that
            // the owner is gone, and whoever opened it opens it again.
            let Ok((desk, (outcome, late))) = turn.await else { return };
            let (agents, left) = late.into_parts();
            (self.desk, self.agents) = (desk, agents);
            batch.extend(left);
            last_flush = Some(Instant::now());
            (alarm.said, alarm.shown) = (None, None);
            alarm.retry = outcome.needs_retry.then(|| Instant::now() + RETRY);
            self.tell(outcome).await;
            let is_done = batch.is_empty() && alarm.retry.is_none();
            if !is_open || (is_done && !self.can_be_called()) {
                return;
            }
            self.give_way().await;
            if batch.is_empty() && self.people.is_empty() && self.agents.is_empty() {
                let Ok((desk, ())) = aside(self.desk, Desk::rest).await else { return };
                self.desk = desk;
            }
            let tending = *alarm.tend.get_or_insert(now + TEND);
            if tending <= now {
                let Ok((desk, after)) = aside(self.desk, Desk::tend).await else { return };
                self.desk = desk;
                alarm.tend = after.map(|after| Instant::now() + after);
            }
        }
    }

    /// Lets those who were just answered ask again, as long as more of them do. Else there would be two groups that wait for each
    /// other's writes, and twice as many writes.
    async fn give_way(&mut self) {
        let mut waiting = 0;
        for _ in 0..WAYS_MAX {
            tokio::task::yield_now().await;
            let now = self.people.len() + self.agents.len();
            if now == waiting {
                return;
            }
            waiting = now;
        }
    }

    /// Whether a call waits or may still come. If not, what is saved from now on is taken in by the next owner.
    fn can_be_called(&self) -> bool {
        can_come(&self.people) || can_come(&self.agents)
    }

    /// Waits for messages or the alarm. Whether anybody can still call.
    async fn hear(&mut self, batch: &mut Vec<Message>, alarm: Option<Instant>) -> bool {
        let (from_people, from_agents) = (can_come(&self.people), can_come(&self.agents));
        if !from_people && !from_agents && batch.is_empty() {
            return false;
        }
        let wake = alarm.unwrap_or_else(Instant::now);
        let first = tokio::select! {
            biased;
            // What the last turn left waits no more.
            () = std::future::ready(()), if !batch.is_empty() => None,
            message = self.people.recv(), if from_people => message,
            message = self.agents.recv(), if from_agents => message,
            () = sleep_until(wake), if alarm.is_some() => None,
        };
        batch.extend(first);
        drain(&mut self.people, batch);
        drain(&mut self.agents, batch);
        // Who asks at the same moment shares the write, instead of waiting for one that holds the first caller's words alone.
        let mut quiet = 0;
        for _ in 0..WAYS_MAX {
            tokio::task::yield_now().await;
            let before = batch.len();
            drain(&mut self.people, batch);
            drain(&mut self.agents, batch);
            quiet = if batch.len() == before { quiet + 1 } else { 0 };
            if quiet >= QUIET_WAYS || batch.len() >= BATCH_MAX {
                break;
            }
        }
        true
    }

    async fn tell(&mut self, outcome: Outcome) {
        let (text, revision) = (self.desk.shared_text(), self.desk.revision);
        self.snapshot.send_if_modified(|snapshot| {
            let is_new = snapshot.revision != revision || snapshot.text != text;
            if is_new {
                *snapshot = Snapshot { text, revision };
            }
            is_new
        });
        // Whoever is woken first goes first. Few callers may look for the event of what they did.
        let Outcome { events, answers, tells_peers_later: is_crowd, .. } = outcome;
        let (before, after) = if is_crowd { (Vec::new(), events) } else { (events, Vec::new()) };
        self.announce(before);
        for answer in answers {
            answer.send();
        }
        self.announce(after);
        if is_crowd {
            // Those who were answered go first.
            tokio::task::yield_now().await;
            self.desk.tell_peers();
            self.desk.tell_peers_what_is_saved();
        }
    }

    fn announce(&self, events: Vec<DocumentChanged>) {
        for event in events {
            // Nobody may be listening.
            drop(self.events.send(event));
        }
    }
}

/// Does work at the desk where it may block.
async fn aside<T: Send + 'static>(
    mut desk: Desk,
    work: impl FnOnce(&mut Desk) -> T + Send + 'static,
) -> Result<(Desk, T), JoinError> {
    let waits = desk.options.waits;
    let work = move || {
        let done = work(&mut desk);
        (desk, done)
    };
    waits.during(work).await
}

/// Whether a message is in the mailbox, or may still come there.
fn can_come(mailbox: &mpsc::Receiver<Message>) -> bool {
    !(mailbox.is_closed() && mailbox.is_empty())
}

/// Takes what waits in a mailbox, without waiting.
fn drain(mailbox: &mut mpsc::Receiver<Message>, batch: &mut Vec<Message>) {
    for _ in 0..BATCH_MAX {
        match mailbox.try_recv() {
            Ok(message) => batch.push(message),
            Err(_) => return,
        }
    }
}
