//! Session documents: the person's edit is the prompt, and the answer is merged into the file while they keep typing. Never
//! writes a document itself; its owner does.

pub mod agent;
pub mod change;
pub mod compose;
pub mod layout;
#[cfg(unix)]
pub mod delivery;
#[cfg(unix)]
pub mod file;
#[cfg(unix)]
pub mod turn;
#[cfg(unix)]
pub mod watching;
