//! Whether a call may run: by a rule, by the mode, or by a person. Never asks anyone itself, and never mints a [`Permit`] for
//! bytes that were not weighed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::ToolCall;

mod claim;
mod command;
mod file;
mod path;
mod policy;
mod question;
mod rule;
mod suggest;

pub use claim::{Access, Certainty, Claim, Command, CommandPart, PathAccess, PathClaim};
pub use file::{RuleFileError, parse_line, parse_rules, with_rule, without_rule};
use path::Hidden;
pub use path::Places;
pub use policy::Policy;
pub(crate) use policy::denied;
pub use question::{Answer, PermissionDecision, Question, Why, visible};
pub use rule::{Behavior, Pattern, Rule, RuleError, Scope};

/// How much is allowed where no rule speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reading in the project runs unasked; the rest is asked.
    #[default]
    Default,
    /// As default, and files of the project are changed unasked.
    AcceptEdits,
    /// Nothing is changed.
    Plan,
    /// What would be asked is refused.
    DontAsk,
    /// All runs, except what a rule denies or asks, and what belongs to git or to us. Only by a flag of this process.
    Bypass,
}

/// Proof that a call may run. Only this crate can make one, and it cannot be copied: a call runs once.
#[derive(Debug)]
pub struct Permit {
    call: ToolCall,
    claim: Claim,
    basis: Basis,
    hidden: Arc<Hidden>,
}

impl Permit {
    /// The call, in the very bytes that were weighed.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// What it may touch.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Why it may run.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Whether a rule forbids to read this path, absolute as in a claim. Tools that search or list a folder leave it out.
    pub fn hides(&self, path: &str) -> bool {
        self.hidden.holds(path)
    }
}

/// Why a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Rules or the mode allow it.
    Policy,
    /// A person allowed this one call.
    Once,
    /// A person allowed such calls.
    Always,
}

/// What the policy says before anyone is asked.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Allowed(Permit),
    /// A person decides.
    MustAsk(Box<Question>),
    /// It does not run.
    Refused(Refused),
}

/// Why a call does not run, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The rule, if it was one.
    pub rule: Option<Rule>,
    /// What the model gets.
    pub words: String,
}
