//! How agents and editors of others come in: agents join a document, read it with its revision and write in the section of their
//! name; editors talk with our own agent. Never touches a file, and never lets a guest write elsewhere: the owner of the document
//! decides.

mod acp;
mod guest;
mod part;
mod http;
mod server;
mod tools;

pub use acp::{Hire, serve_acp};
pub use guest::{Door, DoorError};
pub use http::{Listening, serve_http};
pub use server::serve_lines;
