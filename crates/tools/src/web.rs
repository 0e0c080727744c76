//! Reaching other machines for a model: only public ones, each by the address that was checked. Never goes through a proxy and never
//! follows a way to another host: that host was not allowed.

mod address;
mod markdown;
mod search;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use agent::StreamController;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

pub use address::is_public;
pub use search::{Hit, Key, Provider};

use crate::limits::{PAGE_MAX, PAGE_SHOWN_MAX, PAGE_TIMEOUT, REDIRECTS_MAX};
use crate::output::plain;

const USER_AGENT: &str = concat!("agent-doc/", env!("CARGO_PKG_VERSION"));

/// The way out.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// Addresses that may be reached though they are not public. The person's configuration names them.
    allowed: Arc<HashSet<SocketAddr>>,
}

/// A page, made readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) text: String,
}

impl Web {
    /// Public machines, and these addresses.
    pub fn new(allowed: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self { allowed: Arc::new(allowed.into_iter().collect()) }
    }

    /// Loads a page as text.
    pub(crate) async fn page(&self, url: Url, controller: &StreamController) -> Result<Page, String> {
        tokio::select! {
            page = self.loaded(url.clone()) => page,
            () = tokio::time::sleep(PAGE_TIMEOUT) => {
                Err(format!("{url} did not answer within {} seconds; try again later, or another page", PAGE_TIMEOUT.as_secs()))
            }
            () = controller.subscribe() => Err("[Interrupted by user]".to_owned()),
        }
    }

    async fn loaded(&self, mut url: Url) -> Result<Page, String> {
        for _ in 0..=REDIRECTS_MAX {
            let response = self.requested(&url).await?;
            if !response.status().is_redirection() {
                return read(url, response).await;
            }
            let next = redirection(&url, &response)?;
            if next.host_str() != url.host_str() {
                return Err(format!(
                    "{url} leads to {next} on another host; call WebFetch with that address if you need it"
                ));
            }
            url = checked(next.as_str())?;
        }
        Err(format!("{url} leads on and on; more than {REDIRECTS_MAX} redirections are not followed"))
    }

    async fn requested(&self, url: &Url) -> Result<Response, String> {
        let host = url.host_str().unwrap_or_default();
        let addresses = self.resolved(url).await?;
        let client = client()
            .no_proxy()
            .redirect(Policy::none())
            // The name was looked up once; whatever it means a moment later, this is where we go.
            .resolve_to_addrs(host, &addresses)
            .build()
            .map_err(|error| told(&error))?;
        let accepted = "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1";
        client
            .get(url.clone())
            .header("accept", accepted)
            .send()
            .await
            .map_err(|error| format!("{url}: {}", told(&error)))
    }

    /// The addresses of a host. All of them must be fit to be reached: which one is taken is not ours to say.
    async fn resolved(&self, url: &Url) -> Result<Vec<SocketAddr>, String> {
        let port = url.port_or_known_default().unwrap_or(443);
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let found = tokio::net::lookup_host((bare, port)).await;
        let addresses: Vec<SocketAddr> =
            found.map_err(|error| format!("{host} cannot be found: {error}"))?.collect();
        if addresses.is_empty() {
            return Err(format!("{host} has no address"));
        }
        match addresses.iter().find(|address| !is_public(address.ip()) && !self.allowed.contains(address)) {
            Some(address) => Err(format!(
                "{host} is at {}, which is not a public address, and is not reached; use Bash if you need it",
                address.ip()
            )),
            None => Ok(addresses),
        }
    }
}

/// An address that may be asked for: of the web, and without a name and password in it.
pub(crate) fn checked(url: &str) -> Result<Url, String> {
    let url = Url::parse(url.trim())
        .map_err(|error| format!("{error}; give a whole address such as https://example.com/page"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{} is not loaded; give an address that begins with https://", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("it names no host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a name or a password, which are not sent; leave them out".to_owned());
    }
    Ok(url)
}

fn redirection(url: &Url, response: &Response) -> Result<Url, String> {
    let place = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
    let place =
        place.ok_or_else(|| format!("{url} answers {} and does not say where to go", response.status()))?;
    url.join(place).map_err(|error| format!("{url} leads to {place:?}, which is no address: {error}"))
}

async fn read(url: Url, mut response: Response) -> Result<Page, String> {
    let status = response.status().as_u16();
    let kind =
        response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("text/plain");
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_text = kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml"].iter().any(|end| kind.ends_with(end));
    if !is_text {
        return Err(format!("{url} is {kind} and no text; load it with Bash if you need it"));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| format!("{url}: {}", told(&error)))? {
        body.extend_from_slice(&chunk);
        if body.len() > PAGE_MAX {
            return Err(format!("{url} has more than {PAGE_MAX} bytes; look for a smaller page"));
        }
    }
    let is_html = kind.ends_with("html");
    let text = tokio::task::spawn_blocking(move || {
        let text = plain(&body);
        if is_html { markdown::of(&text) } else { text }
    });
    let text = text.await.map_err(|_| format!("{url} could not be made readable"))?;
    Ok(Page { url: url.to_string(), status, kind, text: shortened(text) })
}

fn shortened(mut text: String) -> String {
    if text.len() > PAGE_SHOWN_MAX {
        let all = text.len();
        text.truncate(text.floor_char_boundary(PAGE_SHOWN_MAX));
        text.push_str(&format!("\n[{PAGE_SHOWN_MAX} of {all} bytes]"));
    }
    text
}

fn client() -> reqwest::ClientBuilder {
    // Whoever came first has chosen the same one.
    rustls::crypto::ring::default_provider().install_default().ok();
    Client::builder().user_agent(USER_AGENT).timeout(PAGE_TIMEOUT)
}

/// What went wrong, down to its cause, without the address: that may hold a key.
fn told(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
