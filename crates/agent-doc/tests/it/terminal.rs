//! The conversation in a real terminal: panes of tmux, real keys, and a server on this machine whose every byte waits for the test.

mod checklist;
mod commands;
mod desks;
mod endings;
mod follow;
mod interrupts;
mod looks;
mod pane;
mod plain;
mod questions;
