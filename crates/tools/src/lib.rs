//! What an agent may touch, in one place that can be audited: its tools, and the gate before its commands.
//!
//! Never decides for the person: what is not known to be harmless is asked about.

pub mod gate;
