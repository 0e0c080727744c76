//! Who searches the web for the agent, as the person's own settings say. Never takes a key from a file, and never shows one.

use anyhow::Result;
use tools::web::{Key, Provider};

use crate::configuration::Configuration;
use crate::refusal::Refusal;

/// Where the two services answer.
const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";
const TAVILY: &str = "https://api.tavily.com/search";

/// The service of the settings; none if they name none.
pub(crate) fn provider(settings: &Configuration) -> Result<Option<Provider>> {
    let url = settings.text("search.url");
    let refused = |what: &str, remedy: &str| Err(Refusal::new(what, remedy).into());
    let address = |url: &str| {
        let wrong =
            || Refusal::new("'search.url' is no address", "give one such as https://searx.example.org");
        url.parse().map_err(|_| wrong())
    };
    Ok(Some(match settings.text("search.provider") {
        None => return Ok(None),
        Some("brave") => {
            Provider::Brave { endpoint: address(url.unwrap_or(BRAVE))?, key: key("BRAVE_API_KEY")? }
        }
        Some("tavily") => {
            Provider::Tavily { endpoint: address(url.unwrap_or(TAVILY))?, key: key("TAVILY_API_KEY")? }
        }
        Some(_) => match url {
            // The last part of an address counts as a folder only if it ends so.
            Some(url) => Provider::SearXng { endpoint: address(&format!("{}/", url.trim_end_matches('/')))? },
            None => {
                return refused(
                    "it is not known where your SearXNG answers",
                    "set 'search.url' in your settings, such as \"https://searx.example.org\"",
                );
            }
        },
    }))
}

fn key(variable: &str) -> Result<Key> {
    let key = std::env::var(variable).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    let none = || {
        let remedy = format!("set {variable}, or take 'search.provider' out of your settings");
        Refusal::new(format!("the search service needs a key, and {variable} is not set"), remedy)
    };
    Ok(Key::new(key.ok_or_else(none)?))
}
