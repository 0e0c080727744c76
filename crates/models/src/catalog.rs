//! Which models can be used, where, and how much fits them. Never reads the environment: the caller says what is set.

use std::sync::Arc;

use agent::model::{Limits, Model, ModelError};

use crate::http::{Http, Timeouts};
use crate::key::Key;
use crate::offline::Offline;
use crate::protocol::{Dialect, Protocol};
use crate::recording::Recorder;
use crate::remote::{Endpoint, Remote};

/// A provider as a person chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name in configurations: `anthropic`, `openai`.
    pub name: &'static str,
    /// The wire format.
    pub protocol: Protocol,
    /// The variable that holds its key.
    pub key_variable: &'static str,
    /// The variable that holds another base URL.
    pub url_variable: &'static str,
    /// Where it is if nothing else is set.
    pub base_url: &'static str,
    /// The model that is used if the person names none.
    pub default_model: &'static str,
}

/// All providers, in the order in which they are chosen.
pub const PROVIDERS: [Provider; 2] = [
    Provider {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        key_variable: "ANTHROPIC_API_KEY",
        url_variable: "ANTHROPIC_BASE_URL",
        base_url: "https://api.anthropic.com",
        default_model: "claude-sonnet-5-5",
    },
    Provider {
        name: "openai",
        protocol: Protocol::Responses,
        key_variable: "OPENAI_API_KEY",
        url_variable: "OPENAI_BASE_URL",
        base_url: "https://api.openai.com/v1",
        default_model: "gpt-6-sol",
    },
];

/// A variable of the environment or a setting of the person, by its name. Nothing if it is not set or empty.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A model that can be used, or the reason why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The provider's name, or `offline`.
    pub provider: &'static str,
    /// The model that is used if the person names none; empty if one must be named.
    pub model: String,
    /// Where requests go; empty for the offline model.
    pub url: String,
    /// Whether it can be used now.
    pub ready: bool,
    /// Why, in words for the person.
    pub why: String,
}

/// All models, in the order in which they are chosen: the first that is ready is used.
pub fn offers(lookup: Lookup<'_>) -> Vec<Offer> {
    let mut offers: Vec<Offer> = PROVIDERS.iter().map(|provider| provider.offer(lookup)).collect();
    offers.push(Offer {
        provider: Offline::ID,
        model: Offline::ID.to_owned(),
        url: String::new(),
        ready: true,
        why: "always here; searches and quotes by rules".to_owned(),
    });
    offers
}

/// Opens `model`, or what is chosen if none is named.
pub fn open(
    model: Option<&str>,
    lookup: Lookup<'_>,
    recorder: Option<Recorder>,
) -> Result<Arc<dyn Model>, ModelError> {
    let chosen = |offer: &&Offer| offer.ready && !offer.model.is_empty();
    let provider = match model {
        Some(Offline::ID) => None,
        Some(name) => provider_of(name).or_else(|| PROVIDERS.iter().find(|known| known.offer(lookup).ready)),
        None => {
            let name = offers(lookup).iter().find(chosen).map(|offer| offer.provider);
            PROVIDERS.iter().find(|known| Some(known.name) == name)
        }
    };
    let Some(provider) = provider else { return Ok(Arc::new(Offline)) };
    let name = model.unwrap_or(provider.default_model).to_owned();
    let endpoint = provider.endpoint(lookup);
    let is_near = ["//127.0.0.1", "//localhost", "//[::1]"].iter().any(|host| endpoint.url().contains(host));
    let timeouts = if is_near { Timeouts::patient() } else { Timeouts::default() };
    let remote = Remote::new(name.clone(), endpoint, limits(&name), Http::new(timeouts)?);
    Ok(match recorder {
        Some(recorder) => Arc::new(remote.recorded(recorder)),
        None => Arc::new(remote),
    })
}

impl Provider {
    /// Where this provider is for this person, and what opens it.
    pub fn endpoint(&self, lookup: Lookup<'_>) -> Endpoint {
        let url = lookup(self.url_variable);
        let base_url = url.as_deref().unwrap_or(self.base_url);
        let key = lookup(self.key_variable).map(|secret| Key::new(&secret, self.key_variable));
        // Servers that imitate OpenAI speak the older protocol, and few the newer one.
        let protocol = match (self.protocol, Dialect::of(base_url)) {
            (Protocol::Responses, Dialect::Compatible) => Protocol::Chat,
            (protocol, _) => protocol,
        };
        Endpoint::new(protocol, base_url, key, self.key_variable)
    }

    fn offer(&self, lookup: Lookup<'_>) -> Offer {
        let (key, url) = (lookup(self.key_variable).is_some(), lookup(self.url_variable));
        let other = url.as_deref().is_some_and(|url| Dialect::of(url) == Dialect::Compatible);
        let why = match (key, other) {
            (_, true) => format!("{} is set; name a model that this server has", self.url_variable),
            (true, false) => format!("{} is set", self.key_variable),
            (false, false) => format!("no key; set {}", self.key_variable),
        };
        let model = if other { String::new() } else { self.default_model.to_owned() };
        Offer { provider: self.name, model, url: self.endpoint(lookup).url(), ready: key || other, why }
    }
}

/// Limits of families of models, by how their names begin. The first that fits counts.
const FAMILIES: &[(&str, Limits)] = &[
    ("claude-", Limits { context_window: 200_000, output_max: 32_000 }),
    ("gpt-4", Limits { context_window: 128_000, output_max: 16_000 }),
    ("gpt-", Limits { context_window: 400_000, output_max: 64_000 }),
];

/// What an unknown model is taken to hold: little, because too much is an error and too little is only slow.
const UNKNOWN: Limits = Limits { context_window: 32_000, output_max: 4_000 };

/// What fits `model`. Configuration may say more.
pub fn limits(model: &str) -> Limits {
    // Gateways put the provider before the name: `anthropic/claude-…`.
    let name = model.rsplit('/').next().unwrap_or(model);
    FAMILIES.iter().find(|(family, _)| name.starts_with(family)).map_or(UNKNOWN, |(_, limits)| *limits)
}

/// The provider of `model` by its name, if that tells.
pub fn provider_of(model: &str) -> Option<&'static Provider> {
    let name = if model.starts_with("claude") { "anthropic" } else { "openai" };
    let known = model.starts_with("claude") || model.starts_with("gpt-") || model.starts_with('o');
    PROVIDERS.iter().find(|provider| known && provider.name == name)
}
