//! `agent-doc chat -p`: one prompt, one turn, and an answer for a person or a program. Never asks anybody: what no rule allows
//! does not run.

mod report;

use std::sync::Arc;
use std::time::Instant;

use agent::StreamController;
use agent::history::History;
use agent::message::Block;
use agent::permission::{Mode, Policy, Rule};
use agent::request::Frame;
use agent::turn::{EndReason, Ended, Event, Setup};
use anyhow::{Context as _, Result};
use workspace::conversation::{Conversation, Ports, Transcript, Transcripts, remote};
use workspace::sidecar::{Sidecar, root_of};

use crate::arguments::Chat;
use crate::configuration::Configuration;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::trust::Trust;
use crate::wiring::{model, prompt, search, tools, turns};
use crate::{Outcome, log, moment, signals};
use report::Reporter;

pub(crate) fn run(given: &Chat) -> Result<Outcome> {
    let words = given.prompt.as_deref().map(str::trim).unwrap_or_default();
    if words.is_empty() {
        return Err(Refusal::new("there is nothing to ask", "give the words with -p 'TEXT'").into());
    }
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(ask(given, words));
    // A tool that does not listen must not keep the program alive.
    runtime.shutdown_background();
    outcome
}

async fn ask(given: &Chat, words: &str) -> Result<Outcome> {
    let began = Instant::now();
    let folder = std::path::absolute(".").context("the current folder cannot be found")?;
    let root = root_of(&folder.join("x")).to_owned();
    let settings = Configuration::of(&folder)?;
    let chosen = model::choose(given.model.as_deref(), &settings, given.record.as_deref())?;
    let provider = search::provider(&settings)?;
    let files = RuleFiles::here()?;
    let policy = Policy::new(mode(given), files.places(), all_rules(given, &files)?);
    let sidecar = Sidecar::open(&root).with_context(|| {
        Refusal::new("the conversation cannot be kept", "look who owns the folder '.agent-doc'")
    })?;
    log::begin(&sidecar);
    let (transcript, history) = transcript(given, &sidecar)?;
    let (toolbox, opened) = tools::all(&sidecar, &policy, &settings, transcript.id(), provider).await?;
    let frame = Frame {
        model: chosen.name,
        system: prompt::system(&root, &Trust::of_person()).into(),
        tools: toolbox.specs(&policy),
        thinking: turns::effort(&settings),
    };
    let limits = chosen.model.limits();
    let mut reporter =
        Reporter::new(given.output_format, transcript.id(), chosen.model.id(), &frame, &folder);
    let setup = Setup { frame, limits, policy, caps: turns::caps(&settings, given.max_turns) };
    let ports = Ports { model: chosen.model, tools: toolbox, rules: Arc::new(files), clock: moment::now };
    let mut conversation = Conversation::new(ports, setup, history, transcript);
    reporter.begin()?;
    let stop = StreamController::new();
    let signal = signals::listen(stop.clone());
    let (_far, mut near) = remote();
    let mut tell = |event| reporter.told(event);
    let first = Event::Prompted(vec![Block::text(words)]);
    let ended = conversation.turn(first, &mut near, &stop, &mut tell).await;
    opened.documents.close().await;
    let ended = ended?;
    // The turn may be over before the task that stopped it is.
    let signal = (stop.is_aborted() || signal.is_finished()).then_some(signal);
    let code = exit_code(&ended, signal).await;
    opened.servers.stop().await;
    reporter.end(&ended, began.elapsed())?;
    Ok(Outcome::Code(code))
}

async fn exit_code(ended: &Ended, signal: Option<tokio::task::JoinHandle<u8>>) -> u8 {
    if let Some(signal) = signal {
        return signal.await.unwrap_or(signals::INTERRUPTED);
    }
    u8::from(ended.reason != EndReason::Completed)
}

fn mode(given: &Chat) -> Mode {
    if given.plan { Mode::Plan } else { Mode::DontAsk }
}

fn all_rules(given: &Chat, files: &RuleFiles) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = files.read_all()?.into_iter().flat_map(|file| file.rules).collect();
    rules.extend(turns::allowed(&given.allow)?);
    Ok(rules)
}

fn transcript(given: &Chat, sidecar: &Sidecar) -> Result<(Transcript, History)> {
    let transcripts = Transcripts::at(&sidecar.sessions());
    let name = match (&given.resume, given.resume_latest) {
        (Some(name), _) => Some(name.clone()),
        (None, true) => Some(latest(&transcripts)?),
        (None, false) => None,
    };
    let Some(name) = name else {
        return Ok((transcripts.begin(moment::now())?, History::new()));
    };
    let (transcript, records) = transcripts.resume(&name)?;
    Ok((transcript, History::replay(records)))
}

fn latest(transcripts: &Transcripts) -> Result<String> {
    let newest = transcripts.list()?.into_iter().next();
    let newest =
        newest.ok_or_else(|| Refusal::new("there is no conversation yet", "begin one without --continue"))?;
    Ok(newest.id)
}
