//! The parts put together as the person's settings say: a model, tools, rules, a transcript. Never does any of their work.

#[cfg_attr(not(test), expect(dead_code, reason = "session documents, which ask agents, come next"))]
pub(crate) mod agents;
pub(crate) mod model;
pub(crate) mod prompt;
pub(crate) mod rules;
pub(crate) mod tools;
