//! What every turn of our own loop begins with, whoever asked for it. Never widens a rule.

use agent::model::Effort;
use agent::permission::{Behavior, Pattern, Rule, Scope};
use agent::turn::Caps;
use anyhow::Result;

use crate::configuration::Configuration;
use crate::refusal::Refusal;

/// The rules that a person gives for this time, as `--allow`.
pub(crate) fn allowed(given: &[String]) -> Result<Vec<Rule>> {
    given.iter().map(|text| rule(text)).collect()
}

fn rule(text: &str) -> Result<Rule> {
    let pattern: Pattern = text.parse().map_err(|error| {
        Refusal::new(
            format!("--allow '{}': {error}", text.escape_debug()),
            "write it like 'Bash(cargo test *)' or 'Read(src/**)'",
        )
    })?;
    Ok(Rule { behavior: Behavior::Allow, pattern, scope: Scope::Session })
}

/// How long the model thinks, as the settings say.
pub(crate) fn effort(settings: &Configuration) -> Effort {
    match settings.text("thinking") {
        Some("low") => Effort::Low,
        Some("medium") => Effort::Medium,
        Some("high") => Effort::High,
        _ => Effort::Off,
    }
}

/// The limits of a turn that nobody watches. `iterations` is what the person gives for this time.
pub(crate) fn caps(settings: &Configuration, iterations: Option<u32>) -> Caps {
    let caps = Caps::headless();
    let iterations_max = iterations.or_else(|| settings.number("max_turns")).unwrap_or(caps.iterations_max);
    Caps { iterations_max, output_max: settings.number("output_max").unwrap_or(caps.output_max), ..caps }
}

/// The limits of a turn that a person watches.
pub(crate) fn watched_caps(settings: &Configuration) -> Caps {
    let caps = Caps::conversation();
    let iterations_max = settings.number("max_turns").unwrap_or(caps.iterations_max);
    Caps { iterations_max, output_max: settings.number("output_max").unwrap_or(caps.output_max), ..caps }
}
