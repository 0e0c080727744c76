//! An interactive agent in a pane of tmux: the prompt is pasted, and what appears is told. Never types into a shell, and never
//! ends the program in the pane, which is the person's.

mod frame;
mod pane;

use std::path::PathBuf;
use std::time::Duration;

use agent::StreamController;
use tokio::time::{Instant, sleep};

use self::frame::{Before, View};
use self::pane::Pane;
use super::process::Ended;
use super::telling::Telling;
use crate::session::agent::{Agent, AgentError, Answering, Ask, Talk, Tell};

/// How often the pane is looked at.
const POLL: Duration = Duration::from_millis(100);
/// A pane that stays the same for so long, with its prompt back, has answered.
const QUIET: Duration = Duration::from_secs(2);
/// How much longer an agent may think before its first word.
const FIRST_WORD: u32 = 15;
const PATIENCE: Duration = Duration::from_secs(600);
/// How long the pasted prompt may take to appear.
const PASTE_MAX: Duration = Duration::from_secs(2);

/// An agent in a pane.
#[derive(Debug)]
pub struct Tmux {
    name: String,
    pane: Pane,
    quiet: Duration,
    patience: Duration,
}

impl Tmux {
    /// The agent in `pane`, as tmux names panes.
    pub fn new(name: &str, pane: &str) -> Self {
        Self { name: name.to_owned(), pane: Pane::new(name, pane), quiet: QUIET, patience: PATIENCE }
    }

    /// In the server behind this socket, not in the one that tmux finds by itself.
    #[must_use]
    pub fn at(mut self, socket: PathBuf) -> Self {
        self.pane.socket = Some(socket);
        self
    }

    /// How long the pane must stay the same until the answer is taken for complete.
    #[must_use]
    pub fn quiet(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// How long it may be silent.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    async fn run(&self, ask: Ask, stop: StreamController, tell: &mut Tell) -> Result<(), AgentError> {
        self.pane.must_not_be_shell().await?;
        let mut telling = Telling::new(tell);
        if ask.talk != Talk::Fresh || ask.model.is_some() {
            telling.note("the agent in the pane goes on with its own conversation and its own model");
        }
        let before = Before::of(&self.pane.capture().await?);
        self.submit(&ask.prompt).await?;
        let mut stopped = stop.subscribe();
        let (mut last, mut changed_at, mut told) = (String::new(), Instant::now(), String::new());
        loop {
            tokio::select! {
                biased;
                () = &mut stopped => {
                    let view = before.view(&last, &ask.prompt);
                    self.pane.interrupt(view.is_busy).await?;
                    return Err(AgentError::Stopped);
                }
                () = sleep(POLL) => {}
            }
            let screen = self.pane.capture().await?;
            if screen != last {
                (last, changed_at) = (screen, Instant::now());
            }
            let view = before.view(&last, &ask.prompt);
            if self.is_over(&view, changed_at.elapsed()) {
                say(&mut telling, &mut told, &view.text);
                return telling.outcome(&self.name, Ended::Exited(0), "");
            }
            say(&mut telling, &mut told, view.settled());
            if changed_at.elapsed() > self.patience {
                let seconds = self.patience.as_secs();
                return Err(AgentError::Silent { agent: self.name.clone(), seconds });
            }
        }
    }

    /// Pastes the prompt, and sends it when it is there: a program that is still pasting takes the key for a part of it.
    async fn submit(&self, prompt: &str) -> Result<(), AgentError> {
        let before = self.pane.capture().await?;
        self.pane.paste(prompt).await?;
        let (mut last, begun) = (before.clone(), Instant::now());
        while begun.elapsed() < PASTE_MAX {
            sleep(POLL).await;
            let now = self.pane.capture().await?;
            if now != before && now == last {
                break;
            }
            last = now;
        }
        self.pane.enter().await
    }

    fn is_over(&self, view: &View, unchanged: Duration) -> bool {
        let enough = if view.text.is_empty() { self.quiet * FIRST_WORD } else { self.quiet };
        view.is_ready && !view.is_busy && unchanged >= enough
    }
}

impl Agent for Tmux {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, ask: Ask, stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        Box::pin(self.run(ask, stop, tell))
    }
}

/// Says what is new. A program that writes over what it wrote says it again from the beginning.
fn say(telling: &mut Telling<'_>, told: &mut String, text: &str) {
    if let Some(new) = text.strip_prefix(told.as_str()) {
        telling.text(new);
    } else if told.starts_with(text) {
        // A moment in which it repaints: what was said still stands.
        return;
    } else {
        telling.void();
        telling.text(text);
    }
    text.clone_into(told);
}
