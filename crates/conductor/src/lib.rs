//! Runs: several agents and a person around one document, with one authority for its canon.
//!
//! A conductor plans, starts workers, listens to the person and merges what was found; it decides by [`core`], which is pure, and a
//! thin shell does what was decided. Never writes a file but through the owner of the document and the store, never decides from
//! anything but the text and its revision, and never asks a model while somebody waits for the document.
//!
//! - [`Runs`] is all that a front end needs: start, list, show, resume, cancel, direct, accept and reject, and listen.
//! - [`record`] is what `run.json` holds. [`role`] is who can work. [`plan`] is what is to be done.
//! - [`draft`], [`directive`] and [`canon`] read the document; [`core`] decides; [`brief`] is what models are told.

pub mod status;
pub mod limits;
pub mod role;
pub mod plan;
pub mod record;

pub mod draft;
pub mod directive;
pub mod canon;
pub mod core;
pub mod brief;

pub mod bounds;

mod ask;
mod mark;
mod folder;
mod paper;
mod worker;
mod actor;
mod event;
mod kit;
mod runs;
mod error;

pub use error::RunError;
pub use event::{Happening, RunEvent, RunEvents};
pub use kit::{Equip, Equipping, Kit, Post, Settings, Think, Thinker};
pub use runs::{Heard, Outline, Runs, Started, View, Wanted, check_guest, document_of};
