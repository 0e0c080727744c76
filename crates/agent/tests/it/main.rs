//! The tests of the crate, in one binary. The ids in comments (`S1`, `L3`) name the scenarios that a test stands for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "tests stop at the first surprise and take expectations by value"
)]

mod kit;

mod context;
mod controller;
mod interrupt;
mod message;
mod permission_flow;
mod permission_rules;
mod property;
mod request;
mod retrying;
mod stream;
mod tool_loop;
