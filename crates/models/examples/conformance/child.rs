//! A program of Python beside us, which ends when we do.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// The program, and what it prints: one JSON object a line.
pub(crate) struct Python {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Python {
    pub(crate) fn start(python: &Path, program: &str, arguments: &[&Path]) -> Self {
        let mut child = Command::new(python)
            .args(["-c", program])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("python starts");
        let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        Self { child, lines }
    }

    /// The next object; lines that are none are talk.
    pub(crate) async fn next(&mut self) -> Value {
        while let Some(line) = self.lines.next_line().await.expect("python prints text") {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(&line) {
                return value;
            }
        }
        panic!("python has ended: {:?}", self.child.wait().await);
    }
}
