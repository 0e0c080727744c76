//! The crate's one integration binary: the real program, run as a person runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise and take expectations by value; some print how much they tried"
)]

mod child;
mod scratch;

mod git;
mod help;
mod history;
mod input;
mod merge;
mod outline;
mod processes;
mod recover;
mod output;
mod readme;
mod replace;
mod section;
mod setup;
