//! The Writer's server: the documents of a folder in a browser, live. Never listens anywhere but on the loopback address, and
//! never changes a document itself; its owner does.

pub mod wire;

mod assets;
mod guard;
mod plain;
mod routes;
mod server;
mod socket;
mod sync;
mod token;
mod watching;

pub use assets::is_built as is_writer_built;
pub use routes::API;
pub use server::{Options, ServeError, Server, link};
pub use token::Token;
