//! The crate's one integration binary: behavior seen from outside, one module per feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise and take expectations by value"
)]

mod files;
mod hub;
mod memory;
mod owner;
mod watch;
