//! Where documents live: the only writer of files, the owner of each document, and what they keep beside the file.
//!
//! Never decides what the words are; that is the work of the `document` crate.

pub mod address;
pub mod catalog;
pub mod command;
pub mod conversation;
pub mod event;
pub mod git;
pub mod hub;
pub mod keeper;
pub mod owner;
pub mod session;
pub mod project;
#[cfg(unix)]
pub mod daemon;
#[cfg(unix)]
pub mod outside;
#[cfg(unix)]
pub mod reach;
#[cfg(unix)]
pub mod documents;
#[cfg(unix)]
pub mod section_tools;
#[cfg(unix)]
pub mod recovery;
pub mod store;
pub mod watch;

pub mod blame;
pub mod comments;
pub mod journal;
pub mod lock;
pub mod pending;
pub mod rooms;
pub mod sidecar;
pub mod snapshot;
pub mod token;

mod checksum;
#[cfg(target_os = "linux")]
mod kernel;
mod kept;
mod private;
mod shared_text;

pub use document::{Author, Revision};
pub use shared_text::SharedText;
