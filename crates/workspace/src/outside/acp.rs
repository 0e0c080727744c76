//! An agent behind the Agent Client Protocol, as a child that speaks over its standard streams. Never offers it files or a
//! terminal of ours, and never allows what nobody at the desk allowed.

mod dialogue;
mod transport;
mod update;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent::StreamController;
use agent_client_protocol as protocol;
use agent_client_protocol::v1::schema::StopReason;
use tokio::time::{Instant, sleep_until, timeout};

use self::dialogue::{Dialogue, Outcome};
use super::last_words::LastWords;
use super::permission::PermissionDesk;
use super::process::{Ended, Launch, Running};
use super::spec::Spec;
use super::telling::Telling;
use crate::session::agent::{Agent, AgentError, Answering, Ask, Tell};

/// How long an agent that was told to stop may take to say that it did.
const CANCEL_GRACE: Duration = Duration::from_millis(250);

/// How long the end of a process is waited for that closed its output.
const END_GRACE: Duration = Duration::from_millis(500);

/// An agent behind the protocol.
pub struct Acp {
    spec: Spec,
    desk: Arc<dyn PermissionDesk>,
}

impl Acp {
    /// The agent that `spec` describes. What it asks leave for goes to `desk`.
    pub fn new(spec: Spec, desk: Arc<dyn PermissionDesk>) -> Self {
        Self { spec, desk }
    }

    async fn run(&self, ask: Ask, stop: StreamController, tell: &mut Tell) -> Result<(), AgentError> {
        let spec = &self.spec;
        for (key, name) in dialogue::names(&ask) {
            spec.must_be_plain(key, name)?;
        }
        let launch = Launch {
            program: &spec.command,
            arguments: spec.args.clone(),
            without: &spec.without,
            folder: &ask.folder,
        };
        let (mut running, streams) =
            Running::start(&launch).map_err(|error| spec.not_started(&error, &ask.folder))?;
        let mut telling = Telling::new(tell);
        let mut last_words = LastWords::of(streams.stderr);
        let streams = (streams.stdin, streams.stdout);
        let heard = self.converse(ask, streams, &stop, &mut telling, &mut last_words).await;
        if let Heard::Broken(_) = heard {
            // An agent that died is told apart from one that spoke nonsense by how it ended.
            if let Ok(ended) = timeout(END_GRACE, running.wait()).await {
                timeout(END_GRACE, drained(&mut last_words)).await.ok();
                if ended != Ended::Exited(0) {
                    return telling.outcome(&spec.name, ended, &last_words.shown());
                }
            }
        }
        if let Heard::Answered(_) = heard {
            // Its input is closed; it may have something to put down before it goes.
            timeout(END_GRACE, running.wait()).await.ok();
        }
        running.stop().await;
        self.judged(heard, telling, &last_words.shown())
    }

    /// Speaks with the agent until it has answered, failed, or was stopped.
    async fn converse(
        &self,
        ask: Ask,
        streams: (tokio::process::ChildStdin, tokio::process::ChildStdout),
        stop: &StreamController,
        telling: &mut Telling<'_>,
        last_words: &mut LastWords,
    ) -> Heard {
        let (dialogue, mut updates) = Dialogue::new(&self.spec.name, ask, self.desk.clone(), stop.clone());
        let asking = dialogue.asking.clone();
        let mut connection = Box::pin(dialogue.speak(streams.0, streams.1));
        let mut stopped = stop.subscribe();
        let mut heard_at = Instant::now();
        loop {
            let limit = heard_at + self.spec.patience;
            tokio::select! {
                biased;
                Some(update) = updates.recv() => {
                    heard_at = Instant::now();
                    update.tell(telling);
                }
                outcome = &mut connection => {
                    while let Ok(update) = updates.try_recv() {
                        update.tell(telling);
                    }
                    return match outcome {
                        _ if stop.is_aborted() => Heard::Stopped,
                        Ok(outcome) => Heard::Answered(outcome),
                        Err(error) => Heard::Broken(error),
                    };
                }
                () = &mut stopped => {
                    // It hears of it through the connection, which therefore lives a little longer.
                    timeout(CANCEL_GRACE, &mut connection).await.ok();
                    return Heard::Stopped;
                }
                () = last_words.hear() => heard_at = Instant::now(),
                () = sleep_until(limit) => {
                    // Who waits for a person is not silent, nor is one whose words came in this very moment.
                    if asking.load(Ordering::SeqCst) == 0 && updates.is_empty() {
                        return Heard::Silent;
                    }
                    heard_at = Instant::now();
                }
            }
        }
    }

    fn judged(&self, heard: Heard, mut telling: Telling<'_>, last_words: &str) -> Result<(), AgentError> {
        let agent = self.spec.name.clone();
        match heard {
            Heard::Stopped => return Err(AgentError::Stopped),
            Heard::Silent => {
                return Err(AgentError::Silent { agent, seconds: self.spec.patience.as_secs() });
            }
            Heard::Broken(error) if telling.is_garbled() => {
                telling.garbage(&error.message);
                return telling.outcome(&agent, Ended::Exited(0), last_words);
            }
            Heard::Broken(error) => telling.failed(&shown(&error)),
            Heard::Answered(Outcome::Refused(told)) => telling.failed(&told),
            Heard::Answered(Outcome::Ended(reason)) => match reason {
                StopReason::EndTurn => {}
                StopReason::MaxTokens => telling.failed("the answer is longer than its limit of tokens"),
                StopReason::MaxTurnRequests => telling.failed("it reached its limit of requests"),
                StopReason::Refusal => telling.failed("it refuses to answer this"),
                StopReason::Cancelled => telling.failed("it was cancelled"),
                _ => telling.failed("it ended for a reason that is not known here"),
            },
        }
        telling.outcome(&agent, Ended::Exited(0), last_words)
    }
}

impl Agent for Acp {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn answer<'a>(&'a self, ask: Ask, stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        Box::pin(self.run(ask, stop, tell))
    }
}

/// How a conversation ended.
enum Heard {
    Answered(Outcome),
    Broken(protocol::Error),
    Silent,
    Stopped,
}

/// Hears the rest. Somebody may hold the stream, so whoever calls it has a limit.
async fn drained(last_words: &mut LastWords) {
    while !last_words.is_over() {
        last_words.hear().await;
    }
}

fn shown(error: &protocol::Error) -> String {
    let detail = match &error.data {
        Some(serde_json::Value::String(text)) => format!(": {text}"),
        Some(data) => format!(": {data}"),
        None => String::new(),
    };
    let remedy = match error.code {
        protocol::ErrorCode::AUTH_REQUIRED => "; log in with its own program first",
        _ => "",
    };
    format!("{}{detail}{remedy}", error.message)
}
