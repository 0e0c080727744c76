//! Real agent programs answer through the port that session documents use, and ask a model on the loopback interface.
//! `cargo xtask conformance agents` fetches them and starts this with the folder of their commands. Prints one JSON object for
//! each agent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a check stops at the first surprise, and the caller reads what is printed"
)]

mod case;
mod check;
mod model;

use std::path::PathBuf;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some("agents"), Some(commands)) = (arguments.next().as_deref(), arguments.next()) else {
        panic!("use `cargo xtask conformance agents`");
    };
    let commands = PathBuf::from(commands);
    // Only some of them, for whoever looks for a mistake.
    let wanted: Vec<String> = arguments.collect();
    let model = model::Model::start().await;
    for name in workspace::outside::spec::BUILT_IN {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let case = case::Case::of(name, &commands, &model.url());
        let outcome = check::check(&case, &model).await;
        let (passed, detail) = match outcome {
            Ok(detail) => (true, detail),
            Err(detail) => (false, detail),
        };
        let check = format!("{name} {}", case.version);
        println!("{}", serde_json::json!({ "check": check, "passed": passed, "detail": detail }));
    }
}
