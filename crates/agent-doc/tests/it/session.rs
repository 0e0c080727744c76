//! Session documents through the program: real git, real files, and agents that are programs.

mod answers;
mod commands;
mod continuity;
mod editors;
mod git;
mod hindered;
mod json;
mod permission;
mod refusals;
mod scenarios;
mod scene;
mod terminal;
mod trouble;
mod vim;
mod watch;
mod write;
