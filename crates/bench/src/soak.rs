//! What the tests of the store show in seconds, for as long as one likes. Never passes with a line lost.

mod editor;
mod kill;
mod saves;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

const COUNT: usize = 10_000;

/// `saves|kill [--count N]`.
pub(crate) fn soak(arguments: &[&str]) -> Result<ExitCode> {
    let Some((what, rest)) = arguments.split_first() else {
        bail!("soak what? There are saves and kill");
    };
    if *what == kill::CHILD {
        return kill::write_for_ever(rest);
    }
    let count = match rest {
        [] => COUNT,
        ["--count", count] => count.parse().context("--count takes a number")?,
        _ => bail!("soak takes --count N and nothing else"),
    };
    match *what {
        "saves" => saves::run(count)?,
        "kill" => kill::run(count)?,
        unknown => bail!("there is no soak {unknown}; there are saves and kill"),
    }
    Ok(ExitCode::SUCCESS)
}
