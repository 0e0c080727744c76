//! What an agent may touch, behind the port of `agent`: commands, files, searches, the web. Never decides whether a call may
//! run; it takes the proof that it may.

pub mod limits;
pub mod output;
pub mod process;
pub mod sandbox;
