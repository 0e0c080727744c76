//! A long conversation and a flood with the real program: its memory, and how long a key takes meanwhile. Never looks into the program:
//! what counts is what a person and the system see of it.

use std::time::Duration;

use anyhow::Result;

use super::program::{CLOSE, END, OPEN, START, Stage, call, delta};
use crate::Size;

/// How the order to sum a conversation up begins.
const SUM_UP: &str = "The conversation is about to be cut down to your summary.";

pub(super) struct Long {
    pub(super) echoes: Vec<Duration>,
    /// Kilobytes after the first tenth, and at the end.
    pub(super) early: u64,
    pub(super) late: u64,
}

/// Many turns, with a key after each.
pub(super) fn turns(count: usize) -> Result<Long> {
    let mut stage = Stage::open("")?;
    let (mut echoes, mut early) = (Vec::new(), 0);
    for turn in 0..count {
        stage.terminal.write(&format!("prompt {turn}\r"))?;
        let mut exchange = stage.asked()?;
        // When the conversation does not fit any more, it is summed up first.
        while exchange.request.body.contains(SUM_UP) {
            let summary = delta("The person wrote prompts, and each was answered.");
            stage.send(&mut exchange, &[START, OPEN, &summary, CLOSE, END].join("\n"))?;
            stage.runtime.block_on(exchange.end())?;
            exchange = stage.asked()?;
        }
        let said = delta(&format!("An answer with **weight** and `code`.\n\n- item {turn}\n\nended {turn}."));
        stage.send(&mut exchange, &[START, OPEN, &said, CLOSE, END].join("\n"))?;
        stage.runtime.block_on(exchange.end())?;
        stage.terminal.until(&format!("ended {turn}."))?;
        echoes.push(stage.echo()?);
        if turn == count / 10 {
            early = stage.terminal.resident()?;
        }
    }
    let late = stage.terminal.resident()?;
    stage.leave()?;
    Ok(Long { echoes, early, late })
}

/// Keys while a command prints 10 MB, and while 200 tokens a second follow.
pub(super) fn flood(size: Size) -> Result<Vec<Duration>> {
    let (bytes, keys) = match size {
        Size::Full => (10_000_000, 200),
        Size::Smoke => (1_000_000, 3),
    };
    let mut stage = Stage::open("--allow Bash --allow Edit")?;
    let mut echoes = Vec::new();
    stage.terminal.write("flood\r")?;
    let mut exchange = stage.asked()?;
    stage.send(&mut exchange, START)?;
    let print =
        format!("yes 'a line of output that is neither short nor long' | head -c {bytes}; echo; echo over");
    stage.send(&mut exchange, &call(&print))?;
    stage.runtime.block_on(exchange.end())?;
    stage.terminal.until("head -c")?;
    for _ in 0..keys / 2 {
        echoes.push(stage.echo()?);
    }
    let mut exchange = stage.asked()?;
    stage.send(&mut exchange, &[START, OPEN, &delta("it begins ")].join("\n"))?;
    let stream = stage.stream(exchange);
    stage.terminal.until("word word")?;
    for _ in keys / 2..keys {
        echoes.push(stage.echo()?);
    }
    stage.cancel("Interrupted.")?;
    stage.stop(stream)?;
    stage.leave()?;
    Ok(echoes)
}
