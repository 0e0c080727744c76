//! How far a run may go. Every limit of the crate that a person may set or a reader may look for stands here; never read from a
//! project.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How far a run may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Requests to models, of all workers together.
    pub turns_max: u32,
    /// Tokens that models may write, of all workers together.
    pub tokens_max: u64,
    /// How long the run may work, in milliseconds, over all processes that worked on it.
    pub milliseconds_max: u64,
    /// How often one item is tried at most.
    pub attempts_max: u32,
    /// How often in a row a worker may try without new text.
    pub idle_max: u32,
    /// Prompts that one attempt may take.
    pub rounds_max: u32,
    /// Blocks that one worker may add in one attempt.
    pub appends_max: u32,
    /// Bytes that the section of a worker may have.
    pub section_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns_max: 1000,
            tokens_max: 2_000_000,
            milliseconds_max: 2 * 60 * 60 * 1000,
            attempts_max: 5,
            idle_max: 3,
            rounds_max: 8,
            appends_max: 1000,
            section_max: 512 * 1024,
        }
    }
}

/// Workers of one run.
pub const WORKERS_MAX: usize = 64;
/// Agents of others that one run takes note of.
pub const GUESTS_MAX: usize = 64;
/// Items of one plan, with those that directives add.
pub const ITEMS_MAX: usize = 256;
/// Bytes of an objective that are kept.
pub const OBJECTIVE_MAX: usize = 64 * 1024;
/// Bytes of one directive.
pub(crate) const DIRECTIVE_MAX: usize = 8 * 1024;
/// Directives that one run takes.
pub(crate) const DIRECTIVES_MAX: usize = 1000;
/// Bytes of the document that a model is shown.
pub(crate) const SHOWN_MAX: usize = 200 * 1024;
/// Bytes of a canon.
pub(crate) const CANON_MAX: usize = 128 * 1024;
/// Decisions that the record keeps.
pub(crate) const DECISIONS_MAX: usize = 200;
/// How often the canon is written again because somebody changed it in the same moment.
pub(crate) const REWRITES_MAX: u32 = 8;
/// How often a model is asked for a canon until the sections are put together without it.
pub(crate) const SYNTHESES_MAX: u32 = 2;
/// How often a run is planned anew because an item does not go forward.
pub(crate) const REPLANS_MAX: u32 = 2;
/// Runs that are listed at once.
pub const LISTED_MAX: usize = 1000;
/// How often the document of a run is read where nobody tells when it changes.
pub(crate) const LOOK: Duration = Duration::from_millis(400);
