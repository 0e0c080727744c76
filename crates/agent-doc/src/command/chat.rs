//! `agent-doc chat`: a conversation in the terminal, or with `-p` one prompt, one turn, and an answer for a program. Without a terminal
//! it never asks anybody: what no rule allows does not run.

mod report;

use std::io::{IsTerminal as _, Read as _};
use std::time::Instant;

use agent::StreamController;
use agent::message::Block;
use agent::permission::Mode;
use agent::turn::{EndReason, Ended, Event};
use anyhow::{Context as _, Result};
use workspace::conversation::remote;

use crate::arguments::{Chat, ChatMode};
use crate::refusal::Refusal;
use crate::wiring::talk::{self, Beginning, Wish};
use crate::wiring::turns;
use crate::{Outcome, output, signals, terminal};
use report::Reporter;

/// The longest prompt that is read from standard input.
const PROMPT_MAX: u64 = 4 << 20;

pub(crate) fn run(given: &Chat) -> Result<Outcome> {
    // Whole lines can be read by anybody.
    let is_read = given.plain || std::io::stdout().is_terminal();
    if given.prompt.is_none() && std::io::stdin().is_terminal() && is_read {
        return terminal::chat(given);
    }
    let words = match &given.prompt {
        Some(words) => words.clone(),
        None => piped()?,
    };
    let words = words.trim();
    if words.is_empty() {
        return Err(Refusal::new("there is nothing to ask", "give the words with -p 'TEXT'").into());
    }
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(ask(given, words));
    // A tool that does not listen must not keep the program alive.
    runtime.shutdown_background();
    outcome
}

/// What stands in standard input, where there is no terminal to talk in.
fn piped() -> Result<String> {
    if std::io::stdin().is_terminal() {
        let remedy = "give the words with -p 'TEXT', or let the output go to the terminal";
        return Err(
            Refusal::new("standard output is no terminal, so there is no conversation", remedy).into()
        );
    }
    output::notice("standard input is no terminal: what it holds is the prompt, and nobody is asked");
    let mut words = String::new();
    let read = std::io::stdin().lock().take(PROMPT_MAX).read_to_string(&mut words);
    read.with_context(|| Refusal::new("standard input cannot be read", "give the words with -p 'TEXT'"))?;
    Ok(words)
}

async fn ask(given: &Chat, words: &str) -> Result<Outcome> {
    let began = Instant::now();
    let wish = Wish {
        model: given.model.as_deref(),
        record: given.record.as_deref(),
        mode: mode(given),
        allow: &given.allow,
        beginning: beginning(given),
        asker: None,
    };
    let talk = talk::open(wish, |settings| turns::caps(settings, given.max_turns)).await?;
    let (mut conversation, opened) = (talk.conversation, talk.opened);
    let mut reporter =
        Reporter::new(given.output_format, conversation.id(), &talk.model, &talk.frame, &talk.folder);
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

/// Which conversation is meant.
pub(crate) fn beginning(given: &Chat) -> Beginning<'_> {
    match (&given.resume, given.resume_latest) {
        (Some(name), _) => Beginning::Named(name),
        (None, true) => Beginning::Latest,
        (None, false) => Beginning::New,
    }
}

async fn exit_code(ended: &Ended, signal: Option<tokio::task::JoinHandle<u8>>) -> u8 {
    if let Some(signal) = signal {
        return signal.await.unwrap_or(signals::INTERRUPTED);
    }
    u8::from(ended.reason != EndReason::Completed)
}

/// The mode where nobody can be asked.
fn mode(given: &Chat) -> Mode {
    match given.mode {
        _ if given.plan => Mode::Plan,
        Some(ChatMode::Plan) => Mode::Plan,
        Some(ChatMode::Default | ChatMode::AcceptEdits | ChatMode::DontAsk) | None => Mode::DontAsk,
    }
}
