//! Language models behind the port of `agent`: services, an offline planner, scripts of tests, and recordings.
//!
//! Only this crate names a provider. It reads no environment and no file that it was not given, never keeps a key where a
//! log or an error could show it, and never tries again by itself: whoever asked decides that.
//!
//! - [`Remote`] is a model of a service. [`protocol`] says which of the three wire formats it speaks.
//! - [`Offline`] plans by rules and needs no network. [`Scripted`] says what a test wants.
//! - [`recording`] keeps what went over the wire, and [`Replay`] is a model that says it again.
//! - [`answer`] turns bytes of a stream into events; [`sse`] is the framing below it.

pub mod sse;
mod failure;
pub mod answer;
pub mod protocol;
mod anthropic;
mod chat;
mod responses;
mod key;
pub mod stream;
mod http;
mod remote;
pub mod recording;
pub mod replay;
mod scripted;
mod offline;
pub mod catalog;

pub use http::{Http, Timeouts};
pub use key::Key;
pub use offline::Offline;
pub use protocol::Protocol;
pub use remote::{Endpoint, Remote};
pub use replay::{Replay, Strictness};
pub use scripted::Scripted;
