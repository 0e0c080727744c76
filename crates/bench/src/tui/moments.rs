//! What a person waits for at single moments, with the real program: a question, the end after escape, a letter. Never counts a moment
//! in which the program had nothing to do.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::program::{CLOSE, OPEN, START, Stage, call, delta};

/// Rounds in one conversation. A full context would be made shorter first, which is another thing to wait for.
const CONVERSATION: usize = 50;

/// What was waited for.
#[derive(Default)]
pub(super) struct Times {
    pub(super) dialogs: Vec<Duration>,
    pub(super) cancels_at_dialogs: Vec<Duration>,
    pub(super) cancels_in_streams: Vec<Duration>,
    pub(super) cancels_in_tools: Vec<Duration>,
    pub(super) echoes: Vec<Duration>,
}

/// Asks, is asked, and stops, over and over.
pub(super) fn measured(rounds: usize) -> Result<Times> {
    let mut stage = Stage::open("--allow 'Bash(sleep *)'")?;
    let mut times = Times::default();
    for round in 0..rounds {
        if round > 0 && round % CONVERSATION == 0 {
            stage.terminal.write("/new\r")?;
            stage.terminal.until("a new conversation begins")?;
        }
        in_a_stream(&mut stage, &mut times)?;
        at_a_dialog(&mut stage, &mut times)?;
        in_a_tool(&mut stage, &mut times)?;
    }
    stage.leave()?;
    Ok(times)
}

/// A key and escape, while tokens come.
fn in_a_stream(stage: &mut Stage, times: &mut Times) -> Result<()> {
    stage.terminal.write("stream\r")?;
    let mut exchange = stage.asked()?;
    stage.send(&mut exchange, &[START, OPEN, &delta("it begins ")].join("\n"))?;
    stage.terminal.until("it begins")?;
    let stream = stage.stream(exchange);
    stage.terminal.until("word word word")?;
    times.echoes.push(stage.echo()?);
    times.cancels_in_streams.push(stage.cancel("Interrupted.")?);
    stage.stop(stream)?;
    Ok(())
}

/// A question, and escape as the answer.
fn at_a_dialog(stage: &mut Stage, times: &mut Times) -> Result<()> {
    stage.terminal.write("ask\r")?;
    let mut exchange = stage.asked()?;
    stage.send(&mut exchange, &[START, OPEN, &delta("words before"), CLOSE].join("\n"))?;
    stage.terminal.until("words before")?;
    let asked = Instant::now();
    stage.send(&mut exchange, &call("touch never"))?;
    times.dialogs.push(stage.terminal.until("wants to run")?.duration_since(asked));
    times.cancels_at_dialogs.push(stage.cancel("waiting for user feedback")?);
    Ok(())
}

/// Escape, while a command runs.
fn in_a_tool(stage: &mut Stage, times: &mut Times) -> Result<()> {
    stage.terminal.write("wait\r")?;
    let mut exchange = stage.asked()?;
    stage.send(&mut exchange, START)?;
    stage.send(&mut exchange, &call("sleep 600"))?;
    stage.terminal.until("sleep 600")?;
    times.cancels_in_tools.push(stage.cancel("Interrupted.")?);
    Ok(())
}
