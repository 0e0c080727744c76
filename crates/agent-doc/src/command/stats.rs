//! `agent-doc stats`: what the conversations of a project took. Never guesses a price: without one, there is no cost.

use agent::message::Usage;
use agent::turn::EndReason;
use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::conversation::{Entry, Transcripts};
use workspace::sidecar::{Sidecar, root_of};

use crate::arguments::Stats;
use crate::configuration::Configuration;
use crate::output;
use crate::prices::{Prices, number};
use crate::refusal::Refusal;

/// What `--json` prints. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Default, Serialize)]
struct Report {
    conversations: usize,
    /// Conversations that could not be read.
    unreadable: usize,
    turns: usize,
    completed: usize,
    interrupted: usize,
    waiting: usize,
    failed: usize,
    model_calls: u64,
    model_calls_per_turn: f64,
    denials: usize,
    usage: Usage,
    /// In the currency of the prices that are set.
    cost: Option<f64>,
}

pub(crate) fn run(given: &Stats) -> Result<()> {
    let folder = std::path::absolute(&given.folder).context("the folder cannot be found")?;
    let settings = Configuration::of(&folder)?;
    let root = root_of(&folder.join("x")).to_owned();
    let mut report = Report::default();
    if let Some(sidecar) = Sidecar::find(&root).with_context(|| {
        Refusal::new("the project's state cannot be used", "look who owns the folder '.agent-doc'")
    })? {
        count(&Transcripts::at(&sidecar.sessions()), &mut report)?;
    }
    report.cost = Prices::of(&settings).map(|prices| prices.cost(&report.usage));
    if given.json { output::print_json(&report) } else { output::print(table(&report).as_bytes()) }
}

fn count(transcripts: &Transcripts, report: &mut Report) -> Result<()> {
    for outline in transcripts.list()? {
        report.conversations += 1;
        let Ok(entries) = transcripts.entries(&outline.id) else {
            report.unreadable += 1;
            continue;
        };
        for (_, entry) in entries {
            let Entry::Ended(closing) = entry else { continue };
            report.turns += 1;
            match closing.how.reason {
                EndReason::Completed => report.completed += 1,
                EndReason::Interrupted => report.interrupted += 1,
                EndReason::Waiting => report.waiting += 1,
                EndReason::IterationsReached(_)
                | EndReason::Refused(_)
                | EndReason::CutOff
                | EndReason::ContextFull
                | EndReason::Stuck
                | EndReason::Unclear(_)
                | EndReason::Failed(_) => report.failed += 1,
            }
            report.model_calls += u64::from(closing.how.iterations);
            report.denials += closing.how.denials.len();
            report.usage = report.usage.plus(closing.how.usage);
        }
    }
    if report.turns > 0 {
        report.model_calls_per_turn = number(report.model_calls) / number(u64::try_from(report.turns)?);
    }
    Ok(())
}

fn table(report: &Report) -> String {
    let Report { conversations, turns, completed, interrupted, waiting, failed, .. } = report;
    let usage = &report.usage;
    let cost = report.cost.map_or_else(
        || "not known; set price.input and price.output (per million tokens)".to_owned(),
        |cost| format!("{cost:.2}"),
    );
    let mut text = format!(
        "conversations  {conversations}\n\
         turns          {turns}: {completed} completed, {interrupted} interrupted, {waiting} waiting, {failed} failed\n\
         model calls    {}, {:.1} a turn\n\
         refused calls  {}\n\
         tokens         {} read, {} written, {} from the cache, {} into the cache\n\
         cost           {cost}\n",
        report.model_calls,
        report.model_calls_per_turn,
        report.denials,
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
    );
    if report.unreadable > 0 {
        text.push_str(&format!("unreadable     {} conversations were left out\n", report.unreadable));
    }
    text
}
