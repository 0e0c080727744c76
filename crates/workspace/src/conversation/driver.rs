//! Does what a turn wants done, and tells it how that went. Never decides anything, and never leaves a task behind: all of
//! them end with the turn.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::pin;
use std::sync::Arc;

use agent::StreamController;
use agent::model::{ModelError, ModelStream, Request};
use agent::permission::Permit;
use agent::tool::{Output, RunScope};
use agent::turn::{CallKey, Effect, Ended, Event, StreamId, Turn};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinSet};

use super::transcript::{Closing, Entry};
use super::{ConversationError, Ports, RemoteEnd, Transcript, TranscriptError, TurnEvent};

/// Events of tasks that wait for the turn, at most. A model that talks faster than we can keep up with waits.
const EVENTS_MAX: usize = 256;

/// Drives one turn.
pub(super) struct Driver {
    ports: Ports,
    /// Nothing while it is being written.
    transcript: Option<Transcript>,
    stop: StreamController,
    tools: StreamController,
    tasks: JoinSet<()>,
    streams: HashMap<StreamId, AbortHandle>,
    calls: HashMap<Id, CallKey>,
    heard: mpsc::Sender<Heard>,
    hears: mpsc::Receiver<Heard>,
}

/// What a task has to say.
enum Heard {
    /// To the turn.
    Event(Event),
    /// To whoever watches.
    Told(TurnEvent),
}

impl Driver {
    pub(super) fn new(ports: Ports, transcript: Transcript, stop: StreamController) -> Driver {
        let (heard, hears) = mpsc::channel(EVENTS_MAX);
        Driver {
            ports,
            transcript: Some(transcript),
            tools: stop.child(),
            stop,
            tasks: JoinSet::new(),
            streams: HashMap::new(),
            calls: HashMap::new(),
            heard,
            hears,
        }
    }

    pub(super) async fn run(
        mut self,
        mut turn: Turn,
        first: Event,
        remote: &mut RemoteEnd,
        tell: &mut (dyn FnMut(TurnEvent) + Send),
    ) -> Result<(Turn, Transcript, Ended), ConversationError> {
        let stop = self.stop.clone();
        let mut stopped = pin!(stop.subscribe());
        let mut is_stopped = false;
        let mut event = Some(first);
        loop {
            for effect in event.take().map(|event| turn.step(event)).unwrap_or_default() {
                if let Some(ended) = self.act(effect, tell).await? {
                    let transcript = self.transcript.take().ok_or(TranscriptError::Closed)?;
                    return Ok((turn, transcript, ended));
                }
            }
            // A stop comes before all else, then what a person says: a busy model must not drown them.
            event = tokio::select! {
                biased;
                () = &mut stopped, if !is_stopped => {
                    is_stopped = true;
                    Some(Event::Aborted)
                }
                Some(said) = remote.receiver.recv() => Some(said),
                Some(joined) = self.tasks.join_next_with_id() => self.lost(joined),
                Some(heard) = self.hears.recv() => match heard {
                    Heard::Event(event) => {
                        told_of(&event, tell);
                        Some(event)
                    }
                    Heard::Told(told) => {
                        tell(told);
                        None
                    }
                },
            };
        }
    }

    /// Does one thing. The end of the turn is given back.
    async fn act(
        &mut self,
        effect: Effect,
        tell: &mut (dyn FnMut(TurnEvent) + Send),
    ) -> Result<Option<Ended>, ConversationError> {
        match effect {
            Effect::Commit(record) => {
                self.write(Entry::Record(record.clone())).await?;
                tell(TurnEvent::Committed(record));
            }
            Effect::Ask { stream, request, .. } => self.ask(stream, *request),
            Effect::StopStream(stream) => {
                if let Some(task) = self.streams.remove(&stream) {
                    task.abort();
                }
            }
            Effect::Show(event) => tell(TurnEvent::Model(event)),
            Effect::Supersede => tell(TurnEvent::Superseded),
            Effect::Inspect { key, call } => self.inspect(key, call),
            Effect::Pose { id, question } => tell(TurnEvent::Asked { id, question }),
            Effect::Close(id) => tell(TurnEvent::Settled(id)),
            Effect::Run { key, permit } => {
                tell(TurnEvent::ToolStarted { key, call: permit.call().clone() });
                self.run_tool(key, *permit);
            }
            Effect::StopTools => self.tools.abort(),
            Effect::SetTimer { timer, after } => {
                let heard = self.heard.clone();
                self.tasks.spawn(async move {
                    tokio::time::sleep(after).await;
                    say(&heard, Heard::Event(Event::TimerRang(timer))).await;
                });
            }
            Effect::SaveRule(rule) => {
                let not_kept = self.ports.rules.keep(&rule).err();
                tell(TurnEvent::RuleMade { rule, not_kept });
            }
            Effect::Restore(content) => tell(TurnEvent::Restored(content)),
            Effect::Note(note) => tell(TurnEvent::Note(note)),
            Effect::End(ended) => {
                let model = self.ports.model.id().to_owned();
                self.write(Entry::Ended(Closing { model, how: ended.clone() })).await?;
                tell(TurnEvent::Ended(ended.clone()));
                return Ok(Some(ended));
            }
        }
        Ok(None)
    }

    /// Puts an entry on the disk, from a thread that may block.
    async fn write(&mut self, entry: Entry) -> Result<(), TranscriptError> {
        let mut transcript = self.transcript.take().ok_or(TranscriptError::Closed)?;
        let at = (self.ports.clock)();
        let written = tokio::task::spawn_blocking(move || {
            let written = transcript.append(&entry, at);
            (transcript, written)
        });
        let (transcript, written) = written.await.map_err(|_| TranscriptError::Closed)?;
        self.transcript = Some(transcript);
        written
    }

    fn ask(&mut self, stream: StreamId, request: Request) {
        let (heard, answer) = (self.heard.clone(), self.ports.model.stream(request));
        let task = self.tasks.spawn(listen(stream, answer, heard));
        self.streams.insert(stream, task);
    }

    fn inspect(&mut self, key: CallKey, call: agent::message::ToolCall) {
        let (heard, tool) = (self.heard.clone(), self.ports.tools.find(&call.name).cloned());
        let task = self.tasks.spawn(async move {
            let claim = match tool {
                Some(tool) => tool.inspect(&call).await,
                None => Err(format!("Error: tool `{}` not found.", call.name)),
            };
            say(&heard, Heard::Event(Event::Inspected { call: key, claim })).await;
        });
        self.calls.insert(task.id(), key);
    }

    fn run_tool(&mut self, key: CallKey, permit: Permit) {
        let Some(tool) = self.ports.tools.find(&permit.call().name).cloned() else { return };
        let heard = self.heard.clone();
        let reports = heard.clone();
        let scope = RunScope {
            controller: self.tools.child(),
            // A report that nobody has time for is no loss: the next one says more.
            report: Arc::new(move |line: &str| {
                let told = Heard::Told(TurnEvent::ToolReported { key, line: line.to_owned() });
                drop(reports.try_send(told));
            }),
        };
        let task = self.tasks.spawn(async move {
            // The stop may have come before this task had its first turn.
            let output = if scope.controller.is_aborted() {
                Output::error("Not executed: interrupted by user")
            } else {
                tool.run(permit, scope).await
            };
            say(&heard, Heard::Event(Event::ToolFinished { call: key, output })).await;
        });
        self.calls.insert(task.id(), key);
    }

    /// A task ended. If it died in the middle of a call or of an answer, the turn must know.
    fn lost(&mut self, joined: Result<(Id, ()), tokio::task::JoinError>) -> Option<Event> {
        let (id, died) = match joined {
            Ok((id, ())) => (id, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        if let Some(call) = self.calls.remove(&id) {
            return died.then_some(Event::ToolLost { call });
        }
        let stream = self.streams.iter().find_map(|(stream, task)| (task.id() == id).then_some(*stream))?;
        self.streams.remove(&stream);
        let error = ModelError::Broken("internal error: the model ended without a word".into());
        died.then_some(Event::Failed { stream, error, jitter: 0.0 })
    }
}

/// Passes on what a model says, up to its end.
async fn listen(stream: StreamId, mut answer: ModelStream, heard: mpsc::Sender<Heard>) {
    while let Some(said) = answer.next().await {
        let is_last = matches!(said, Ok(agent::model::ModelEvent::Stopped { .. }) | Err(_));
        let event = match said {
            Ok(event) => Event::Heard { stream, event },
            Err(error) => Event::Failed { stream, error, jitter: jitter() },
        };
        say(&heard, Heard::Event(event)).await;
        if is_last {
            return;
        }
    }
    let error = ModelError::closed_early();
    say(&heard, Heard::Event(Event::Failed { stream, error, jitter: jitter() })).await;
}

/// What whoever watches should know of an event before the turn acts on it.
fn told_of(event: &Event, tell: &mut (dyn FnMut(TurnEvent) + Send)) {
    if let Event::ToolFinished { call, output } = event {
        tell(TurnEvent::ToolFinished { key: *call, output: output.clone() });
    }
}

async fn say(heard: &mpsc::Sender<Heard>, what: Heard) {
    if heard.send(what).await.is_err() {
        // The turn is over, and nobody wants to know.
    }
}

/// A number from 0 to 1, so that many clients do not come back at the same moment.
fn jitter() -> f64 {
    let random = RandomState::new().hash_one(0_u8);
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}
