//! The server as its callers see it: over a real socket on the loopback address.

mod desk;
mod guard;
mod live;
mod wire;
