//! The one place that writes to standard output and standard error. Never panics and never complains when the reader has
//! gone away, as `head` does once it has its lines.

use std::io::{ErrorKind, IsTerminal as _, Result as IoResult, Write};
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use anyhow::{Context as _, Result};
use serde::Serialize;
use tools::output::visible;

use crate::FAILED;
use crate::refusal::Refusal;

/// Writes a result to standard output: byte for byte for a program or a file, and without anything that a terminal would obey
/// for a person.
pub(crate) fn print(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = if stdout.is_terminal() {
        write(&mut stdout, visible(&String::from_utf8_lossy(bytes)).as_bytes())
    } else {
        write(&mut stdout, bytes)
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context(Refusal::new(
            "cannot write to standard output",
            "look whether the disk is full, or whether what reads the output still can",
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a result to standard output as JSON that a person can read too.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).context("the result cannot be written as JSON")?;
    text.push('\n');
    print(text.as_bytes())
}

/// Writes one of many results to standard output, as a line of JSON.
pub(crate) fn print_line(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(value).context("the result cannot be written as JSON")?;
    text.push('\n');
    print(text.as_bytes())
}

/// Held while somebody is asked something: nothing else may move on the terminal then.
static ASKING: Mutex<()> = Mutex::new(());

/// Keeps the terminal for a question.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ASKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws on the terminal, if nobody is asked something there.
pub(crate) fn draw(text: &str) {
    if !matches!(ASKING.try_lock(), Err(TryLockError::WouldBlock)) {
        ask(text);
    }
}

/// Asks something on the terminal, which obeys what stands in it. For whoever holds it [`alone`].
pub(crate) fn ask(question: &str) {
    if write(&mut std::io::stderr().lock(), question.as_bytes()).is_err() {
        // The terminal is gone. Then nothing can be read from it either, and whoever asked hears that.
    }
}

/// Says something beside the result, on standard error.
pub(crate) fn notice(line: &str) {
    say(&format!("{line}\n"));
}

/// What a program reads of a command that did not do its work.
#[derive(Debug, Serialize)]
struct Failure<'a> {
    error: String,
    remedy: Option<&'a str>,
}

/// Says why nothing was done to the person, and to the program that reads the result if there is one.
pub(crate) fn failure(error: &anyhow::Error, is_json: bool) {
    if is_json {
        let remedy = error.downcast_ref::<Refusal>().map(Refusal::remedy);
        if print_json(&Failure { error: format!("{error:#}"), remedy }).is_err() {
            // Nobody reads it. The person and the exit code still tell.
        }
    }
    self::error(error);
}

/// Says why nothing was done, and what the person can do.
pub(crate) fn error(error: &anyhow::Error) {
    let mut text = format!("error: {error:#}\n");
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        text.push_str("  help: ");
        text.push_str(refusal.remedy());
        text.push('\n');
    }
    say(&text);
}

/// Shows what the reader of the arguments has to tell, in its colours: help, the version, or a mistake.
pub(crate) fn told(told: &clap::Error) -> ExitCode {
    match told.print() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(FAILED),
        Ok(()) | Err(_) => ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(FAILED)),
    }
}

fn say(text: &str) {
    // Names of files, words of a model: what stands in them is not for the terminal to obey.
    if write(&mut std::io::stderr().lock(), visible(text).as_bytes()).is_err() {
        // Standard error is gone, and there is no other place to say so. The exit code still tells.
    }
}

fn write(to: &mut impl Write, bytes: &[u8]) -> IoResult<()> {
    to.write_all(bytes)?;
    to.flush()
}
