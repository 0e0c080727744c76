//! What came of the latest requests, so that one sent twice is done once. Never remembers a failure: that may be tried again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::refused::Answer;

/// How many are remembered.
const REQUESTS_MAX: usize = 256;

/// What came of a request, as soon as it is known. Those who ask the same meanwhile wait for it.
type Outcome<T> = Arc<OnceCell<T>>;

/// Requests by their names.
pub(crate) struct Once<T>(Mutex<VecDeque<(String, Outcome<T>)>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Once<T> {
    /// Does the work, unless the same was done under this name. Says whether it was.
    pub(crate) async fn named(
        &self,
        name: Option<String>,
        work: impl AsyncFnOnce() -> Answer<T>,
    ) -> Answer<(T, bool)> {
        let Some(name) = name else { return work().await.map(|done| (done, false)) };
        let outcome = self.outcome(name);
        let mut is_repeated = true;
        let done = outcome.get_or_try_init(|| {
            is_repeated = false;
            work()
        });
        let done = done.await?.clone();
        Ok((done, is_repeated))
    }

    fn outcome(&self, name: String) -> Outcome<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, outcome)) = known.iter().find(|(other, _)| *other == name) {
            return Arc::clone(outcome);
        }
        if known.len() >= REQUESTS_MAX {
            known.pop_front();
        }
        let outcome = Outcome::default();
        known.push_back((name, Arc::clone(&outcome)));
        outcome
    }
}
