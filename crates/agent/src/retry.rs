//! Whether a refused HTTP request is worth sending again, and when. Never reads a clock: the caller says what time it is.

use std::time::{Duration, SystemTime};

/// The longest time that a provider can make us wait. A longer one is told to the person instead.
pub const WAIT_MAX: Duration = Duration::from_secs(120);

/// What a provider's refusal says about trying again, as it stood in the response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refusal<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The header `x-should-retry`.
    pub should_retry: Option<&'a str>,
    /// The header `retry-after-ms`.
    pub retry_after_ms: Option<&'a str>,
    /// The header `retry-after`: seconds, or a date.
    pub retry_after: Option<&'a str>,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Send it again, after this time if the provider named one.
    Again(Option<Duration>),
    /// The provider wants more patience than anyone has: tell the person.
    TooLong(Duration),
    /// Do not send it again.
    GiveUp,
}

/// Judges a refusal. The provider's own word (`x-should-retry`) outranks the status.
pub fn advise(refusal: Refusal<'_>, now: SystemTime) -> Advice {
    let again = match refusal.should_retry.map(str::trim) {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(refusal.status, 408 | 409 | 429 | 500..),
    };
    if !again {
        return Advice::GiveUp;
    }
    match asked_wait(refusal, now) {
        Some(wait) if wait > WAIT_MAX => Advice::TooLong(wait),
        wait => Advice::Again(wait),
    }
}

/// The wait that the provider asks for. A date in the past and a value that makes no sense say nothing.
fn asked_wait(refusal: Refusal<'_>, now: SystemTime) -> Option<Duration> {
    let milliseconds = refusal.retry_after_ms.and_then(|text| scaled(text, 1e-3));
    let seconds = || refusal.retry_after.and_then(|text| scaled(text, 1.0));
    let until = || {
        let date = httpdate::parse_http_date(refusal.retry_after?.trim()).ok()?;
        date.duration_since(now).ok().filter(|wait| !wait.is_zero())
    };
    milliseconds.or_else(seconds).or_else(until)
}

fn scaled(text: &str, unit: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse::<f64>().ok()? * unit).ok()
}
