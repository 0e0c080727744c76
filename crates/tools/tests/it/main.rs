//! The tests of the crate, in one binary. Never reach beyond loopback and temporary folders.

mod bash;
mod desk;
mod escape;
