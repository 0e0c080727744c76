//! Why a command is asked about. Never says that a command is harmful, only that nobody knows it is not.

use std::fmt;

/// One thing that speaks against running a command unasked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The text cannot be read as a shell command.
    Unparsable,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unparsable => formatter.write_str("the shell's grammar does not cover this text"),
        }
    }
}
