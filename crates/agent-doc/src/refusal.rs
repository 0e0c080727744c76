//! Why a command did not do its work, in words for the person who typed it. Never says what is wrong without a way out.

use std::fmt;

/// What is wrong, and what the person can do about it.
///
/// It is an error of its own, or the context of another one that says more.
#[derive(Debug)]
pub(crate) struct Refusal {
    what: String,
    remedy: String,
}

impl Refusal {
    /// `what` names the file and the place; `remedy` says what to do. Neither has a full stop.
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }

    pub(crate) fn remedy(&self) -> &str {
        &self.remedy
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)
    }
}

impl std::error::Error for Refusal {}
