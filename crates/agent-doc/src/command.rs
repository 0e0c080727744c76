//! One file for each command: it reads, calls the library, and prints. Never decides anything about text.

pub(crate) mod blame;
pub(crate) mod chat;
pub(crate) mod checkpoints;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod diff;
pub(crate) mod history;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod models;
pub(crate) mod outline;
pub(crate) mod recover;
pub(crate) mod permissions;
pub(crate) mod restore;
pub(crate) mod runs;
pub(crate) mod section;
pub(crate) mod session;
pub(crate) mod section_write;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod trust;

/// Text of a document on one line of a terminal: control characters would move its cursor, so they are shown instead.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
