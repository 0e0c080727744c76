//! The crate's one integration binary: the real program, run as a person runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests stop at the first surprise and take expectations by value; some print how much they tried"
)]

mod acp;
mod anthropic;
mod checkpoints;
mod child;
mod scratch;

mod chat;
mod chat_server;
mod config;
mod doctor;
mod documents;
mod git;
mod help;
mod history;
mod input;
mod joining;
mod kills;
mod mcp;
mod merge;
mod models;
mod outline;
mod processes;
mod recover;
mod output;
mod permissions;
mod readme;
mod replace;
mod runs;
mod search;
mod secrecy;
mod section;
mod serve;
mod serving;
mod session;
mod setup;
mod stranger;
mod terminal;
mod trust;
mod turn;
