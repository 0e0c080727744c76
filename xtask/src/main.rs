//! All automation of the project, in Rust. Never holds product logic.

fn main() {}
