//! The gate before shell commands: what may run unasked, and why the rest may not.
//!
//! Never runs anything and never repairs a command: the text that was weighed is the text that runs. It only decides
//! whether to ask. What stops damage is the sandbox.

mod part;
mod reason;

pub use part::{Part, Value, Weighed, Word};
pub use reason::Reason;
