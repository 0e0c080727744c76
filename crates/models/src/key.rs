//! A key to a service, and the name of the variable that it came from. Never shows the key: not in a log, not in an error,
//! not to a debugger's print.

use std::fmt;

use agent::model::ModelError;
use reqwest::header::HeaderValue;

use crate::failure::broken;

/// A key to a service.
#[derive(Clone)]
pub struct Key {
    secret: String,
    variable: String,
}

impl Key {
    /// `secret` as it stood in `variable`; blanks around it, which a shell or an editor left, do not belong to it.
    pub fn new(secret: &str, variable: impl Into<String>) -> Self {
        Self { secret: secret.trim().to_owned(), variable: variable.into() }
    }

    /// Where it came from.
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// The key as the value of a header, after `prefix`. It is marked, so that nothing below us prints it.
    pub(crate) fn header(&self, prefix: &str) -> Result<HeaderValue, ModelError> {
        // The library's error is not passed on: nobody knows what it shows.
        let Ok(mut value) = HeaderValue::from_str(&format!("{prefix}{}", self.secret)) else {
            return Err(broken(format!(
                "the key in {} holds a character that no key has; set it again",
                self.variable
            )));
        };
        value.set_sensitive(true);
        Ok(value)
    }

    /// `text` without the key, in case a server sent it back to us.
    pub(crate) fn scrubbed(&self, text: &str) -> String {
        if self.secret.is_empty() { text.to_owned() } else { text.replace(&self.secret, "…") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key(from {})", self.variable)
    }
}
