//! How often and when a failed request is sent again. Never repeats a tool: only the request goes out again, with the same history.

use std::time::Duration;

use super::event::{Effect, EndReason, Note, Purpose, TimerId};
use super::{Phase, Turn};
use crate::model::{ModelError, RetryReason};
use crate::retry::WAIT_MAX;

/// Attempts for each kind of trouble. A provider that is overloaded recovers; an answer that always breaks off costs money each time.
const PROVIDER_MAX: u32 = 8;
const NETWORK_MAX: u32 = 8;
const CUT_MAX: u32 = 3;

/// The first wait, and the longest that we choose ourselves.
const WAIT_FIRST: Duration = Duration::from_secs(1);
const WAIT_LONG: Duration = Duration::from_secs(32);

/// The failures since the last whole answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Retries {
    provider: u32,
    network: u32,
    cut: u32,
}

/// One more attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) attempts_max: u32,
    pub(super) after: Duration,
}

impl Retries {
    /// The next attempt, or none if it is enough. `asked` is what the provider wants us to wait; `jitter` lies between 0 and 1.
    pub(super) fn next(
        &mut self,
        reason: &RetryReason,
        asked: Option<Duration>,
        jitter: f64,
    ) -> Option<Attempt> {
        let (count, attempts_max) = match reason {
            RetryReason::Provider(_) => (&mut self.provider, PROVIDER_MAX),
            RetryReason::Network(_) => (&mut self.network, NETWORK_MAX),
            RetryReason::Cut(_) => (&mut self.cut, CUT_MAX),
        };
        if *count >= attempts_max || asked.is_some_and(|wait| wait > WAIT_MAX) {
            return None;
        }
        let after = asked.unwrap_or_else(|| backoff(*count, jitter));
        *count += 1;
        Some(Attempt { number: *count, attempts_max, after })
    }
}

/// One to two seconds, then two to four, and so on.
fn backoff(failures: u32, jitter: f64) -> Duration {
    let base = WAIT_FIRST.saturating_mul(2_u32.saturating_pow(failures)).min(WAIT_LONG);
    // A value that is no number must not become a wait without end.
    let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.5 };
    base.mul_f64(1.0 + jitter)
}

impl Turn {
    /// The stream failed.
    pub(super) fn fail(&mut self, error: ModelError, jitter: f64, effects: &mut Vec<Effect>) {
        match error {
            ModelError::Retry { after, reason } => match self.retries.next(&reason, after, jitter) {
                Some(attempt) => self.wait(attempt, reason.to_string(), effects),
                None => self.give_up(reason.to_string(), effects),
            },
            ModelError::TooLong => self.shorten(effects),
            ModelError::Aborted => self.abort(effects),
            error @ (ModelError::RefusedKey { .. } | ModelError::Rejected { .. }) => {
                self.give_up(error.to_string(), effects);
            }
            ModelError::Broken(source) => self.give_up(format!("the model call failed: {source}"), effects),
        }
    }

    fn wait(&mut self, attempt: Attempt, reason: String, effects: &mut Vec<Effect>) {
        if self.purpose == Purpose::Answer && !self.reply.is_blank() {
            effects.push(Effect::Supersede);
        }
        self.set_aside();
        let Attempt { number, attempts_max, after } = attempt;
        effects.push(Effect::Note(Note::Retrying { attempt: number, attempts_max, after, reason }));
        let timer = TimerId(self.next_id());
        effects.push(Effect::SetTimer { timer, after });
        self.phase = Phase::Waiting(timer);
    }

    /// Keeps the words of an answer that broke off, until a whole one comes.
    pub(super) fn set_aside(&mut self) {
        let broken = std::mem::take(&mut self.reply).finish().words_only();
        if self.purpose == Purpose::Answer && broken.says_something() {
            self.partial = Some(broken);
        }
    }

    /// A whole answer came.
    pub(super) fn forget_trouble(&mut self) {
        self.retries = Retries::default();
        self.partial = None;
    }

    /// No further attempt. What was said so far stays; nothing of it is acted on.
    fn give_up(&mut self, reason: String, effects: &mut Vec<Effect>) {
        self.set_aside();
        if self.purpose == Purpose::Summary {
            return self.without_summary(reason, effects);
        }
        if let Some(partial) = self.partial.take() {
            self.commit_answer(partial, effects);
            effects.push(Effect::Note(Note::Incomplete));
        }
        self.end(EndReason::Failed(reason), effects);
    }
}
