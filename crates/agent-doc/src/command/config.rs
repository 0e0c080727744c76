//! `agent-doc config`: each setting, what it holds, and who says so. Never shows a key.

use anyhow::Result;
use serde::Serialize;

use crate::arguments::Config;
use crate::configuration::{Configuration, Configured, Origin, ServerEntry, Value, person_file};
use crate::{input, output};

/// The variables that hold keys. Only whether they are set is told.
const KEYS: [&str; 4] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "BRAVE_API_KEY", "TAVILY_API_KEY"];

/// What `--json` prints. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct Report<'a> {
    settings: Vec<Row<'a>>,
    keys: Vec<Key>,
    /// Outside agents of the person's own.
    agents: Vec<Agent>,
    servers: Vec<Server<'a>>,
    /// Where the person's own settings go.
    file: Option<String>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    key: &'a str,
    value: Option<&'a str>,
    origin: String,
    about: &'a str,
}

/// An MCP server, without what may hold a secret.
#[derive(Debug, Serialize)]
struct Server<'a> {
    name: &'a str,
    target: &'a str,
    origin: String,
}

#[derive(Debug, Serialize)]
struct Agent {
    name: String,
    command: String,
    origin: String,
}

#[derive(Debug, Serialize)]
struct Key {
    variable: &'static str,
    is_set: bool,
}

pub(crate) fn run(given: &Config) -> Result<()> {
    let configuration = Configuration::of(&given.folder)?;
    let settings: Vec<Row<'_>> = configuration.values().iter().map(row).collect();
    let keys = KEYS.map(|variable| Key { variable, is_set: is_set(variable) }).into();
    let file = person_file(&|name| std::env::var(name).ok()).map(|path| input::shown(&path));
    let agents = configuration.agents().iter().map(agent).collect();
    let servers = configuration.servers().iter().map(server).collect();
    let report = Report { settings, keys, agents, servers, file };
    if given.json { output::print_json(&report) } else { output::print(table(&report).as_bytes()) }
}

fn row(value: &Value) -> Row<'_> {
    let origin = match &value.origin {
        Origin::Default => "default".to_owned(),
        Origin::File { path, line } => format!("{}:{line}", input::shown(path)),
        Origin::Variable(name) => format!("${name}"),
    };
    Row { key: value.setting.key, value: value.text.as_deref(), origin, about: value.setting.about }
}

fn agent(agent: &Configured) -> Agent {
    let origin = format!("{}:{}", input::shown(&agent.path), agent.line);
    Agent { name: agent.name().to_owned(), command: agent.shown(), origin }
}

fn server(entry: &ServerEntry) -> Server<'_> {
    let origin = format!("{}:{}", input::shown(&entry.path), entry.line);
    Server { name: &entry.name, target: entry.target(), origin }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn table(report: &Report<'_>) -> String {
    let mut text = String::new();
    let key_width = report.settings.iter().map(|row| row.key.len()).max().unwrap_or_default();
    let shown = |row: &Row<'_>| row.value.unwrap_or("not set").to_owned();
    let value_width = report.settings.iter().map(|row| shown(row).chars().count()).max().unwrap_or_default();
    for row in &report.settings {
        text.push_str(&format!("{:key_width$}  {:value_width$}  {}\n", row.key, shown(row), row.origin));
    }
    text.push('\n');
    for key in &report.keys {
        text.push_str(&format!(
            "{:key_width$}  {}\n",
            key.variable,
            if key.is_set { "set" } else { "not set" }
        ));
    }
    if !report.servers.is_empty() {
        text.push('\n');
    }
    for Server { name, target, origin } in &report.servers {
        text.push_str(&format!("mcp.{name}  {target}  {origin}\n"));
    }
    if !report.agents.is_empty() {
        text.push('\n');
    }
    for agent in &report.agents {
        text.push_str(&format!("agent {}  {}  {}\n", agent.name, agent.command, agent.origin));
    }
    if let Some(file) = &report.file {
        text.push_str(&format!("\nYour own settings: {file}\n"));
    }
    text
}
