//! Merge what a person saved with what agents wrote, in one markdown text, so that nobody's words are lost.
//!
//! The crate is pure: it does no IO, reads no clock, takes no randomness, never logs and never panics on any input.
//!
//! - [`merge`](mod@merge) is the engine: three texts in, one text out. [`Document`] is the same engine kept
//!   alive: agents insert at anchors, people save whole files, web peers send Yjs updates.
//! - [`section`], [`component`], [`frontmatter`], [`exchange`] and [`patch`] are the structure of a markdown file.
//! - [`contain`] keeps an agent's text inside its section; [`comment`] and [`truncation`] say what of a person's edit is a prompt.

pub mod diff;
pub mod merge;
pub mod text;

mod document;
mod history;
mod replica;
mod reversal;
mod versions;

pub mod component;
pub mod contain;
pub mod exchange;
pub mod frontmatter;
pub mod patch;
pub mod section;

pub mod comment;
pub mod truncation;

mod markdown;
mod marker;

pub use document::{
    Absorbed, Anchor, Author, Authored, Document, Edit, EditError, MalformedUpdate, Revision, StateError,
    UpdateError, Version,
};
