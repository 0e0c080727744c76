//! The server as its callers see it: over a real socket on the loopback address.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod commands;
mod comments;
mod desk;
mod guard;
mod live;
mod questions;
mod runs;
mod wire;
