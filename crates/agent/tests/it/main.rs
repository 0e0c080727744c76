//! The tests of the crate, in one binary. The ids in comments (`S1`, `L3`) name the scenarios that a test stands for.

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
