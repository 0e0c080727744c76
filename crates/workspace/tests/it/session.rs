//! Session documents, with an agent that says and does what a test wants while the real store, owner and merge work.

mod desk;
mod flushes;
mod recover;
mod run;
mod stream;
mod watching;
