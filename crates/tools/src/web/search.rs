//! Searching the web through a service that the person chose. Never shows its key.

use std::fmt;

use reqwest::Url;
use serde_json::Value;

use super::{client, told};
use crate::limits::PAGE_MAX;

/// A key of a service. Its debug form says nothing.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Keeps `key` out of sight.
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// For the wire, and to see that it is said nowhere else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// Who searches. The address is that of the person's configuration, so it may be on this machine.
#[derive(Clone, Debug)]
pub enum Provider {
    /// A `SearXNG`, or what speaks like one.
    SearXng {
        /// Such as `https://searx.example.org`.
        endpoint: Url,
    },
    /// Brave.
    Brave {
        /// Such as `https://api.search.brave.com/res/v1/web/search`.
        endpoint: Url,
        /// The person's key.
        key: Key,
    },
    /// Tavily.
    Tavily {
        /// Such as `https://api.tavily.com/search`.
        endpoint: Url,
        /// The person's key.
        key: Key,
    },
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The title of the page.
    pub title: String,
    /// Its address.
    pub url: String,
    /// Some words of it.
    pub snippet: String,
}

impl Provider {
    /// The first results for `query`.
    pub(crate) async fn search(&self, query: &str, count: usize) -> Result<Vec<Hit>, String> {
        let client = client().build().map_err(|error| told(&error))?;
        let count = count.to_string();
        let request = match self {
            Self::SearXng { endpoint } => {
                let mut url = endpoint.join("search").map_err(|error| error.to_string())?;
                url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
                client.get(url)
            }
            Self::Brave { endpoint, key } => {
                let mut url = endpoint.clone();
                url.query_pairs_mut().append_pair("q", query).append_pair("count", &count);
                client.get(url).header("X-Subscription-Token", &key.0)
            }
            Self::Tavily { endpoint, key } => {
                let body =
                    serde_json::json!({ "query": query, "max_results": count.parse::<u32>().unwrap_or(10) });
                let request = client.post(endpoint.clone()).header("content-type", "application/json");
                request.header("authorization", format!("Bearer {}", key.0)).body(body.to_string())
            }
        };
        let mut response = request
            .send()
            .await
            .map_err(|error| format!("the search service was not reached: {}", told(&error)))?;
        if !response.status().is_success() {
            return Err(format!(
                "the search service answers {}; check its key and address",
                response.status()
            ));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| told(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > PAGE_MAX {
                return Err("the search service says more than can be read".to_owned());
            }
        }
        let answer: Value = serde_json::from_slice(&body)
            .map_err(|_| "the search service does not answer in JSON; turn its JSON format on".to_owned())?;
        Ok(self.hits(&answer))
    }

    fn hits(&self, answer: &Value) -> Vec<Hit> {
        let (place, snippet) = match self {
            Self::SearXng { .. } | Self::Tavily { .. } => ("/results", "content"),
            Self::Brave { .. } => ("/web/results", "description"),
        };
        let text = |hit: &Value, name: &str| {
            let text = hit.get(name).and_then(Value::as_str).unwrap_or_default();
            crate::output::plain(text.as_bytes())
        };
        let hits = answer.pointer(place).and_then(Value::as_array).into_iter().flatten();
        let hits = hits.map(|hit| Hit {
            title: text(hit, "title"),
            url: text(hit, "url"),
            snippet: text(hit, snippet),
        });
        hits.filter(|hit| !hit.url.is_empty()).collect()
    }
}
