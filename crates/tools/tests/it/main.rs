//! The tests of the crate, in one binary. Never reach beyond loopback and temporary folders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, and children tell what they did"
)]

mod arena;
mod bash;
mod checkpoint;
mod conformance;
mod desk;
mod edit;
mod escape;
mod furnish;
mod gate;
mod mcp;
mod read;
mod search;
mod web;
