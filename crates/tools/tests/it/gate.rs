//! The command gate. Never lets a line of the lists of attacks run unasked, and never asks about more than one in twenty of the others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "tests stop at the first surprise and take expectations by value"
)]

mod attacks;
mod benign;
mod claim;
mod glued;
mod real;
mod repository;
mod scratch;
mod shown;
mod verdict;
