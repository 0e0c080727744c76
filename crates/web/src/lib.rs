//! The Writer's server: the documents of a folder in a browser, live. Never listens anywhere but on the loopback address, and
//! never changes a document itself; its owner does.

pub mod runs;
pub mod turns;
pub mod wire;

mod assets;
mod beside;
mod comments;
mod connections;
mod desk;
mod guard;
mod key;
mod once;
mod plain;
mod refused;
mod routes;
mod run_socket;
mod server;
mod socket;
mod sync;
mod watching;

pub use assets::is_built as is_writer_built;
pub use desk::Desk;
pub use key::{Keep, Key, Role};
pub use routes::api;
pub use server::{ModelNote, Options, ServeError, Server, link};
pub use workspace::token::Token;
