//! Outside agents with real processes: small programs that speak as the real ones do, or as badly as they can.

mod acp;
mod formats;
mod stop;
mod tmux;
mod trouble;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agent::StreamController;
use workspace::outside::{Format, Spec};
use workspace::session::agent::{Agent, AgentError, Ask, Said, Talk};

/// A folder with one program in it.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// An agent that is this shell script.
    pub(crate) fn shell(&self, script: &str, format: Format) -> Spec {
        self.script("sh", "agent.sh", script, format)
    }

    /// An agent that is this Python script.
    pub(crate) fn python(&self, script: &str, format: Format) -> Spec {
        self.script("python3", "agent.py", script, format)
    }

    fn script(&self, interpreter: &str, name: &str, script: &str, format: Format) -> Spec {
        let path = self.path(name);
        std::fs::write(&path, script).unwrap();
        Spec {
            args: vec![path.display().to_string()],
            format,
            patience: Duration::from_secs(60),
            ..Spec::new("fake", interpreter)
        }
    }

    pub(crate) fn ask(&self, prompt: &str) -> Ask {
        Ask { prompt: prompt.to_owned(), talk: Talk::Fresh, model: None, folder: self.root().to_owned() }
    }

    /// What the agent's script left in a file.
    pub(crate) fn left(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

/// Everything that was said, and how it ended.
pub(crate) struct Answer {
    pub(crate) said: Vec<Said>,
    pub(crate) outcome: Result<(), AgentError>,
    pub(crate) took: Duration,
}

impl Answer {
    /// The document's view: the words with breaks as blank lines.
    pub(crate) fn text(&self) -> String {
        let mut parts = vec![String::new()];
        for said in &self.said {
            match said {
                Said::Text(text) => parts.last_mut().unwrap().push_str(text),
                Said::Break => parts.push(String::new()),
                Said::Void => parts.last_mut().unwrap().clear(),
                Said::Talk(_) | Said::Thinking(_) | Said::Doing(_) | Said::Tokens(_) => {}
            }
        }
        parts.join("\n\n")
    }

    /// One line for each thing, neighbouring words joined.
    pub(crate) fn shown(&self) -> String {
        let mut lines: Vec<String> = self.said.iter().map(|said| format!("{said:?}")).collect();
        lines.push(match &self.outcome {
            Ok(()) => "well".to_owned(),
            Err(error) => format!("error: {error}"),
        });
        lines.join("\n") + "\n"
    }
}

/// Asks, and stops as soon as `stop_at` says so of something that was said.
pub(crate) async fn ask_until(
    agent: &dyn Agent,
    ask: Ask,
    stop_at: impl Fn(&Said) -> bool + Send + 'static,
) -> Answer {
    let stop = StreamController::new();
    let heard = Arc::new(Mutex::new((Vec::new(), Instant::now())));
    let (switch, notes) = (stop.clone(), heard.clone());
    let mut hear = move |said: Said| {
        let mut notes = notes.lock().unwrap();
        if !switch.is_aborted() && stop_at(&said) {
            notes.1 = Instant::now();
            switch.abort();
        }
        notes.0.push(said);
    };
    let answering = agent.answer(ask, stop, &mut hear);
    let outcome =
        tokio::time::timeout(Duration::from_secs(60), answering).await.expect("the agent never ended");
    let (said, stopped_at) = std::mem::replace(&mut *heard.lock().unwrap(), (Vec::new(), Instant::now()));
    Answer { said, outcome, took: stopped_at.elapsed() }
}

pub(crate) async fn ask(agent: &dyn Agent, ask: Ask) -> Answer {
    ask_until(agent, ask, |_| false).await
}
