//! The task behind one watched document: waits for a save, waits until the person has finished their sentence, and has it answered.
//! Never reads the clock to tell an agent's change from a person's.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use document::truncation::Completeness;
use tokio::sync::{Notify, Semaphore, mpsc};

use super::cycle::{By, Cycle, Verdict};
use super::status::{Board, State};
use super::{Event, Options, Watching};
use crate::SharedText;
use crate::hub::Hub;
use crate::session::change::Change;
use crate::session::delivery::read;
use crate::session::file::SessionFile;
use crate::session::turn::{self, Door, Pace, Taken, Told, TurnError, is_session, snapshot_of};

/// How often an unfinished sentence is looked at again, at most.
const RECHECKS_MAX: usize = 25;
/// How long to wait for a turn of another process before it is tried again.
const TAKEN: Duration = Duration::from_millis(500);

pub(super) struct Keeper {
    file: SessionFile,
    hub: Hub,
    options: Options,
    stop: StreamController,
    turns: Arc<Semaphore>,
    board: Board,
    events: mpsc::Sender<Event>,
    cycle: Cycle,
    /// The fingerprint of the text that is dealt with.
    seen: Option<u64>,
    /// The fingerprint of what the last answer left in the file.
    left: Option<u64>,
    answered: u64,
}

/// What the document reads now, and what of it is to be answered.
struct Look {
    text: SharedText,
    change: Change,
}

impl Keeper {
    /// `text` is what the file holds, if nobody has to look at it yet.
    pub(super) fn new(watching: &Watching, file: SessionFile, text: Option<&str>) -> Keeper {
        Keeper {
            file,
            hub: watching.hub.clone(),
            options: watching.options.clone(),
            stop: watching.stop.clone(),
            turns: Arc::clone(&watching.turns),
            board: watching.board.clone(),
            events: watching.events.clone(),
            cycle: Cycle::default(),
            seen: text.map(fingerprint),
            left: None,
            answered: 0,
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.file.path
    }

    /// Says something, if anybody has time to listen.
    pub(super) fn tell(&self, event: Event) {
        drop(self.events.try_send(event));
    }

    pub(super) async fn run(mut self, saved: Arc<Notify>) {
        let stop = self.stop.clone();
        let mut stopped = std::pin::pin!(stop.subscribe());
        loop {
            tokio::select! {
                biased;
                () = &mut stopped => return,
                () = saved.notified() => self.saved().await,
            }
        }
    }

    /// Somebody saved the file, or we did.
    async fn saved(&mut self) {
        while !self.stop.is_aborted() {
            let look = match self.look().await {
                Ok(Some(look)) => look,
                Ok(None) => return,
                Err(words) => return self.refuse(words),
            };
            let mark = fingerprint(&look.text);
            if self.seen == Some(mark) {
                // Somebody began to write, and took it back.
                return self.state(State::Idle);
            }
            self.seen = Some(mark);
            if look.change.is_empty {
                return self.state(State::Idle);
            }
            // What was there when the answer ended may be of the agent itself; what came later is not.
            let by = if self.left == Some(mark) { By::Anyone } else { By::Person };
            match self.cycle.judge(fingerprint(&look.change.diff), by, self.options.max_cycles) {
                Verdict::Answer => {}
                Verdict::Converged => {
                    return self.skip("converged: the change is the one that was answered last");
                }
                Verdict::Spent => {
                    return self
                        .skip("it was answered as often in a row as --max-cycles allows; save it to go on");
                }
            }
            if !self.answer(&look.text).await {
                return;
            }
        }
    }

    /// The document and its change, once the person has finished their sentence. None if it is no session document any more, or if it
    /// is as it was: then it was our own write that was heard, and what is known of the last turn stays as it is.
    async fn look(&self) -> Result<Option<Look>, String> {
        let mut last: Option<SharedText> = None;
        for _ in 0..=RECHECKS_MAX {
            let mut reach = crate::reach::Reach::through(self.hub.clone());
            let (text, _) = read(&mut reach, &self.file.path).await.map_err(|error| error.to_string())?;
            let is_as_it_was = last.is_none() && self.seen == Some(fingerprint(&text));
            if is_as_it_was || !is_session(&text) {
                return Ok(None);
            }
            let snapshot = snapshot_of(&self.file, &text).map_err(|error| error.to_string())?;
            let change = Change::between(snapshot.as_deref(), &text);
            let is_done = match change.completeness() {
                Completeness::Complete => true,
                Completeness::NeedsStableRead | Completeness::Truncated => last.as_deref() == Some(&text),
            };
            if is_done {
                return Ok(Some(Look { text, change }));
            }
            self.state(State::Waiting);
            last = Some(text);
            tokio::time::sleep(self.options.recheck).await;
        }
        let snapshot = snapshot_of(&self.file, last.as_deref().unwrap_or_default());
        let snapshot = snapshot.map_err(|error| error.to_string())?;
        Ok(last.map(|text| Look { change: Change::between(snapshot.as_deref(), &text), text }))
    }

    /// Has the change answered. Whether it is worth looking again.
    async fn answer(&mut self, text: &str) -> bool {
        let settings = match self.file.settings(text) {
            Ok(settings) => settings,
            Err(error) => {
                self.refuse(error.to_string());
                return false;
            }
        };
        let agent = match (self.options.agent)(&self.file, &settings) {
            Ok(agent) => agent,
            Err(words) => {
                self.refuse(words);
                return false;
            }
        };
        let pace = if settings.is_stream() { Pace::Streamed(None) } else { Pace::Whole };
        let Ok(_permit) = Arc::clone(&self.turns).acquire_owned().await else { return false };
        self.state(State::Running);
        self.tell(Event::Begun(self.file.path.clone()));
        let manner = (self.options.manner)(pace);
        let (events, path) = (self.events.clone(), self.file.path.clone());
        let mut tell = move |told: Told| drop(events.try_send(Event::Told(path.clone(), told)));
        let door = Door::Hub(self.hub.clone());
        let taken = turn::take(&self.file, &agent, &manner, &door, &self.stop, &mut tell).await;
        self.ended(taken).await
    }

    async fn ended(&mut self, taken: Result<Taken, TurnError>) -> bool {
        let goes_on = match &taken {
            Ok(Taken::Answered(delivered)) => {
                self.left = delivered.left.as_deref().map(fingerprint);
                self.answered += 1;
                self.state(State::Idle);
                true
            }
            Ok(Taken::Nothing) => {
                self.state(State::Idle);
                false
            }
            Err(TurnError::Lock(_)) => {
                // Another process answers it. When it is done, there is probably nothing left to do.
                self.state(State::Waiting);
                self.seen = None;
                tokio::time::sleep(TAKEN).await;
                return true;
            }
            Err(error) => {
                // What a failed answer left in the file is not a save of a person.
                self.state(State::Failed(error.to_string()));
                let mut reach = crate::reach::Reach::through(self.hub.clone());
                if let Ok((text, _)) = read(&mut reach, &self.file.path).await {
                    self.seen = Some(fingerprint(&text));
                }
                false
            }
        };
        self.tell(Event::Ended(self.file.path.clone(), taken));
        goes_on
    }

    fn skip(&self, why: &'static str) {
        self.state(State::Skipped(why.to_owned()));
        self.tell(Event::Skipped(self.file.path.clone(), why));
    }

    fn refuse(&self, words: String) {
        self.state(State::Failed(words.clone()));
        self.tell(Event::Refused(self.file.path.clone(), words));
    }

    fn state(&self, state: State) {
        self.board.set(&self.file.path, state, self.cycle.count(), self.answered);
    }
}

/// A short name for a text in this process.
fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
