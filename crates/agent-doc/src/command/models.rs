//! `agent-doc models`: which models can be used, and what a recorded answer says. Never asks a provider and never shows a key.

use anyhow::{Context as _, Result};
use models::Protocol;
use models::catalog::{Offer, offers};
use models::recording::{Exchange, Recording};
use serde::Serialize;
use serde_json::Value;

use super::visible;
use crate::arguments::{Models, ModelsCommand, ModelsList, ModelsReplay, ReplayProvider};
use crate::refusal::Refusal;
use crate::{input, output};

mod event;

/// What `list --json` prints. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct OfferRow {
    provider: &'static str,
    model: String,
    url: String,
    ready: bool,
    /// Whether it is what a conversation would use now.
    used: bool,
    why: String,
}

/// What `replay --json` prints for each exchange.
#[derive(Debug, Serialize)]
struct ExchangeRow {
    provider: &'static str,
    status: u16,
    bytes: usize,
    events: Vec<Value>,
    error: Option<String>,
}

pub(crate) fn run(given: &Models) -> Result<()> {
    match &given.command {
        None => list(&given.list),
        Some(ModelsCommand::List(given)) => list(given),
        Some(ModelsCommand::Replay(given)) => replay(given),
    }
}

fn list(given: &ModelsList) -> Result<()> {
    let lookup = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let rows = rows(offers(&lookup));
    if given.json {
        return output::print_json(&rows);
    }
    output::print(table(&rows).as_bytes())
}

fn rows(offers: Vec<Offer>) -> Vec<OfferRow> {
    // The first that is ready and names a model is taken.
    let used = offers.iter().position(|offer| offer.ready && !offer.model.is_empty());
    let row = |(index, offer): (usize, Offer)| OfferRow {
        provider: offer.provider,
        model: offer.model,
        url: offer.url,
        ready: offer.ready,
        used: used == Some(index),
        why: offer.why,
    };
    offers.into_iter().enumerate().map(row).collect()
}

fn table(rows: &[OfferRow]) -> String {
    let width =
        |text: fn(&OfferRow) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or_default();
    let (providers, models) = (width(|row| row.provider), width(|row| &row.model));
    let mut table = String::new();
    for row in rows {
        let state = match (row.used, row.ready) {
            (true, _) => "used ",
            (false, true) => "ready",
            (false, false) => "no   ",
        };
        let OfferRow { provider, model, why, .. } = row;
        table.push_str(&format!("{provider:providers$}  {model:models$}  {state}  {}\n", visible(why)));
    }
    table
}

fn replay(given: &ModelsReplay) -> Result<()> {
    let text = input::read(&given.file)?;
    let shown = input::shown(&given.file);
    let recording = Recording::read(text.as_bytes()).with_context(|| {
        Refusal::new(
            format!("{shown} is no recording"),
            "give a recording, or a stream of server-sent events",
        )
    })?;
    let mut rows = Vec::new();
    for exchange in &recording.exchanges {
        let protocol = protocol(given.provider).or(exchange.protocol).ok_or_else(|| {
            Refusal::new(
                format!("{shown} does not tell who answered"),
                "say it with --provider anthropic, openai-chat or openai-responses",
            )
        })?;
        rows.push((protocol, exchange));
    }
    if given.json {
        return output::print_json(
            &rows.into_iter().map(|(protocol, exchange)| decoded(protocol, exchange)).collect::<Vec<_>>(),
        );
    }
    let told: Vec<String> = rows.into_iter().map(|(protocol, exchange)| told(protocol, exchange)).collect();
    output::print(told.join("\n").as_bytes())
}

fn protocol(given: Option<ReplayProvider>) -> Option<Protocol> {
    given.map(|given| match given {
        ReplayProvider::Anthropic => Protocol::Anthropic,
        ReplayProvider::OpenaiChat => Protocol::Chat,
        ReplayProvider::OpenaiResponses => Protocol::Responses,
    })
}

fn decoded(protocol: Protocol, exchange: &Exchange) -> ExchangeRow {
    let (events, error) = models::replay::events(exchange, protocol);
    ExchangeRow {
        provider: protocol.name(),
        status: exchange.status,
        bytes: exchange.bytes().len(),
        events: events.iter().map(event::json).collect(),
        error: error.map(|error| explained(&error)),
    }
}

fn told(protocol: Protocol, exchange: &Exchange) -> String {
    let (events, error) = models::replay::events(exchange, protocol);
    let mut text = format!("{protocol}, HTTP {}, {} bytes\n", exchange.status, exchange.bytes().len());
    for event in &events {
        text.push_str(&format!("  {}\n", visible(&event::line(event))));
    }
    if let Some(error) = error {
        text.push_str(&format!("  error     {}\n", visible(&explained(&error))));
    }
    text
}

/// An error with its causes.
fn explained(error: &agent::model::ModelError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}
