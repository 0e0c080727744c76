//! How agents of others join a document: they read it with its revision, write in the section of their name, and are shown what
//! others wrote meanwhile. Never touches a file, and never lets a guest write elsewhere: the owner of the document decides.

mod guest;
mod http;
mod server;
mod tools;

pub use guest::{Door, DoorError};
pub use http::{Listening, serve_http};
pub use server::serve_lines;
