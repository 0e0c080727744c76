//! Which models can be used, where, and how much fits them. Never reads the environment: the caller says what is set.

use agent::model::Limits;

use crate::protocol::Protocol;

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
