//! placeholder. Never.
pub mod sse;
