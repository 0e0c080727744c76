//! The tool that searches the web. Never exists unless the person configured a service.

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::limits::{HITS_MAX, PATTERN_MAX};
use crate::web::{Hit, Provider};

/// Searches the web and gives back titles, addresses and a few words of each page. Load a page with `WebFetch` to read it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WebSearchInput {
    /// What to look for.
    query: String,
    /// Only pages of these hosts and those below them.
    #[serde(default)]
    allowed_domains: Vec<String>,
    /// No pages of these hosts and those below them.
    #[serde(default)]
    blocked_domains: Vec<String>,
}

/// `WebSearch`.
pub struct WebSearch {
    spec: ToolSpec,
    provider: Provider,
}

impl WebSearch {
    /// Searches with `provider`.
    pub fn new(provider: Provider) -> Self {
        Self { spec: spec::<WebSearchInput>("WebSearch"), provider }
    }

    fn checked(call: &ToolCall) -> Result<WebSearchInput, String> {
        let input: WebSearchInput = parsed(call)?;
        if input.query.trim().is_empty() || input.query.len() > PATTERN_MAX {
            return Err(format!("InputValidationError: `query`: give 1 to {PATTERN_MAX} bytes"));
        }
        Ok(input)
    }

    async fn found(&self, input: &WebSearchInput) -> Result<String, String> {
        let mut hits = self.provider.search(&input.query, HITS_MAX).await?;
        hits.retain(|hit| input.wants(hit));
        hits.truncate(HITS_MAX);
        if hits.is_empty() {
            return Ok("nothing was found; try other words".to_owned());
        }
        Ok(hits.iter().map(|hit| format!("{}\n{}\n{}\n\n", hit.title, hit.url, hit.snippet)).collect())
    }
}

impl WebSearchInput {
    fn wants(&self, hit: &Hit) -> bool {
        let url = reqwest::Url::parse(&hit.url).ok();
        let host = url.as_ref().and_then(reqwest::Url::host_str).unwrap_or_default();
        let is_of = |domain: &String| {
            let domain = domain.to_ascii_lowercase();
            host == domain || host.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
        };
        (self.allowed_domains.is_empty() || self.allowed_domains.iter().any(is_of))
            && !self.blocked_domains.iter().any(is_of)
    }
}

impl Tool for WebSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        // Words go to a service that the person chose; that they may is a rule about the tool.
        Box::pin(async move { Self::checked(call).map(|_| Claim::of(Access::Execute)) })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            let input = match Self::checked(permit.call()) {
                Ok(input) => input,
                Err(words) => return Output::error(words),
            };
            tokio::select! {
                found = self.found(&input) => found.map_or_else(Output::error, Output::success),
                () = scope.controller.subscribe() => Output::error("[Interrupted by user]"),
            }
        })
    }
}
