//! What the tests show in seconds, for as long as one likes. Never passes with a line lost.

pub(crate) mod editor;
mod kill;
mod saves;
mod turns;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

const COUNT: usize = 10_000;
const TURNS: usize = 1_000;

/// `saves|kill|turns [--count N]`.
pub(crate) fn soak(arguments: &[&str]) -> Result<ExitCode> {
    let Some((what, rest)) = arguments.split_first() else {
        bail!("soak what? there are saves, kill and turns");
    };
    if *what == kill::CHILD {
        return kill::write_for_ever(rest);
    }
    let count = match rest {
        [] if *what == "turns" => TURNS,
        [] => COUNT,
        ["--count", count] => count.parse().context("--count takes a number")?,
        _ => bail!("soak takes --count N and nothing else"),
    };
    match *what {
        "saves" => saves::run(count)?,
        "kill" => kill::run(count)?,
        "turns" => turns::run(count)?,
        unknown => bail!("there is no soak {unknown}; there are saves, kill and turns"),
    }
    Ok(ExitCode::SUCCESS)
}
