//! Sends a request and gives the body of the answer. Never follows the server elsewhere, because the key would go along, and
//! never shows the key.

use std::error::Error as _;
use std::time::{Duration, Instant, SystemTime};

use agent::model::{ModelError, RetryReason};
use futures_util::stream;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};

use crate::failure::{Asked, Complaint, Refused, broken, cut};
use crate::recording::Tape;
use crate::stream::Body;

/// How much of a refusal we read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// How long we read at a refusal.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(5);

/// How long we wait, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the first byte of the answer, from the end of the request.
    pub first_byte: Duration,
    /// For each next byte. Anything counts, also a ping.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(60),
            idle: Duration::from_secs(120),
        }
    }
}

impl Timeouts {
    /// For a model on the person's own machine, which may have to be loaded first and reads slowly.
    pub fn patient() -> Self {
        let long = Duration::from_secs(600);
        Self { first_byte: long, idle: long, ..Self::default() }
    }
}

/// The way to all services. Cheap to clone; connections are shared. Proxies are taken from where the system has them.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    timeouts: Timeouts,
}

/// What is sent.
#[derive(Clone)]
pub(crate) struct Post {
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Http {
    /// Fails only if the system has no usable certificates or random numbers.
    pub fn new(timeouts: Timeouts) -> Result<Self, ModelError> {
        // The first one in a process wins, and all would be the same.
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            // Someone was first.
        }
        let client = Client::builder()
            .connect_timeout(timeouts.connect)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("agent-doc/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| broken(format!("the connection cannot be set up: {}", cause(&error))))?;
        Ok(Self { client, timeouts })
    }

    /// The limits of all waits.
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// Sends, and waits for the beginning of an answer.
    pub(crate) async fn post(
        &self,
        post: Post,
        asked: &Asked,
        tape: Option<Tape>,
    ) -> Result<Body, ModelError> {
        let url = address(&post.url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let sending = self
            .client
            .post(url)
            .headers(post.headers)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(post.body)
            .send();
        let began = Instant::now();
        let sent = tokio::time::timeout(self.timeouts.first_byte, sending).await;
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                tracing::warn!(host, took_ms = took, cause = cause(&error), "model not reached");
                return Err(unreached(&host, &error));
            }
            Err(_) => {
                tracing::warn!(host, took_ms = took, "model silent");
                return Err(cut(format!("{host} said nothing for {} s", self.timeouts.first_byte.as_secs())));
            }
        };
        let status = response.status().as_u16();
        tracing::info!(host, status, took_ms = took, "model answered");
        if let Some(tape) = &tape {
            tape.head(status, response.headers())?;
        }
        if response.status().is_success() && is_stream(&response) {
            return Ok(body(response, tape));
        }
        let refused = refused(response, tape).await?;
        if refused.status < 300 {
            return Err(no_stream(&refused));
        }
        Err(refused.error(asked, SystemTime::now()))
    }
}

fn address(text: &str) -> Result<Url, ModelError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| broken("the base URL is no web address; write it as https://HOST/PATH"))
}

/// Servers that are not asked often say `text/event-stream` in many ways, or nothing. A page or an object is no stream.
fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    !kind.starts_with("text/html") && !kind.starts_with("application/json")
}

fn no_stream(refused: &Refused) -> ModelError {
    match serde_json::from_slice(&refused.body) {
        Ok(value) => Complaint::of_value(&value).in_stream(),
        Err(_) => broken("the server answered with a page and not with a stream; look at the base URL"),
    }
}

fn unreached(host: &str, error: &reqwest::Error) -> ModelError {
    let cause = cause(error);
    let told = format!("cannot reach {host}: {cause}");
    if error.is_builder() || cause.contains("certificate") {
        return broken(told);
    }
    ModelError::Retry { after: None, reason: RetryReason::Network(told) }
}

/// The innermost cause. The outer ones name the address, which may hold a password.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    match error.source() {
        Some(_) => innermost.to_string(),
        None => "the request could not be sent".to_owned(),
    }
}

async fn refused(mut response: Response, tape: Option<Tape>) -> Result<Refused, ModelError> {
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut refused = Refused {
        status: response.status().as_u16(),
        should_retry: header("x-should-retry"),
        retry_after_ms: header("retry-after-ms"),
        retry_after: header("retry-after"),
        body: Vec::new(),
    };
    let reading = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            refused.body.extend_from_slice(&bytes);
            if refused.body.len() >= REFUSAL_BYTES_MAX {
                refused.body.truncate(REFUSAL_BYTES_MAX);
                break;
            }
        }
    };
    if tokio::time::timeout(REFUSAL_PATIENCE, reading).await.is_err() {
        // The status alone says what to do; the rest of the words is not worth the wait.
    }
    if let Some(tape) = &tape {
        tape.bytes(&refused.body)?;
        tape.end("whole")?;
    }
    Ok(refused)
}

/// The rest of the response, and a recording of it if one is wanted.
fn body(response: Response, tape: Option<Tape>) -> Body {
    Box::pin(stream::unfold(Some((response, tape)), |state| async move {
        let (mut response, tape) = state?;
        let read = response.chunk().await;
        if let Some(Err(error)) = tape.as_ref().map(|tape| noted(tape, &read)) {
            return Some((Err(error), None));
        }
        match read {
            Ok(Some(bytes)) => Some((Ok(bytes.to_vec()), Some((response, tape)))),
            Ok(None) => None,
            Err(error) => Some((Err(format!("the connection broke: {}", cause(&error))), None)),
        }
    }))
}

fn noted<B: AsRef<[u8]>>(tape: &Tape, read: &reqwest::Result<Option<B>>) -> Result<(), String> {
    let noted = match read {
        Ok(Some(bytes)) => tape.bytes(bytes.as_ref()),
        Ok(None) => tape.end("whole"),
        Err(_) => tape.end("cut"),
    };
    noted.map_err(|error| error.to_string())
}
