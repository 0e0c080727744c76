//! The terminal conversation, from events and keys to what a terminal shows.

mod composer;
mod dialog;
mod harmless;
mod kit;
mod markdown;
mod screen;
mod sizes;
mod turn;
