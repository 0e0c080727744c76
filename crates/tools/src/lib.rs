//! What an agent may touch, in one place that can be audited: its tools, the gate before its commands, and the sandbox around
//! them.
//!
//! Never decides for the person: what is not known to be harmless is asked about, and a tool runs only with the proof that
//! it may.

pub mod gate;

pub mod tool;

pub mod shell;
pub mod sandbox;
pub mod process;
pub mod output;

pub mod files;
pub mod checkpoint;
pub mod search;
mod walk;

pub mod web;

pub mod mcp;

pub mod limits;
