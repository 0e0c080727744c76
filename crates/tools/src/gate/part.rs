//! A command after it was weighed: its parts, their words, and what speaks against running each. Never holds a
//! text that differs from the one that will run.

use super::letters;
use super::reason::Reason;

/// A whole command, as the gate saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// The exact text. Whoever runs the command runs these bytes and no others.
    pub text: String,
    /// Every simple command inside, however deep: lists, pipelines, subshells, substitutions, wrapped programs.
    pub parts: Vec<Part>,
    /// What speaks against the command as a whole. Then the parts may not say all that would happen.
    pub reasons: Vec<Reason>,
}

impl Weighed {
    /// Whether nothing speaks against any part.
    pub fn runs_unasked(&self) -> bool {
        self.reasons.is_empty()
            && !self.parts.is_empty()
            && self.parts.iter().all(|part| part.reasons.is_empty())
    }

    /// The command for a person to read before they decide: all that could hide or deceive is written out.
    pub fn shown(&self) -> String {
        letters::escaped(&self.text)
    }

    /// Every reason, those against the whole first.
    pub fn all_reasons(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().chain(self.parts.iter().flat_map(|part| &part.reasons))
    }
}

/// One simple command inside a larger one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// As it is written.
    pub text: String,
    /// Variables that are set for it, as written: `A=b`.
    pub variables: Vec<Word>,
    /// The program as the shell would look for it; `None` if only the shell can tell.
    pub path: Option<String>,
    /// The name of the program without quotes, backslashes and folders; `None` if only the shell can tell.
    pub program: Option<String>,
    /// The words after the program.
    pub words: Vec<Word>,
    /// The programs that start this one, the outermost first: `sudo`, `env`, `timeout`…
    pub wrappers: Vec<String>,
    /// Paths that its words may name, absolute, after `.` and `..` are taken out. Links are not followed: the sandbox does.
    pub reads: Vec<String>,
    /// Paths that its redirections write, likewise.
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

impl Word {
    /// The word itself, if it is known.
    pub fn known(&self) -> Option<&str> {
        match &self.value {
            Value::Static(text) => Some(text),
            Value::Pattern(_) | Value::Variable | Value::Unknown => None,
        }
    }
}

/// What is known about a word before the shell runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Exactly this.
    Static(String),
    /// The names of files that match this pattern, or the pattern itself if none does.
    Pattern(String),
    /// The values of variables stand in it; nothing runs to find them.
    Variable,
    /// Only the shell can tell: a substitution, braces, an operator on a variable.
    Unknown,
}
