//! A command after it was weighed: its parts, their words, and what speaks against running each. Never holds a
//! text that differs from the one that will run.

use super::reason::Reason;

/// A whole command, as the gate saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// The exact text. Whoever runs the command runs these bytes and no others.
    pub text: String,
    /// Every simple command inside, however deep: lists, pipelines, subshells, substitutions, wrapped programs.
    pub parts: Vec<Part>,
    /// What speaks against the command as a whole.
    pub reasons: Vec<Reason>,
}

impl Weighed {
    /// Whether nothing speaks against any part.
    pub fn runs_unasked(&self) -> bool {
        self.reasons.is_empty()
            && !self.parts.is_empty()
            && self.parts.iter().all(|part| part.reasons.is_empty())
    }
}

/// One simple command inside a larger one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As it is written.
    pub text: String,
    /// The name of the program without quotes, backslashes and folders; `None` if only the shell can tell.
    pub program: Option<String>,
    /// The words after the program.
    pub words: Vec<Word>,
    /// The programs that start this one, the outermost first: `sudo`, `env`, `timeout`…
    pub wrappers: Vec<String>,
    /// Paths that are read, absolute, after `.` and `..` are taken out. Links are not followed.
    pub reads: Vec<String>,
    /// Paths that are written, likewise.
    pub writes: Vec<String>,
    /// What speaks against running it unasked; nothing if it may.
    pub reasons: Vec<Reason>,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it is written, quotes and all.
    pub text: String,
    /// What the program will be given.
    pub value: Value,
}

/// What is known about a word before the shell runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Exactly this.
    Static(String),
    /// The names of files that match this pattern, or the pattern itself if none does.
    Pattern(String),
    /// Only the shell can tell: a variable, a substitution, braces.
    Unknown,
}
