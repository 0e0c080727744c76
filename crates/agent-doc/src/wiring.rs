//! The parts put together as the person's settings say: a model, tools, rules, a transcript, who answers. Never does any of their
//! work.

pub(crate) mod agents;
pub(crate) mod answerer;
mod discreet;
pub(crate) mod model;
pub(crate) mod own;
pub(crate) mod page_runs;
pub(crate) mod page_turns;
pub(crate) mod prompt;
pub(crate) mod roles;
pub(crate) mod rules;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod servers;
pub(crate) mod talk;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod writer;
