//! The latest requests that began a run, so that one sent twice begins one run. Never remembers a failure: that may be tried again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::runs::Started;

/// How many are remembered.
const STARTS_MAX: usize = 256;

/// What came of a request, as soon as it is known. Those who ask the same meanwhile wait for it.
type Outcome = Arc<OnceCell<Started>>;

/// Requests by their names.
#[derive(Default)]
pub(crate) struct Starts(Mutex<VecDeque<(String, Outcome)>>);

impl Starts {
    pub(crate) fn named(&self, name: String) -> Outcome {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, outcome)) = known.iter().find(|(other, _)| *other == name) {
            return Arc::clone(outcome);
        }
        if known.len() >= STARTS_MAX {
            known.pop_front();
        }
        let outcome = Outcome::default();
        known.push_back((name, Arc::clone(&outcome)));
        outcome
    }
}
