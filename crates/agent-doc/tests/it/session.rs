//! Session documents through the program: real git, real files, and agents that are programs.

mod commands;
mod git;
mod scene;
mod trouble;
mod watch;
mod write;
