//! Decide what an agent does next: messages, turns, permissions, context.
//!
//! The crate is pure: it does no IO, reads no clock, takes no randomness, never logs and never panics on any input. A driver
//! elsewhere does what it asks for.
//!
//! - [`message`] is what was said, byte for byte. [`model`] and [`tool`] are the ports.
//! - [`history`] is the conversation, [`request`] makes requests of it, [`permission`] says which calls may run.
//! - [`turn`] is the machine: events in, effects out.
//! - [`StreamController`] stops what runs. [`retry`] says whether and when a request that failed is sent again.

pub mod message;

pub mod model;
pub mod tool;

pub mod history;
pub mod permission;
pub mod request;
pub mod turn;

mod controller;
pub mod retry;
pub mod synthesis;

pub use controller::{Aborted, StreamController};
