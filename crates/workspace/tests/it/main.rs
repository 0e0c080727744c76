//! The crate's one integration binary: behavior seen from outside, one module per feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, and print how much they tried"
)]

mod child;
mod conversation;
mod conversation_trouble;
mod dice;
mod editor;
mod files;
mod memory;
mod memory_keeper;
mod past;
mod simulated;
mod site;

#[cfg(target_os = "linux")]
mod outside;

mod store;
mod store_crash;
mod store_faults;
mod store_metadata;
mod store_plain;
mod store_races;
mod store_steps;
mod store_vim;

mod blame;
mod journal;
mod journal_crash;
mod journal_damage;
mod lock;
mod sidecar;

mod daemon;
mod git;
mod git_clean;
mod hub;
mod restart;
mod trouble;
mod trouble_disk;
mod owner;
mod processes;
mod recovery;
mod session;
mod revise;
mod section_tools;
mod watch;
