//! Checks against programs of others. `cargo xtask conformance` fetches them and starts this with their places.
//! Prints one JSON object for each check.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a check stops at the first surprise, and the caller reads what is printed"
)]

mod child;
mod llama;
mod sdk;
mod sse;
mod turn;

use std::path::Path;

use serde_json::json;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["sse", folder] => sse::run(Path::new(folder)),
        ["sdk", python] => sdk::run(Path::new(python)).await,
        ["llama", python, weights] => llama::run(Path::new(python), Path::new(weights)).await,
        _ => panic!("use `cargo xtask conformance`"),
    }
}

/// One row of the table.
fn row(check: &str, outcome: Result<String, String>) {
    let (passed, detail) = match outcome {
        Ok(detail) => (true, detail),
        Err(detail) => (false, detail),
    };
    println!("{}", json!({ "check": check, "passed": passed, "detail": detail }));
}
