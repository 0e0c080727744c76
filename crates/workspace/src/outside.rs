//! Agents that are programs of others: commands, agents behind the Agent Client Protocol, and those in a pane of tmux. Never
//! trusts what they print, never lets them write a document, and never leaves a process of theirs behind.

pub mod acp;
pub mod permission;
pub mod program;
pub mod spec;
pub mod tmux;

mod format;
mod last_words;
mod lines;
mod listener;
mod plain;
mod process;
mod telling;
mod tree;

use std::sync::Arc;

pub use acp::Acp;
pub use permission::{PermissionDesk, RefuseAll};
pub use program::Program;
pub use spec::{Format, Spec};
pub use tmux::Tmux;

use crate::session::agent::Agent;

/// The agent that a spec describes. What it asks leave for, if its protocol lets it ask, goes to `desk`.
pub fn agent(spec: Spec, desk: Arc<dyn PermissionDesk>) -> Box<dyn Agent> {
    match spec.format {
        Format::Acp => Box::new(Acp::new(spec, desk)),
        Format::Text
        | Format::Json { .. }
        | Format::Claude
        | Format::Codex
        | Format::Gemini
        | Format::Opencode => Box::new(Program::new(spec)),
    }
}
