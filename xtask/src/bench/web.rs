//! What a person waits for in the Writer, beside the way to the server and back in the same run. Never measures by itself: the
//! page's own clock does.

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::Size;
use super::table::Table;
use crate::{page, process};

pub(super) fn run(size: Size) -> Result<()> {
    let (rounds, release) = match size {
        Size::Full => ("200", true),
        Size::Smoke => ("3", false),
    };
    page::install()?;
    let mut command = page::node(&page::program(release)?)?;
    let told = process::capture(command.args(["e2e/bench.mjs", rounds]))?;
    let report: Value = serde_json::from_str(told.trim()).context("the page's report is no JSON")?;
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
    Ok(())
}
