//! A broken rule, at a place, with the way out. Never blames without saying what to do.

use std::fmt;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    path: String,
    line: usize,
    what: String,
    remedy: &'static str,
    /// How `xtask/tidy-exceptions.txt` names this violation; rules without a name have no exceptions.
    pub(super) exception: Option<String>,
}

impl Violation {
    /// `line` counts from one.
    pub(super) fn new(path: &str, line: usize, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), remedy, exception: None }
    }

    /// The same violation, under a name that the list of exceptions may hold.
    pub(super) fn unless(self, exception: String) -> Self {
        Self { exception: Some(exception), ..self }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}; {}", self.path, self.line, self.what, self.remedy)
    }
}

/// The violations as they are printed; tests compare these.
#[cfg(test)]
pub(super) fn shown(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(ToString::to_string).collect()
}
