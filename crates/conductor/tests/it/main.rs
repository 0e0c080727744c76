//! The crate's one integration binary: runs with models that do what a test wants, on a real disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise and take what they are given by value; one prints what was acknowledged"
)]

mod puppet;
mod stage;

mod canon;
mod checkpoints;
mod bad_input;
mod concurrency;
mod guests;
mod kills;
mod resume;
