//! An agent that is a command: it gets the prompt, prints its answer and ends. Never waits for one that is silent, and never
//! takes an error for an answer.

use agent::StreamController;

use super::format;
use super::listener::{Heard, Listener};
use super::process::{Launch, Running};
use super::spec::Spec;
use super::telling::Telling;
use crate::session::agent::{Agent, AgentError, Answering, Ask, Tell};

/// An outside command.
#[derive(Debug)]
pub struct Program {
    spec: Spec,
}

impl Program {
    /// The command that `spec` describes.
    pub fn new(spec: Spec) -> Self {
        Self { spec }
    }

    async fn run(&self, ask: Ask, stop: StreamController, tell: &mut Tell) -> Result<(), AgentError> {
        let spec = &self.spec;
        let arguments = spec.arguments(&ask)?;
        let mut telling = Telling::new(tell);
        if let Some(note) = spec.cannot(&ask.talk) {
            telling.note(&note);
        }
        let launch =
            Launch { program: &spec.command, arguments, without: &spec.without, folder: &ask.folder };
        let (running, streams) =
            Running::start(&launch).map_err(|error| spec.not_started(&error, &ask.folder))?;
        let prompt = if spec.takes_argument() { Vec::new() } else { ask.prompt.into_bytes() };
        let mut listener = Listener::new(running, streams, prompt, stop, spec.patience);
        let mut reader = format::reader(&spec.format);
        loop {
            match listener.next().await {
                Heard::Words(words) => {
                    if let Err(too_much) = reader.take(&words, &mut telling) {
                        listener.stop().await;
                        return Err(AgentError::Garbled {
                            agent: spec.name.clone(),
                            told: too_much.to_string(),
                        });
                    }
                }
                Heard::Over(ended) => {
                    reader.finish(&mut telling);
                    return telling.outcome(&spec.name, ended, &listener.last_words());
                }
                Heard::Silent => {
                    listener.stop().await;
                    reader.finish(&mut telling);
                    let seconds = spec.patience.as_secs();
                    return Err(AgentError::Silent { agent: spec.name.clone(), seconds });
                }
                Heard::Stopped => {
                    listener.stop().await;
                    return Err(AgentError::Stopped);
                }
            }
        }
    }
}

impl Agent for Program {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn answer<'a>(&'a self, ask: Ask, stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        Box::pin(self.run(ask, stop, tell))
    }
}
