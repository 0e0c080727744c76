//! What a person waits for in the Writer, beside the way to the server and back in the same run. Never measures by itself: the
//! page's own clock does.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::Size;
use super::table::Table;

/// Prints what was waited for, small and large document side by side.
pub(crate) fn run(size: Size) -> Result<()> {
    let rounds = match size {
        Size::Full => "200",
        Size::Smoke => "3",
    };
    let report = measured(rounds)?;
    let mut table = Table::new(&["in milliseconds", "p50", "p99", "longest", "p99 / ping p50"]);
    let lines = [
        ("ping", "ping"),
        ("server write to text in the page", "dom"),
        ("… to text on the screen", "painted"),
        ("… to the answer (on the disk)", "acknowledged"),
        ("key to letter on the screen", "typing"),
    ];
    for (document, name) in [("small.md", "1 KB"), ("million.md", "1 MB")] {
        let number = |what: &str, part: &str| report[document][what][part].as_f64().unwrap_or_default();
        let ping = number("ping", "p50");
        for (words, what) in lines {
            let of = |part| number(what, part);
            let ratio = format!("{:.1}×", of("p99") / ping);
            let cells = [of("p50"), of("p99"), of("max")].map(|value| format!("{value:.1}"));
            table.row([format!("{name}: {words}")].into_iter().chain(cells).chain([ratio]));
        }
    }
    println!("{table}");
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    println!(
        "first render: 100 KB {:.0} ms, 1 MB {:.0} ms",
        number(&report["open"]["hundred"]),
        number(&report["open"]["million"])
    );
    println!(
        "script {:.1} KB, style {:.1} KB, compressed",
        number(&report["script"]) / 1e3,
        number(&report["style"]) / 1e3
    );
    println!("{}", crowd(&report["crowd"]));
    Ok(())
}

/// How it went with many clients in one document, and what the server's memory did between the first round and the last.
fn crowd(report: &Value) -> String {
    let megabytes = |at: &str| report.pointer(at).and_then(Value::as_f64).unwrap_or_default() / 1e6;
    let rounds = report["rounds"].as_u64().unwrap_or_default();
    format!(
        "{} clients on one document, {rounds} rounds: equal at the end, server memory {:.1} MB after the first round, {:.1} MB after the last",
        report["clients"],
        megabytes("/memories/1"),
        megabytes(&format!("/memories/{rounds}")),
    )
}

/// What the page's own program found, with the browser and our program that the automation named.
fn measured(rounds: &str) -> Result<Value> {
    if ["AGENT_DOC", "CHROMIUM"].iter().any(|name| std::env::var_os(name).is_none()) {
        bail!("a browser and our program are needed; run it as 'cargo xtask bench web'");
    }
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    let mut node = Command::new("node");
    let output = node.current_dir(ui).args(["e2e/bench.mjs", rounds]).stderr(Stdio::inherit()).output();
    let output = output.context("node cannot be started")?;
    if !output.status.success() {
        bail!("the page was not measured: node ended with {}", output.status);
    }
    serde_json::from_slice(&output.stdout).context("the page's report is no JSON")
}
