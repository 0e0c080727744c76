//! The port to whoever may allow what an outside agent wants to do. Never allows anything by itself.

use std::pin::Pin;

use agent::permission::{Answer, Question};

/// What an agent asks leave for.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionRequest {
    /// The agent.
    pub agent: String,
    /// What it wants to do, in its words.
    pub title: String,
    /// What kind of deed it is, such as `execute` or `edit`.
    pub kind: String,
    /// What it would give to its tool.
    pub input: Option<serde_json::Value>,
    /// The answers that it understands.
    pub choices: Vec<Choice>,
    /// The whole question, if our own loop asks it.
    pub question: Option<Box<Question>>,
}

/// An answer that an agent understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name in the protocol.
    pub id: String,
    /// How it is shown.
    pub name: String,
    /// What it means.
    pub meaning: Meaning,
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Yes, for now.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No, for now.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The choice with this id.
    Chosen(String),
    /// This, to a question of our own loop: with words, and with the place of a rule.
    Answered(Answer),
    /// No.
    Refused,
}

/// A decision on its way.
pub type Deciding<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// Somebody who can decide.
pub trait PermissionDesk: Send + Sync {
    /// Decides. The agent waits for it, and nobody loses patience with the agent meanwhile. Dropped when the answer is stopped.
    fn decide(&self, request: PermissionRequest) -> Deciding<'_>;
}

/// Refuses everything: there is nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct RefuseAll;

impl PermissionDesk for RefuseAll {
    fn decide(&self, _: PermissionRequest) -> Deciding<'_> {
        Box::pin(std::future::ready(Decision::Refused))
    }
}
