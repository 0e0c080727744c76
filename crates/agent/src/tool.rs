//! The port to a tool. Never lets a tool run without a [`Permit`], and only this crate can make one.

mod input;

use std::pin::Pin;
use std::sync::Arc;

pub use input::{parsed, spec};

use crate::controller::StreamController;
use crate::message::{Part, ToolCall, ToolResult};
use crate::model::ToolSpec;
use crate::permission::{Claim, Permit};

/// A tool that a model can call.
pub trait Tool: Send + Sync {
    /// How the model sees it.
    fn spec(&self) -> &ToolSpec;

    /// Says what a call would touch, so that it can be permitted. May look at the file system; changes nothing. The error goes to the
    /// model, which then mends its call: it names the field and what is wrong with it.
    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>>;

    /// Does what the permit allows, and nothing else: the paths and the command are those of the permit's claim. When the scope is
    /// aborted, it stops all that it started and gives back what it has so far.
    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output>;
}

/// What a tool gives back, later.
pub type ToolFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a running tool gets from around it.
#[derive(Clone)]
pub struct RunScope {
    /// Aborted when the person stops the turn, the call or the session.
    pub controller: StreamController,
    /// Takes progress for the screen. It never goes to the model.
    pub report: Arc<dyn Fn(&str) + Send + Sync>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What the model gets.
    pub content: Vec<Part>,
    /// Whether it failed.
    pub is_error: bool,
}

impl Output {
    /// The tool did its work.
    pub fn success(text: impl Into<String>) -> Self {
        Self { content: vec![Part::Text(text.into())], is_error: false }
    }

    /// The tool failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self { content: vec![Part::Text(text.into())], is_error: true }
    }

    /// As the result of a call.
    pub fn into_result(self, call: impl Into<String>) -> ToolResult {
        ToolResult::of_parts(call, self.content, self.is_error)
    }
}
