//! The official Python SDKs: their types check what we send, and write what we read.

use std::path::Path;

use agent::message::StopReason;
use agent::model::Effort;
use models::Protocol;
use serde_json::Value;

use crate::child::Python;
use crate::row;
use crate::turn::{model, turn};

pub(crate) async fn run(python: &Path) {
    let mut server = Python::start(python, include_str!("sdk.py"), &[]);
    let port = server.next().await["port"].as_u64().expect("a port");
    let url = format!("http://127.0.0.1:{port}");
    for protocol in Protocol::ALL {
        for effort in [Effort::Off, Effort::High] {
            let (said, inputs) = turn(&model(protocol, &url), effort).await;
            let expected = [r#"{"path": "a0.md"}"#, r#"{"path": "a1.md"}"#];
            let right = said.text == "All done."
                && inputs == expected
                && matches!(said.reason, Ok(StopReason::EndTurn))
                && said.output_tokens == 9;
            let understood =
                if right { Ok("3 rounds, 2 calls".to_owned()) } else { Err(format!("{said:?} {inputs:?}")) };
            row(&format!("{protocol}, effort {effort:?}: we read their types"), understood);
            let mut mismatches = Vec::new();
            for _ in 0..3 {
                let verdict = server.next().await;
                if let Value::String(reason) = &verdict["mismatch"] {
                    mismatches.push(reason.clone());
                }
            }
            let accepted =
                if mismatches.is_empty() { Ok("3 bodies".to_owned()) } else { Err(mismatches.join("; ")) };
            row(&format!("{protocol}, effort {effort:?}: their types take our requests"), accepted);
        }
    }
}
