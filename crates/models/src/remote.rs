//! A model of a service. Never tries again by itself, and never reads the environment: the caller says where the service is
//! and which key opens it.

use agent::model::{Limits, Model, ModelError, ModelStream, Request};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use crate::answer::Answer;
use crate::failure::Asked;
use crate::http::{Http, Post};
use crate::key::Key;
use crate::protocol::{Dialect, Protocol};
use crate::recording::Recorder;
use crate::stream::decode;

/// Where a service is, what it speaks, and what opens it.
#[derive(Clone, Debug)]
pub struct Endpoint {
    protocol: Protocol,
    base_url: String,
    key: Option<Key>,
    asked: Asked,
}

impl Endpoint {
    /// A server that speaks `protocol` at `base_url`. `variable` is where a key belongs, for the message if one is missing.
    pub fn new(protocol: Protocol, base_url: &str, key: Option<Key>, variable: &str) -> Self {
        let base_url = normal(protocol, base_url);
        let provider = match (protocol, Dialect::of(&base_url)) {
            (Protocol::Anthropic, Dialect::Original) => "Anthropic".to_owned(),
            (Protocol::Chat | Protocol::Responses, Dialect::Original) => "OpenAI".to_owned(),
            (_, Dialect::Compatible) => host(&base_url).to_owned(),
        };
        let variable = key.as_ref().map_or(variable, Key::variable).to_owned();
        Self { protocol, base_url, key, asked: Asked { provider, variable } }
    }

    /// The wire format.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Where requests go.
    pub fn url(&self) -> String {
        format!("{}{}", self.base_url, self.protocol.path())
    }

    fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        if self.protocol == Protocol::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        let Some(key) = &self.key else { return Ok(headers) };
        match self.protocol {
            Protocol::Anthropic => headers.insert("x-api-key", key.header("")?),
            Protocol::Chat | Protocol::Responses => headers.insert(AUTHORIZATION, key.header("Bearer ")?),
        };
        Ok(headers)
    }

    /// An error in which no server can send our key back to us.
    fn scrubbed(&self, error: ModelError) -> ModelError {
        let Some(key) = &self.key else { return error };
        match error {
            ModelError::Rejected { message } => ModelError::Rejected { message: key.scrubbed(&message) },
            ModelError::Retry { after, reason } => {
                use agent::model::RetryReason::{Cut, Network, Provider};
                let reason = match reason {
                    Network(message) => Network(key.scrubbed(&message)),
                    Provider(message) => Provider(key.scrubbed(&message)),
                    Cut(message) => Cut(key.scrubbed(&message)),
                };
                ModelError::Retry { after, reason }
            }
            ModelError::Broken(source) => ModelError::Broken(key.scrubbed(&source.to_string()).into()),
            error @ (ModelError::TooLong | ModelError::RefusedKey { .. } | ModelError::Aborted) => error,
        }
    }
}

/// People write base URLs with and without the version. Each protocol gets the form that its paths need.
fn normal(protocol: Protocol, base_url: &str) -> String {
    let base_url = base_url.trim().trim_end_matches('/');
    match protocol {
        Protocol::Anthropic => base_url.strip_suffix("/v1").unwrap_or(base_url).to_owned(),
        Protocol::Chat | Protocol::Responses => {
            let has_path = base_url.split("://").nth(1).is_some_and(|rest| rest.contains('/'));
            if has_path { base_url.to_owned() } else { format!("{base_url}/v1") }
        }
    }
}

fn host(url: &str) -> &str {
    let authority = url.split("://").nth(1).unwrap_or(url).split('/').next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

/// A model of a service.
#[derive(Clone, Debug)]
pub struct Remote {
    id: String,
    endpoint: Endpoint,
    limits: Limits,
    http: Http,
    recorder: Option<Recorder>,
}

impl Remote {
    /// The model that people call `id`.
    pub fn new(id: impl Into<String>, endpoint: Endpoint, limits: Limits, http: Http) -> Self {
        Self { id: id.into(), endpoint, limits, http, recorder: None }
    }

    /// Keeps all that goes over the wire.
    #[must_use]
    pub fn recorded(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    async fn ask(self, request: Request) -> Result<ModelStream, ModelError> {
        let Self { endpoint, http, recorder, .. } = self;
        let url = endpoint.url();
        let body = endpoint.protocol.encode(&request, Dialect::of(&url));
        let headers = endpoint.headers()?;
        let tape = recorder.map(|recorder| recorder.begin(endpoint.protocol, &url, &body)).transpose()?;
        let answer = Answer::new(endpoint.protocol, request.messages.len());
        let asked = endpoint.asked.clone();
        match http.post(Post { url, headers, body }, &asked, tape).await {
            Ok(body) => {
                let read = decode(body, answer, http.timeouts());
                Ok(Box::pin(read.map(move |item| item.map_err(|error| endpoint.scrubbed(error)))))
            }
            Err(error) => Err(endpoint.scrubbed(error)),
        }
    }
}

impl Model for Remote {
    fn id(&self) -> &str {
        &self.id
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn stream(&self, request: Request) -> ModelStream {
        Box::pin(stream::once(self.clone().ask(request)).try_flatten())
    }
}
