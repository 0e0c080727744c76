//! Merge what a person saved with what agents wrote, in one markdown text, so that nobody's words are lost.
//!
//! The crate is pure: it does no IO, reads no clock, takes no randomness, never logs and never panics on any input.

pub mod text;

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
