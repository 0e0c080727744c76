//! Which model answers. Never shows a key, and never sends one where the person's own settings do not.

use std::path::Path;
use std::sync::Arc;

use agent::model::{Limits, Model};
use anyhow::{Context as _, Result};
use models::catalog::{self, Offer, PROVIDERS, Provider};
use models::recording::{Recorder, Recording};
use models::{Endpoint, Http, Key, Offline, Protocol, Remote, Replay, Strictness, Timeouts};

use crate::configuration::{Configuration, Origin};
use crate::input;
use crate::refusal::Refusal;

/// What a recorded model holds: whatever was recorded fits.
const REPLAYED: Limits = Limits { context_window: 1_000_000, output_max: 64_000 };

/// The name of the model that needs no key.
pub(crate) const OFFLINE: &str = Offline::ID;

/// A model, and its name at the provider.
pub(crate) struct Chosen {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) name: String,
}

/// The model that `wanted`, the settings, or what is there choose, in this order.
pub(crate) fn choose(
    wanted: Option<&str>,
    settings: &Configuration,
    record: Option<&Path>,
) -> Result<Chosen> {
    let named = wanted.or_else(|| settings.text("model")).map(str::trim).filter(|name| !name.is_empty());
    let Some(named) = named else {
        let offers = catalog::offers(&|name| looked_up(name, settings));
        let is_remote = |offer: &&Offer| offer.ready && offer.provider != Offline::ID;
        let ready = offers.iter().filter(is_remote).find(|offer| !offer.model.is_empty());
        if let (None, Some(unnamed)) = (ready, offers.iter().find(is_remote)) {
            return Err(Refusal::new(
                format!("it is not known which model of {} to ask", unnamed.url),
                format!("name one, such as --model {}/NAME, or 'model' in your settings", unnamed.provider),
            )
            .into());
        }
        let provider = ready.and_then(|offer| PROVIDERS.iter().find(|known| known.name == offer.provider));
        return match provider {
            Some(provider) => remote(provider, provider.default_model, settings, record),
            None => Ok(offline()),
        };
    };
    if named == Offline::ID {
        return Ok(offline());
    }
    if let Some(file) = named.strip_prefix("replay:") {
        return replay(Path::new(file));
    }
    let whole = PROVIDERS
        .iter()
        .find_map(|provider| Some((provider, named.strip_prefix(provider.name)?.strip_prefix('/')?)));
    let guessed = || Some((catalog::provider_of(named)?, named));
    match whole.or_else(guessed) {
        Some((provider, name)) if !name.is_empty() => remote(provider, name, settings, record),
        Some(_) | None => Err(Refusal::new(
            format!("it is not known who offers the model '{}'", named.escape_debug()),
            "write provider/model, such as anthropic/NAME or openai/NAME, or offline; 'agent-doc models' shows what can be used",
        )
        .into()),
    }
}

/// Whether a model would be asked over the network, if nobody names one.
pub(crate) fn is_remote(settings: &Configuration) -> bool {
    choose(None, settings, None).is_ok_and(|chosen| chosen.name != Offline::ID)
}

fn offline() -> Chosen {
    Chosen { model: Arc::new(Offline), name: Offline::ID.to_owned() }
}

fn remote(
    provider: &Provider,
    name: &str,
    settings: &Configuration,
    record: Option<&Path>,
) -> Result<Chosen> {
    let lookup = |name: &str| looked_up(name, settings);
    let endpoint = match settings.text("openai.api").filter(|_| provider.name == "openai") {
        Some(api) => {
            let protocol = if api == "chat" { Protocol::Chat } else { Protocol::Responses };
            let address = lookup(provider.url_variable).unwrap_or_else(|| provider.base_url.to_owned());
            Endpoint::new(protocol, &address, key(provider), provider.key_variable)
        }
        None => provider.endpoint(&lookup),
    };
    let mut limits = catalog::limits(name);
    if let (true, Some(window)) = (provider.name == "openai", settings.number("openai.context_window")) {
        limits = Limits { context_window: window, output_max: limits.output_max.min(window / 2) };
    }
    let http = Http::new(Timeouts::patient()).context("the network cannot be used")?;
    let mut model = Remote::new(format!("{}/{name}", provider.name), endpoint, limits, http);
    if let Some(path) = record {
        let recorder = Recorder::create(path).with_context(|| {
            Refusal::new(
                format!("cannot write {}", input::shown(path)),
                "name a file in a folder that you may write in",
            )
        })?;
        model = model.recorded(recorder);
    }
    Ok(Chosen { model: Arc::new(model), name: name.to_owned() })
}

fn replay(path: &Path) -> Result<Chosen> {
    let shown = input::shown(path);
    let bytes = std::fs::read(path)
        .with_context(|| Refusal::new(format!("cannot read {shown}"), "name a file that --record wrote"))?;
    let recording = Recording::read(&bytes).with_context(|| {
        Refusal::new(format!("{shown} is no recording"), "name a file that --record wrote")
    })?;
    let model = Replay::new(recording, REPLAYED, Strictness::AnyRequest);
    Ok(Chosen { model: Arc::new(model), name: "replay".to_owned() })
}

fn key(provider: &Provider) -> Option<Key> {
    let secret = std::env::var(provider.key_variable).ok().filter(|secret| !secret.trim().is_empty())?;
    Some(Key::new(secret.trim(), provider.key_variable))
}

/// What the environment or the person's settings say. A default is nothing that was said.
fn looked_up(name: &str, settings: &Configuration) -> Option<String> {
    let set = settings.values().iter().find(|value| value.setting.variable == Some(name));
    match set {
        Some(value) if value.origin == Origin::Default => None,
        Some(value) => value.text.clone(),
        None => std::env::var(name).ok().filter(|value| !value.trim().is_empty()),
    }
}
