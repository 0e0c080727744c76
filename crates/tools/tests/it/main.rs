//! The tests of the crate, in one binary. Never reach beyond loopback and temporary folders.

mod bash;
mod checkpoint;
mod conformance;
mod desk;
mod edit;
mod escape;
mod gate;
mod read;
mod search;
mod web;
