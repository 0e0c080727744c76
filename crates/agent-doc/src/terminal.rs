//! The front end in the terminal: keys in, pictures out, and between them the conversation. Never decides how anything looks: `tui` does.

mod asking;
mod changes;
mod chat;
mod commands;
mod completing;
mod console;
mod follow;
mod host;
mod page;
mod past;
mod told;
mod work;

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};

use crate::Outcome;
use crate::arguments::{Chat, Follow};
use crate::refusal::Refusal;

/// A conversation, from the first key to the last.
pub(crate) fn chat(given: &Chat) -> Result<Outcome> {
    within(chat::run(given))
}

/// A document or a run, as it changes.
pub(crate) fn follow(given: &Follow) -> Result<Outcome> {
    if !given.plain && (!std::io::stdin().is_terminal() || !std::io::stdout().is_terminal()) {
        let remedy = "follow it in a terminal, or in whole lines with --plain; 'agent-doc history' and 'agent-doc runs show' print to files";
        return Err(Refusal::new("there is no terminal to follow in", remedy).into());
    }
    within(follow::run(given))
}

fn within(work: impl Future<Output = Result<Outcome>>) -> Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(work);
    // A tool that does not listen must not keep the program alive.
    runtime.shutdown_background();
    outcome
}
