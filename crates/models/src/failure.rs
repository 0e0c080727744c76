//! What a provider's refusal means for the caller. Never repeats a key, and never lets a long or hostile message through
//! as it came.

use std::time::SystemTime;

use agent::model::{ModelError, RetryReason};
use agent::retry::{Advice, Refusal, advise};
use serde_json::Value;

/// The longest message of a provider that we pass on, in characters.
const MESSAGE_MAX: usize = 1000;

/// Kinds and codes of errors that pass by themselves.
const PASSING: &[&str] = &[
    "api_error",
    "internal_error",
    "internal_server_error",
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "server_error",
    "server_overloaded",
    "service_unavailable",
    "timeout_error",
    "too_many_requests",
    "unavailable_error",
    "vector_store_timeout",
];

/// Kinds and codes that say that the conversation is too long.
const TOO_LONG: &[&str] = &["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/// What servers write when they have no such code.
const TOO_LONG_WORDS: &[&str] = &[
    "prompt is too long",
    "maximum context length",
    "exceeds the available context size",
    "exceeds the context window",
    "input length and `max_tokens` exceed context limit",
    "context length exceeded",
];

/// Sounds like a limit of rate and is one of money: waiting does not help.
const OUT_OF_MONEY: &[&str] = &["insufficient_quota", "billing_error", "billing_hard_limit_reached"];

/// Who was asked, as errors name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) provider: String,
    /// The variable that holds the key.
    pub(crate) variable: String,
}

/// An error as providers spell it: a kind, a code, and words. Each may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    kind: String,
    code: String,
    message: String,
}

impl Complaint {
    /// Reads `{"error": {…}}`, `{"error": "…"}`, and the spellings of servers that imitate a provider.
    pub(crate) fn of_value(value: &Value) -> Self {
        let error = match value.get("error") {
            Some(error @ (Value::Object(_) | Value::String(_))) => error,
            _ => value,
        };
        let word = |key: &str| match error.get(key) {
            Some(Value::String(word)) => word.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            _ => String::new(),
        };
        let message = match error {
            Value::String(message) => message.clone(),
            _ => [word("message"), word("detail")]
                .into_iter()
                .find(|words| !words.is_empty())
                .unwrap_or_default(),
        };
        // A bare error event is of the type `error`, which says nothing.
        let kind = Some(word("type")).filter(|kind| kind != "error").unwrap_or_default();
        Self { kind, code: word("code"), message }
    }

    /// Reads the body of a refused request, which may be anything.
    fn of_body(body: &[u8]) -> Self {
        serde_json::from_slice(body).map_or_else(
            |_| Self { message: String::from_utf8_lossy(body).into_owned(), ..Self::default() },
            |value| Self::of_value(&value),
        )
    }

    fn is_any_of(&self, words: &[&str]) -> bool {
        words.contains(&self.kind.as_str()) || words.contains(&self.code.as_str())
    }

    fn is_too_long(&self) -> bool {
        let message = self.message.to_lowercase();
        self.is_any_of(TOO_LONG) || TOO_LONG_WORDS.iter().any(|words| message.contains(words))
    }

    /// Some gateways put the HTTP status into the code.
    fn is_passing(&self) -> bool {
        self.is_any_of(PASSING) || matches!(self.code.parse::<u16>(), Ok(429 | 500..=599))
    }

    /// What the person reads.
    fn told(&self) -> String {
        let kind = [&self.kind, &self.code].into_iter().find(|word| !word.is_empty());
        let message = shown(&self.message);
        match kind {
            Some(kind) if message.is_empty() => shown(kind),
            Some(kind) => format!("{message} ({})", shown(kind)),
            None if message.is_empty() => "no reason given".to_owned(),
            None => message,
        }
    }

    /// An error that came as an event, after the answer had begun with HTTP 200.
    pub(crate) fn in_stream(&self) -> ModelError {
        if self.is_any_of(OUT_OF_MONEY) {
            return ModelError::Rejected { message: self.told() };
        }
        if self.is_too_long() {
            return ModelError::TooLong;
        }
        if self.is_passing() {
            return ModelError::Retry { after: None, reason: RetryReason::Provider(self.told()) };
        }
        ModelError::Rejected { message: self.told() }
    }
}

/// What a response that is no answer said: its status, the headers that matter, and the beginning of its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) should_retry: Option<String>,
    pub(crate) retry_after_ms: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Refused {
    /// What the caller does about it.
    pub(crate) fn error(&self, asked: &Asked, now: SystemTime) -> ModelError {
        let complaint = Complaint::of_body(&self.body);
        let told = format!("HTTP {}: {}", self.status, complaint.told());
        match self.status {
            401 | 403 => {
                return ModelError::RefusedKey {
                    provider: asked.provider.clone(),
                    variable: asked.variable.clone(),
                };
            }
            400 | 413 | 422 if complaint.is_too_long() => return ModelError::TooLong,
            // The body is larger than the provider takes, whatever it says.
            413 => return ModelError::TooLong,
            300..=399 => {
                let message = format!(
                    "HTTP {}: the address leads elsewhere; set the base URL that it leads to",
                    self.status
                );
                return ModelError::Rejected { message };
            }
            _ if complaint.is_any_of(OUT_OF_MONEY) => return ModelError::Rejected { message: told },
            _ => {}
        }
        match advise(self.asked_for(), now) {
            Advice::Again(after) => ModelError::Retry { after, reason: RetryReason::Provider(told) },
            Advice::TooLong(wait) => {
                let message = format!("{told}; it asks to wait {} s, so try again later", wait.as_secs());
                ModelError::Rejected { message }
            }
            Advice::GiveUp => ModelError::Rejected { message: told },
        }
    }

    fn asked_for(&self) -> Refusal<'_> {
        Refusal {
            status: self.status,
            should_retry: self.should_retry.as_deref(),
            retry_after_ms: self.retry_after_ms.as_deref(),
            retry_after: self.retry_after.as_deref(),
        }
    }
}

/// Something that no provider should send. It is told and not tried again.
pub(crate) fn broken(what: impl Into<String>) -> ModelError {
    ModelError::Broken(what.into().into())
}

/// The answer ended too early. The request may be sent again.
pub(crate) fn cut(what: impl Into<String>) -> ModelError {
    ModelError::Retry { after: None, reason: RetryReason::Cut(what.into()) }
}

/// Words of a stranger on a terminal: one line, not too long, and nothing that moves the cursor.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.extend(word.chars().filter(|letter| !letter.is_control()));
        if shown.chars().count() > MESSAGE_MAX {
            return shown.chars().take(MESSAGE_MAX).chain(['…']).collect();
        }
    }
    shown
}

#[cfg(test)]
mod tests;
