//! The crate's one integration binary: the real program, run as a person runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "tests stop at the first surprise and take expectations by value"
)]

mod scratch;

mod git;
mod help;
mod history;
mod input;
mod merge;
mod outline;
mod output;
mod permissions;
mod readme;
mod replace;
mod section;
mod setup;
