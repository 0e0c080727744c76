//! Turns on session documents that a page asks for, through the hub of the server. Never two on one document, and never one that
//! outlives the server.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent::StreamController;
use futures_util::stream;
use tokio::sync::broadcast;
use tokio::task::JoinSet;
use web::Desk;
use web::turns::{Turn, TurnEvents, TurnPace, TurnState, Turns};
use workspace::hub::Hub;
use workspace::session::agent::Said;
use workspace::session::file::SessionFile;
use workspace::session::turn::{self, Door, Git, Manner, Pace, Taken, Told};

use super::answerer::{self, Wanted};
use crate::moment;

/// How many changes a listener may lag behind.
const EVENTS_MAX: usize = 256;
/// How many documents may be answered at once.
const TURNS_MAX: usize = 8;
/// How many characters of what an agent is doing are told.
const DOING_MAX: usize = 80;

/// Takes turns for pages. Clones are the same.
#[derive(Clone)]
pub(crate) struct PageTurns {
    inner: Arc<Inner>,
}

struct Inner {
    hub: Hub,
    desk: Desk,
    events: broadcast::Sender<Arc<Turn>>,
    live: Mutex<Live>,
}

/// Locked for a moment only, never across an await.
#[derive(Default)]
struct Live {
    turns: HashMap<String, (Arc<Turn>, StreamController)>,
    tasks: JoinSet<()>,
}

impl PageTurns {
    pub(crate) fn new(hub: Hub, desk: Desk) -> PageTurns {
        let events = broadcast::Sender::new(EVENTS_MAX);
        PageTurns { inner: Arc::new(Inner { hub, desk, events, live: Mutex::default() }) }
    }

    /// Stops all turns and waits until what was said is where it belongs.
    pub(crate) async fn close(&self) {
        let mut tasks = {
            let mut live = self.lock();
            live.turns.values().for_each(|(_, stop)| stop.abort());
            std::mem::take(&mut live.tasks)
        };
        while tasks.join_next().await.is_some() {}
    }

    fn tell(&self, turn: Turn) {
        let turn = Arc::new(turn);
        if let Some((known, _)) = self.lock().turns.get_mut(&turn.path) {
            *known = Arc::clone(&turn);
        }
        // Nobody may be listening.
        drop(self.inner.events.send(turn));
    }

    async fn take(self, mut shown: Turn, pace: TurnPace, stop: StreamController) {
        let whole = self.inner.hub.root().join(&shown.path);
        let taken = self.answered(&mut shown, whole, pace, &stop).await;
        shown.state = match taken {
            Ok(Taken::Answered(_)) => TurnState::Answered,
            Ok(Taken::Nothing) => TurnState::Nothing,
            Err(why) => TurnState::Failed(why),
        };
        shown.doing.clear();
        self.tell(shown);
    }

    async fn answered(
        &self,
        shown: &mut Turn,
        whole: PathBuf,
        pace: TurnPace,
        stop: &StreamController,
    ) -> Result<Taken, String> {
        let file = SessionFile::at(&whole).map_err(|error| error.to_string())?;
        let owner = self.inner.hub.document(&file.path).await.map_err(|refusal| refusal.message)?;
        let settings = file.settings(&owner.read().text).map_err(|error| error.to_string())?;
        let found = tokio::task::spawn_blocking({
            let (root, named) = (file.root.clone(), settings.agent);
            let desk = self.inner.desk.at(&shown.path);
            move || {
                let by_document = named.as_deref();
                let wanted = Wanted { by_person: None, by_document, allow: &[], desk: Some(&desk) };
                answerer::find(wanted, &root).map_err(|error| format!("{error:#}"))
            }
        });
        let agent = found.await.map_err(|_| "nobody could be found who answers; try again".to_owned())??;
        shown.agent = agent.name().to_owned();
        self.tell(shown.clone());
        let mut tell = |told: Told| {
            if heard(shown, told) {
                self.tell(shown.clone());
            }
        };
        let (manner, door) = (manner(pace), Door::Hub(self.inner.hub.clone()));
        let taken = turn::take(&file, &agent, &manner, &door, stop, &mut tell).await;
        taken.map_err(|error| error.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turns for PageTurns {
    fn begin(&self, path: &str, pace: TurnPace) -> Result<(), String> {
        let mut live = self.lock();
        while live.tasks.try_join_next().is_some() {}
        let is_working = |turn: &Turn| turn.state == TurnState::Working;
        if live.turns.get(path).is_some_and(|(turn, _)| is_working(turn)) {
            return Err(format!("{path}: it is being answered already; wait for that, or stop it"));
        }
        if live.turns.values().filter(|(turn, _)| is_working(turn)).count() >= TURNS_MAX {
            return Err(format!("{TURNS_MAX} documents are being answered already; wait for one of them"));
        }
        let turn = Turn {
            path: path.to_owned(),
            agent: String::new(),
            state: TurnState::Working,
            doing: String::new(),
            tokens: 0,
            begun: moment::now(),
        };
        let stop = StreamController::new();
        let shown = Arc::new(turn.clone());
        live.turns.insert(path.to_owned(), (Arc::clone(&shown), stop.clone()));
        // Before the task can say anything. Nobody may be listening.
        drop(self.inner.events.send(shown));
        live.tasks.spawn(self.clone().take(turn, pace, stop));
        Ok(())
    }

    fn stop(&self, path: &str) -> bool {
        let live = self.lock();
        let working = live.turns.get(path).filter(|(turn, _)| turn.state == TurnState::Working);
        working.inspect(|(_, stop)| stop.abort()).is_some()
    }

    fn show(&self, path: &str) -> Option<Arc<Turn>> {
        self.lock().turns.get(path).map(|(turn, _)| Arc::clone(turn))
    }

    fn listen(&self) -> TurnEvents {
        Box::pin(stream::unfold(self.inner.events.subscribe(), |mut heard| async {
            loop {
                match heard.recv().await {
                    Ok(turn) => return Some((turn, heard)),
                    // What was missed is in what comes next.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        }))
    }
}

/// Whether what was told changes what a person sees.
fn heard(shown: &mut Turn, told: Told) -> bool {
    let doing = match told {
        Told::Asked => "asking".to_owned(),
        Told::Said(Said::Text(_)) => "writing".to_owned(),
        Told::Said(Said::Thinking(_)) => "thinking".to_owned(),
        Told::Said(Said::Doing(what)) => {
            what.chars().filter(|letter| !letter.is_control()).take(DOING_MAX).collect()
        }
        Told::Said(Said::Tokens(tokens)) => {
            let is_new = shown.tokens != tokens;
            shown.tokens = tokens;
            return is_new;
        }
        Told::NoPlace => "the place of the answer is gone; it waits".to_owned(),
        Told::Stuck(_) => "the document cannot be written; the answer waits".to_owned(),
        Told::Said(Said::Talk(_) | Said::Break | Said::Void)
        | Told::Recovered(_)
        | Told::Committed(_)
        | Told::Branched(..)
        | Told::Flushed { .. } => return false,
    };
    let is_new = shown.doing != doing;
    shown.doing = doing;
    is_new
}

fn manner(pace: TurnPace) -> Manner {
    let now = moment::now();
    Manner {
        model: None,
        git: Git::Commit,
        pace: match pace {
            TurnPace::Whole => Pace::Whole,
            TurnPace::Streamed => Pace::Streamed(None),
        },
        target: None,
        by: "agent-doc serve",
        stamp: moment::shown(now),
        id: format!("{now:x}-{}-page", std::process::id()),
        now,
    }
}
