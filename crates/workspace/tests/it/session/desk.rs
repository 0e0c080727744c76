//! A document in a project of its own, and an agent that follows a script.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent::StreamController;
use tempfile::TempDir;
use workspace::session::agent::{Agent, AgentError, Answering, Ask, Said, Tell};
use workspace::session::change::Change;
use workspace::session::file::SessionFile;
use workspace::session::turn::{self, Git, Manner, Pace, Taken, Told, TurnError, snapshot_of};

/// How long a test waits for something that must happen, in steps of a few milliseconds.
const STEPS_MAX: usize = 4000;

/// One thing that the agent does.
pub(super) enum Step {
    /// Says words, or something else.
    Tell(Said),
    /// Changes the document as a person would meanwhile.
    Edit(Box<dyn FnOnce(&Path) + Send>),
    /// Waits until the file holds this.
    Await(&'static str),
    /// Waits until this was told of the turn.
    Hear(Told),
    /// Fails.
    Fail(AgentError),
}

pub(super) fn say(text: &str) -> Step {
    Step::Tell(Said::Text(text.to_owned()))
}

/// The person saves the whole file, in place.
pub(super) fn save(change: impl FnOnce(String) -> String + Send + 'static) -> Step {
    Step::Edit(Box::new(move |path| {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, change(text)).unwrap();
    }))
}

/// An agent with one script for each turn.
pub(super) struct Scripted {
    scripts: Mutex<VecDeque<Vec<Step>>>,
    asked: Mutex<Vec<Ask>>,
    told: Mutex<Vec<Told>>,
    path: std::path::PathBuf,
}

impl Agent for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn answer<'a>(&'a self, ask: Ask, _stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        let steps = self.scripts.lock().unwrap().pop_front().unwrap_or_default();
        self.asked.lock().unwrap().push(ask);
        Box::pin(async move {
            for step in steps {
                match step {
                    Step::Tell(said) => tell(said),
                    Step::Edit(edit) => {
                        let path = self.path.clone();
                        tokio::task::spawn_blocking(move || edit(&path)).await.unwrap();
                    }
                    Step::Await(text) => until(&self.path, text).await,
                    Step::Hear(told) => self.until_told(&told).await,
                    Step::Fail(error) => return Err(error),
                }
            }
            Ok(())
        })
    }
}

impl Scripted {
    async fn until_told(&self, told: &Told) {
        for _ in 0..STEPS_MAX {
            if self.told.lock().unwrap().contains(told) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{told:?} was never told: {:#?}", self.told.lock().unwrap());
    }
}

/// Waits until the file holds `text`.
async fn until(path: &Path, text: &str) {
    for _ in 0..STEPS_MAX {
        if std::fs::read_to_string(path).is_ok_and(|found| found.contains(text)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{text:?} never came; the file reads:\n{}", std::fs::read_to_string(path).unwrap());
}

/// A document in a folder of its own.
pub(super) struct Desk {
    folder: TempDir,
    pub(super) agent: Arc<Scripted>,
    turns: std::sync::atomic::AtomicU64,
}

impl Desk {
    pub(super) fn new(text: &str, scripts: Vec<Vec<Step>>) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".agent-doc")).unwrap();
        let path = folder.path().canonicalize().unwrap().join("notes.md");
        std::fs::write(&path, text).unwrap();
        let agent = Scripted {
            scripts: Mutex::new(scripts.into()),
            asked: Mutex::default(),
            told: Mutex::default(),
            path,
        };
        Desk { folder, agent: Arc::new(agent), turns: std::sync::atomic::AtomicU64::new(0) }
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn file(&self) -> SessionFile {
        SessionFile::at(&self.agent.path).unwrap()
    }

    pub(super) fn text(&self) -> String {
        std::fs::read_to_string(&self.agent.path).unwrap()
    }

    pub(super) fn write(&self, text: &str) {
        std::fs::write(&self.agent.path, text).unwrap();
    }

    /// Adds to the end of the file, as a person does.
    pub(super) fn append(&self, text: &str) {
        self.write(&(self.text() + text));
    }

    /// What was sent, turn by turn.
    pub(super) fn asked(&self) -> Vec<Ask> {
        self.agent.asked.lock().unwrap().clone()
    }

    /// How often this was told of turns.
    pub(super) fn told(&self, told: &Told) -> usize {
        self.agent.told.lock().unwrap().iter().filter(|one| *one == told).count()
    }

    /// What the next turn would answer.
    pub(super) fn change(&self) -> Change {
        let text = self.text();
        Change::between(snapshot_of(&self.file(), &text).unwrap().as_deref(), &text)
    }

    pub(super) fn manner(&self, pace: Pace) -> Manner {
        let turn = self.turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Manner {
            model: None,
            git: Git::Off,
            pace,
            target: None,
            by: "a test",
            stamp: "2026-01-01 00:00:00".to_owned(),
            id: format!("turn-{turn}"),
            now: 1000 + turn,
        }
    }

    pub(super) async fn run(&self) -> Result<Taken, TurnError> {
        self.take(Pace::Whole).await
    }

    pub(super) async fn stream(&self) -> Result<Taken, TurnError> {
        self.take(Pace::Streamed(Some(10))).await
    }

    async fn take(&self, pace: Pace) -> Result<Taken, TurnError> {
        let agent: Arc<dyn Agent> = Arc::clone(&self.agent) as Arc<dyn Agent>;
        let stop = StreamController::new();
        let mut tell = |told: Told| self.agent.told.lock().unwrap().push(told);
        turn::take(&self.file(), &agent, &self.manner(pace), &turn::Door::Root, &stop, &mut tell).await
    }
}

/// The added lines of a diff.
pub(super) fn added(change: &Change) -> Vec<String> {
    let lines = change.diff.lines().filter(|line| line.starts_with('+') && line.trim() != "+");
    lines.map(|line| line.trim_start_matches('+').to_owned()).collect()
}

/// The removed lines of a diff.
pub(super) fn removed(change: &Change) -> Vec<String> {
    let lines = change.diff.lines().filter(|line| line.starts_with('-') && line.trim() != "-");
    lines.map(|line| line.trim_start_matches('-').to_owned()).collect()
}
