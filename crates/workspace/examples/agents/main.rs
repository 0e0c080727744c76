//! Real agent programs answer through the port that session documents use, and ask a model on the loopback interface.
//! `cargo xtask conformance agents` fetches them and starts this with the folder of their commands and with our own program. Prints
//! one JSON object for each agent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a check stops at the first surprise, and the caller reads what is printed"
)]

mod case;
mod check;
mod document;
mod model;

use std::path::PathBuf;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let places = (arguments.next(), arguments.next().map(PathBuf::from), arguments.next().map(PathBuf::from));
    let (Some("agents"), Some(commands), Some(program)) = (places.0.as_deref(), places.1, places.2) else {
        panic!("use `cargo xtask conformance agents`");
    };
    // Only some of them, for whoever looks for a mistake.
    let wanted: Vec<String> = arguments.collect();
    let model = model::Model::start().await;
    for name in workspace::outside::spec::BUILT_IN {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let case = case::Case::of(name, &commands, &model.url());
        // A new home for the documents: nobody has talked to the agent there yet.
        let new = case::Case::of(name, &commands, &model.url());
        let outcome = match check::check(&case, &model).await {
            Ok(detail) => document::check(&new, &program).await.map(|told| format!("{detail}; {told}")),
            Err(told) => Err(told),
        };
        let (passed, detail) = match outcome {
            Ok(detail) => (true, detail),
            Err(detail) => (false, detail),
        };
        let check = format!("{name} {}", case.version);
        println!("{}", serde_json::json!({ "check": check, "passed": passed, "detail": detail }));
    }
}
