//! What a person waits for in the Writer, beside the way to the server and back in the same run. Never measures by itself: the
//! page's own clock does.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::Size;
use super::table::Table;

/// How long a frame of the screen lasts, in milliseconds.
const FRAME: f64 = 1000.0 / 60.0;
/// By how much the server's memory may grow between the first round of many clients and the last to be called flat.
const GROWTH_MAX: f64 = 1.25;

/// Prints what was waited for, small and large document side by side, and what was promised; not to keep that is an error.
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
    let number = |at: &str| report.pointer(at).and_then(Value::as_f64).unwrap_or_default();
    println!(
        "style {:.1} KB, compressed; the 1 MB document is there after {:.0} ms",
        number("/style") / 1e3,
        number("/open/million/time")
    );
    let targets = targets(&number);
    for Target { what, found, limit, unit } in &targets {
        let verdict = if found <= limit { "reached" } else { "NOT reached" };
        println!("{verdict}: {what}: {found:.1} {unit}, at most {limit:.1}");
    }
    let missed = targets.iter().filter(|target| target.found > target.limit).count();
    match size {
        Size::Full if missed > 0 => bail!("{missed} of {} targets were not reached", targets.len()),
        Size::Full | Size::Smoke => Ok(()),
    }
}

/// What was promised, and what was found.
struct Target {
    what: String,
    found: f64,
    limit: f64,
    unit: &'static str,
}

/// What a person is promised of the Writer. `number` gives what was measured.
fn targets(number: &dyn Fn(&str) -> f64) -> Vec<Target> {
    let mut targets = Vec::new();
    for (document, name) in [("small.md", "1 KB"), ("million.md", "1 MB")] {
        let limit = (10.0 * number(&format!("/{document}/ping/p50"))).max(FRAME + 5.0);
        let found = number(&format!("/{document}/dom/p99"));
        targets.push(Target {
            what: format!("{name}: server write to text in the page, p99"),
            found,
            limit,
            unit: "ms",
        });
    }
    let mut add =
        |what: &str, found, limit, unit| targets.push(Target { what: what.to_owned(), found, limit, unit });
    add("first render of 100 KB", number("/open/hundred/time"), 1000.0, "ms");
    add("script of the page, compressed", number("/script") / 1e3, 300.0, "KB");
    // Frames are told by the page's beat; a long task is what held them up.
    let longest = |at: &str| number(&format!("{at}/frame")).max(number(&format!("{at}/task")));
    add("1 MB: longest frame while it opens", longest("/open/million"), 100.0, "ms");
    add("1 MB: longest frame while somebody types", longest("/million.md/busy"), 100.0, "ms");
    let clients = number("/crowd/clients");
    let memory = |round: f64| number(&format!("/crowd/memories/{round}")) / 1e6;
    let rounds = number("/crowd/rounds");
    add(
        &format!("{clients} clients, equal after each of {rounds} rounds: server memory at the end"),
        memory(rounds),
        memory(1.0) * GROWTH_MAX,
        "MB",
    );
    targets
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
