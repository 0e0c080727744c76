//! The terminal conversation, from events and keys to what a terminal shows.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and take expectations by value; one writes where it must not be seen"
)]

mod composer;
mod dialog;
mod guard;
mod harmless;
mod kit;
mod markdown;
mod picture;
mod plain;
mod screen;
mod sizes;
mod turn;
