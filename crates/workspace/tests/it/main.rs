//! The crate's one integration binary: behavior seen from outside, one module per feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]

mod child;
mod dice;
mod memory;
mod past;

mod blame;
mod journal;
mod journal_crash;
mod journal_damage;
mod lock;
mod pending;
mod sidecar;
