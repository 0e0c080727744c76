//! One turn on a session document: read, compare, commit, ask, deliver, settle. Never two at a time on one document, in all processes
//! together, and never an answer that is not on the disk before it is in the file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use document::frontmatter::{Frontmatter, Settings};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::agent::{Agent, AgentError, Ask, Said};
use super::change::Change;
use super::compose::prompt;
use super::delivery::{Delivery, DeliveryError, Flushed, Order, Outcome, Upto, read};
use super::file::{NoSession, SessionFile, talk_of};
use super::layout::{Layout, LayoutError, Words};
use crate::SharedText;
use crate::git::{Branched, Committed, GitError, Repository, branch_name, subject};
use crate::hub::Hub;
use crate::lock::{LockError, TurnLock};
use crate::owner::Options;
use crate::reach::{Reach, ReachError};
use crate::recovery::{self, CompleteError};
use crate::sidecar::{DocumentPaths, Sidecar, SidecarError};
use crate::snapshot::Snapshot;

/// The longest answer, in bytes. An agent that says more is stopped, and what it said is kept.
const ANSWER_MAX: usize = 4 << 20;

/// How often an answer that is not shown yet is kept.
const KEPT_EVERY: Duration = Duration::from_secs(1);

/// How a turn is taken.
#[derive(Clone)]
pub struct Manner {
    /// The model that the person wants, whatever the document says.
    pub model: Option<String>,
    /// Whether the change is committed before it is answered.
    pub git: Git,
    /// Whether the answer is shown as it comes, and how often.
    pub pace: Pace,
    /// Where a streamed answer goes, if not where the document says.
    pub target: Option<String>,
    /// Who takes the turn, for those who find the document taken.
    pub by: &'static str,
    /// The time as it stands in the subject of a commit.
    pub stamp: String,
    /// A new name for the answer.
    pub id: String,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// What a turn does with git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Git {
    /// Nothing.
    Off,
    /// The change is committed on the branch that is checked out.
    Commit,
    /// The change is committed on a branch for the document.
    Branch,
}

/// When the answer is brought into the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// When it is whole.
    Whole,
    /// As it comes, every so many milliseconds, or as often as the document says.
    Streamed(Option<u64>),
}

/// What happens in a turn, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// Answers of earlier turns that were left waiting are in the document now.
    Recovered(usize),
    /// The change was committed, or needed not be.
    Committed(Committed),
    /// The commits go to another branch now, or cannot.
    Branched(String, Branched),
    /// The agent was asked.
    Asked,
    /// The agent says something.
    Said(Said),
    /// More of the answer is in the file.
    Flushed {
        /// Its revision.
        revision: u64,
        /// How many bytes of the answer were said by then.
        bytes: usize,
    },
    /// The place of the answer is gone or broken; nothing is written until it is there again. Told once for each time.
    NoPlace,
    /// The document cannot be written, for this reason; the answer waits, and is tried again. Told once for each reason.
    Stuck(String),
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// There was nothing to answer.
    Nothing,
    /// It was answered.
    Answered(Outcome),
}

/// Why a turn was not taken to its end.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The file is no session document.
    #[error(transparent)]
    NoSession(#[from] NoSession),
    /// Another one works on it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The state folder cannot be used.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// The document cannot be reached.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// What an earlier turn left waiting could not be brought home.
    #[error("what an earlier turn left waiting does not get into the document")]
    Recover(#[from] CompleteError),
    /// The answer would have no place.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The change could not be committed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The answer did not get into the document.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// There is no whole answer. What was said of it is in the document, or waits.
    #[error("{source}")]
    Agent {
        /// Why.
        source: AgentError,
        /// Bytes that wait for `recover`.
        waiting: usize,
    },
    /// The place of the answer is gone. It waits for `recover`.
    #[error("the place of the answer is not in the document any more")]
    Displaced,
    /// The answer is too long. What was said of it is in the document, or waits.
    #[error("the answer has more than {ANSWER_MAX} bytes; the agent was stopped")]
    TooLong,
}

/// What a turn would send, without sending it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The change.
    pub change: Change,
    /// The whole prompt.
    pub prompt: String,
}

/// How a turn gets at its document.
#[derive(Debug, Clone)]
pub enum Door {
    /// Through the project's daemon, or by opening the project.
    Root,
    /// Through the hub of this process.
    Hub(Hub),
}

impl Door {
    /// Opens it for as long as an answer takes, or only for a moment.
    async fn open(&self, file: &SessionFile, is_long: bool) -> Result<Reach, ReachError> {
        match self {
            Door::Hub(hub) => Ok(Reach::through(hub.clone())),
            Door::Root if is_long => Reach::open_for_long(&file.root, Options::default()).await,
            Door::Root => Reach::open(&file.root, Options::default()).await,
        }
    }
}

/// A turn that has begun: the document is locked.
struct Turn<'a> {
    file: &'a SessionFile,
    sidecar: Sidecar,
    /// Nothing while the agent is waited for and nothing is to be shown.
    reach: Option<Reach>,
    door: &'a Door,
    manner: &'a Manner,
    text: SharedText,
    settings: Settings,
    snapshot: Option<String>,
    change: Change,
    layout: Layout,
    /// What was told last of why nothing is written, if that is still so.
    stuck: Option<Told>,
    /// How many bytes of the answer were kept while nothing could be written.
    kept: usize,
    _lock: TurnLock,
}

/// What a turn on the document would send now. Takes no lock and writes nothing.
///
/// # Errors
///
/// [`TurnError`] if the document cannot be read or is none.
pub fn preview(file: &SessionFile, text: &str, manner: &Manner) -> Result<Preview, TurnError> {
    let settings = file.settings(text)?;
    let snapshot = snapshot_of(file, text)?;
    let change = Change::between(snapshot.as_deref(), text);
    let layout = layout(text, &settings, manner)?;
    let prompt = prompt(&file.path, &change, text, &layout);
    Ok(Preview { change, prompt })
}

/// The text up to which the document was answered, if it ever was.
///
/// # Errors
///
/// [`SidecarError`] if the state folder cannot be used.
pub fn snapshot_of(file: &SessionFile, text: &str) -> Result<Option<String>, SidecarError> {
    let Some(sidecar) = Sidecar::find(&file.root)? else { return Ok(None) };
    Snapshot::at(&file.paths(&sidecar, text)?.snapshot).get()
}

/// Takes a turn on the document: answers what the person changed, if they changed anything.
///
/// # Errors
///
/// [`TurnError`]; what was said by then is in the document, or waits for `recover`.
pub async fn take(
    file: &SessionFile,
    agent: &Arc<dyn Agent>,
    manner: &Manner,
    door: &Door,
    stop: &StreamController,
    tell: &mut (dyn FnMut(Told) + Send),
) -> Result<Taken, TurnError> {
    let mut turn = Turn::begin(file, manner, door, tell).await?;
    let taken = if turn.change.is_empty { Ok(Taken::Nothing) } else { turn.answer(agent, stop, tell).await };
    turn.let_go().await;
    taken
}

impl<'a> Turn<'a> {
    async fn begin(
        file: &'a SessionFile,
        manner: &'a Manner,
        door: &'a Door,
        tell: &mut (dyn FnMut(Told) + Send),
    ) -> Result<Turn<'a>, TurnError> {
        let sidecar = Sidecar::open(&file.root)?;
        // The lock comes before the document: one who has the turn may have it open for long.
        let paths = file.paths(&sidecar, &on_disk(file)?)?;
        let lock = TurnLock::take(&paths.lock, manner.by, manner.now)?;
        let mut reach = door.open(file, manner.pace != Pace::Whole).await?;
        let opened = opened(&mut reach, file, &paths, tell).await;
        let text = match opened {
            Ok(text) => text,
            Err(error) => {
                reach.close().await;
                return Err(error);
            }
        };
        let settings = file.settings(&text)?;
        let snapshot = Snapshot::at(&paths.snapshot).get()?;
        let change = Change::between(snapshot.as_deref(), &text);
        let layout = layout(&text, &settings, manner)?;
        Ok(Turn {
            file,
            sidecar,
            reach: Some(reach),
            door,
            manner,
            text,
            settings,
            snapshot,
            change,
            layout,
            stuck: None,
            kept: 0,
            _lock: lock,
        })
    }

    async fn answer(
        &mut self,
        agent: &Arc<dyn Agent>,
        stop: &StreamController,
        tell: &mut (dyn FnMut(Told) + Send),
    ) -> Result<Taken, TurnError> {
        self.commit(tell).await?;
        let paths = self.file.paths(&self.sidecar, &self.text)?;
        let order = Order {
            id: self.manner.id.clone(),
            author: agent.name().to_owned(),
            time: self.manner.now,
            layout: self.layout.clone(),
            write: self.settings.write(),
            path: self.file.path.clone(),
            baseline: self.text.to_string(),
            is_earlier: false,
        };
        let mut delivery = Delivery::begin(&paths, order)?;
        if self.manner.pace == Pace::Whole {
            self.let_go().await;
        }
        let ended = self.listen(agent, stop, &mut delivery, tell).await;
        self.close(delivery, ended, agent.name()).await
    }

    /// The way to the document, opened again if it was let go.
    async fn reach(&mut self) -> Result<&mut Reach, ReachError> {
        let reach = match self.reach.take() {
            Some(reach) => reach,
            None => self.door.open(self.file, false).await?,
        };
        Ok(self.reach.insert(reach))
    }

    /// Lets others at the document.
    async fn let_go(&mut self) {
        if let Some(reach) = self.reach.take() {
            reach.close().await;
        }
    }

    /// Commits the person's change, so that an editor shows the answer as what is new.
    async fn commit(&self, tell: &mut (dyn FnMut(Told) + Send)) -> Result<(), TurnError> {
        if self.manner.git == Git::Off {
            return Ok(());
        }
        let (whole, text) = (self.file.whole.clone(), self.text.clone());
        let (message, takes_branch) = (subject(&whole, &self.manner.stamp), self.manner.git == Git::Branch);
        let work = move || committed(&whole, &text, &message, takes_branch);
        let done = tokio::task::spawn_blocking(work).await;
        let done =
            done.unwrap_or_else(|_| Err(GitError::Io(std::io::Error::other("its thread ended early"))))?;
        for told in done {
            tell(told);
        }
        Ok(())
    }

    /// Hears the agent to its end, and brings what it says into the document as it comes, if that is the manner.
    async fn listen(
        &mut self,
        agent: &Arc<dyn Agent>,
        stop: &StreamController,
        delivery: &mut Delivery,
        tell: &mut (dyn FnMut(Told) + Send),
    ) -> Result<(), TurnError> {
        let ask = Ask {
            prompt: prompt(&self.file.path, &self.change, &self.text, &self.layout),
            talk: talk_of(&self.text, &self.settings, self.snapshot.is_some()),
            model: self.manner.model.clone().or_else(|| self.settings.model.clone()),
            folder: self.file.root.clone(),
        };
        let stop = stop.child();
        let (sender, mut heard) = mpsc::unbounded_channel();
        let mut answering = tokio::spawn(asked(Arc::clone(agent), ask, stop.clone(), sender));
        tell(Told::Asked);
        let mut ticks = self.ticks();
        let (mut last_break, mut ended) = (0, None);
        // Whoever waits for an answer wants to see that it begins; only what follows is gathered.
        let mut is_awaited = self.manner.pace != Pace::Whole;
        loop {
            tokio::select! {
                biased;
                said = heard.recv() => match said {
                    Some(said) => {
                        hear(delivery, &said, &mut last_break);
                        tell(Told::Said(said));
                        if delivery.said().len() > ANSWER_MAX {
                            stop.abort();
                            ended = Some(Err(TurnError::TooLong));
                        }
                        if is_awaited && heard.is_empty() && !delivery.said().trim().is_empty() {
                            is_awaited = false;
                            self.show(delivery, tell).await;
                            ticks.reset();
                        }
                    }
                    None => break,
                },
                _ = ticks.tick() => self.show(delivery, tell).await,
            }
        }
        let answered = (&mut answering).await.unwrap_or_else(|_| {
            let told = "it broke down; the log says more".to_owned();
            Err(AgentError::Failed { agent: agent.name().to_owned(), told })
        });
        if let Some(ended) = ended {
            return ended;
        }
        answered.map_err(|source| TurnError::Agent { source, waiting: 0 })
    }

    /// When what was said is looked after.
    fn ticks(&self) -> Interval {
        let pause = match self.manner.pace {
            Pace::Whole => KEPT_EVERY,
            Pace::Streamed(interval) => {
                Duration::from_millis(interval.unwrap_or(self.settings.stream.interval).clamp(10, 60_000))
            }
        };
        let mut ticks = tokio::time::interval_at(Instant::now() + pause, pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks
    }

    /// Brings more of the answer into the document, or at least onto the disk. What hinders it may be gone before the agent has said all,
    /// so this never ends the turn.
    async fn show(&mut self, delivery: &mut Delivery, tell: &mut (dyn FnMut(Told) + Send)) {
        let stuck = match self.shown(delivery).await {
            Ok(Flushed::Written) => {
                let revision = delivery.outcome().revision.unwrap_or_default();
                tell(Told::Flushed { revision, bytes: delivery.said().len() });
                None
            }
            Ok(Flushed::Nothing) => None,
            // What does not fit half may fit whole.
            Ok(Flushed::NoPlace) | Err(TurnError::Delivery(DeliveryError::Layout(_))) => Some(Told::NoPlace),
            Err(error) => Some(Told::Stuck(format!("{error:#}"))),
        };
        if let Some(told) = &stuck {
            self.keep(delivery);
            if self.stuck != stuck {
                tell(told.clone());
            }
        }
        self.stuck = stuck;
    }

    /// Has words that are not shown found by `recover`, even if nobody lives to the end of the turn.
    fn keep(&mut self, delivery: &mut Delivery) {
        if self.kept != delivery.said().len() && delivery.keep().is_ok() {
            self.kept = delivery.said().len();
        }
    }

    async fn shown(&mut self, delivery: &mut Delivery) -> Result<Flushed, TurnError> {
        if self.manner.pace == Pace::Whole {
            delivery.keep()?;
            return Ok(Flushed::Nothing);
        }
        Ok(delivery.flush(self.reach().await?, Upto::Steady).await?)
    }

    /// Brings the rest into the document, or keeps it.
    async fn close(
        &mut self,
        mut delivery: Delivery,
        ended: Result<(), TurnError>,
        agent: &str,
    ) -> Result<Taken, TurnError> {
        let has_words = !delivery.said().trim().is_empty();
        let ended = match ended {
            Ok(()) if !has_words => {
                let source = AgentError::Nothing { agent: agent.to_owned() };
                Err(TurnError::Agent { source, waiting: 0 })
            }
            ended => ended,
        };
        if !has_words && delivery.outcome().revision.is_none() {
            delivery.abandon()?;
            return ended.map(|()| Taken::Nothing);
        }
        match ended {
            Ok(()) => {
                delivery.complete();
                if delivery.flush(self.reach().await?, Upto::End).await? == Flushed::NoPlace {
                    return Err(TurnError::Displaced);
                }
                Ok(Taken::Answered(delivery.settle()?))
            }
            // What was shown of a streamed answer stays; the question is open again.
            Err(error) if matches!(self.manner.pace, Pace::Streamed(_)) => {
                match delivery.flush(self.reach().await?, Upto::End).await? {
                    Flushed::Written | Flushed::Nothing => drop(delivery.settle()?),
                    Flushed::NoPlace => return Err(TurnError::Displaced),
                }
                Err(error)
            }
            Err(error) => {
                delivery.keep()?;
                let waiting = delivery.said().len();
                Err(match error {
                    TurnError::Agent { source, .. } => TurnError::Agent { source, waiting },
                    other => other,
                })
            }
        }
    }
}

/// What the file holds, to find out where its files are.
fn on_disk(file: &SessionFile) -> Result<String, TurnError> {
    let text = std::fs::read(&file.whole).map_err(|error| DeliveryError::Refused {
        message: format!("{} cannot be read: {error}", file.path),
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The document's text, with what earlier turns left waiting.
async fn opened(
    reach: &mut Reach,
    file: &SessionFile,
    paths: &DocumentPaths,
    tell: &mut (dyn FnMut(Told) + Send),
) -> Result<SharedText, TurnError> {
    let (mut text, _) = read(reach, &file.path).await?;
    file.settings(&text)?;
    let recovered = recovery::complete_locked(reach, file.path.as_ref(), paths).await?;
    if !recovered.is_empty() {
        tell(Told::Recovered(recovered.len()));
        (text, _) = read(reach, &file.path).await?;
    }
    Ok(text)
}

/// The agent's answer, told over a channel so that a slow disk does not hold up the agent.
async fn asked(
    agent: Arc<dyn Agent>,
    ask: Ask,
    stop: StreamController,
    sender: mpsc::UnboundedSender<Said>,
) -> Result<(), AgentError> {
    let mut tell = move |said| {
        // When nobody listens any more, the turn is over.
        drop(sender.send(said));
    };
    agent.answer(ask, stop, &mut tell).await
}

fn hear(delivery: &mut Delivery, said: &Said, last_break: &mut usize) {
    match said {
        Said::Text(text) => delivery.say(text),
        Said::Thinking(text) => delivery.think(text),
        Said::Talk(name) => delivery.talk(name),
        Said::Break => {
            let said = delivery.said();
            if !said.trim().is_empty() {
                let gap = if said.ends_with("\n\n") {
                    ""
                } else if said.ends_with('\n') {
                    "\n"
                } else {
                    "\n\n"
                };
                delivery.say(gap);
            }
            *last_break = delivery.said().len();
        }
        Said::Void => delivery.take_back(*last_break),
        Said::Doing(_) | Said::Tokens(_) => {}
    }
}

fn layout(text: &str, settings: &Settings, manner: &Manner) -> Result<Layout, LayoutError> {
    match manner.pace {
        Pace::Streamed(_) => Layout::streaming(text, settings, manner.target.as_deref()),
        Pace::Whole if settings.is_stream() => Layout::streaming(text, settings, manner.target.as_deref()),
        Pace::Whole => {
            let layout = Layout::of(settings);
            // What has no place is better known before anybody is asked.
            layout.lay(text, &Words { text: "?".to_owned(), ..Words::default() })?;
            Ok(layout)
        }
    }
}

/// Puts the document, as it is now, on top of its branch.
fn committed(whole: &Path, text: &str, message: &str, takes_branch: bool) -> Result<Vec<Told>, GitError> {
    let Some(repository) = Repository::of(whole)? else { return Ok(Vec::new()) };
    let mut told = Vec::new();
    if takes_branch {
        let name = branch_name(whole);
        let branched = repository.take_branch(&name)?;
        told.push(Told::Branched(name, branched));
    }
    told.push(Told::Committed(repository.commit(text, message)?));
    Ok(told)
}

/// Whether a file that reads so is a session document, to be watched.
#[must_use]
pub fn is_session(text: &str) -> bool {
    let settings = Frontmatter::parse(text).settings;
    settings.session != document::frontmatter::Session::Absent
        || settings.mode.is_some()
        || settings.agent.is_some()
}
