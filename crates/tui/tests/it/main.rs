//! The terminal conversation, from events and keys to what a terminal shows.

mod composer;
mod dialog;
mod guard;
mod harmless;
mod kit;
mod markdown;
mod picture;
mod screen;
mod sizes;
mod turn;
