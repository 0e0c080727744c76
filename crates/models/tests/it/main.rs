//! The crate's one integration binary: wire formats, connections, recordings, and the models that need no network.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "tests stop at the first surprise and take expectations by value"
)]

mod samples;
mod told;

mod anthropic;
mod chat;
mod cut;
mod http;
mod offline;
mod offline_worker;
mod recording;
mod requests;
mod responses;
mod time;
