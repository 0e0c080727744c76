//! A file of settings. Never passes over a line that it does not understand: a setting that silently does not hold is worse
//! than none.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::agents::{self, Configured};
use super::servers::{self, ServerEntry};
use super::setting::By;
use super::{Scope, Setting};
use crate::input;
use crate::refusal::Refusal;

/// A file of settings is no longer than this.
const BYTES_MAX: u64 = 1 << 20;

/// The table of MCP servers.
const SERVERS: &str = "mcp";

/// A setting in a file.
pub(super) struct Found {
    pub(super) setting: &'static Setting,
    pub(super) text: String,
    pub(super) line: usize,
}

/// All that stands in a file.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) settings: Vec<Found>,
    pub(super) agents: Vec<Configured>,
    pub(super) servers: Vec<ServerEntry>,
}

/// The settings in a file. A file that is not there has none.
pub(super) fn read(path: &Path, scope: Scope) -> Result<Contents> {
    let shown = input::shown(path);
    let length = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Contents::default()),
        Err(error) => return Err(error).with_context(|| unreadable(&shown)),
    };
    if length > BYTES_MAX {
        return Err(
            Refusal::new(format!("{shown} has {length} bytes"), "a file of settings is a few lines").into()
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| unreadable(&shown))?;
    parse(path, &text, scope)
}

/// What stands in a text that a file holds.
pub(super) fn parse(path: &Path, text: &str, scope: Scope) -> Result<Contents> {
    let reader = Reader { path, shown: input::shown(path), text, scope };
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let told = error.message().trim().replace('\n', ", ");
        Refusal::new(format!("{}:{line}: {told}", reader.shown), "mend the line; the file is TOML")
    })?;
    let mut contents = Contents::default();
    reader.table("", table.get_ref(), &mut contents)?;
    Ok(contents)
}

pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    shown: String,
    text: &'a str,
    scope: Scope,
}

impl Reader<'_> {
    fn table(&self, prefix: &str, table: &DeTable<'_>, contents: &mut Contents) -> Result<()> {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            let line = self.line(name);
            match value.get_ref() {
                _ if key == SERVERS && self.scope == Scope::Project => {
                    let what = "a project may not set 'mcp', which decides what is started on your machine";
                    let remedy = "take the lines out; if you want the server, put it into your own file";
                    return Err(self.refusal(line, what, remedy));
                }
                DeValue::Table(inner) if key == SERVERS => contents.servers = servers::read(self, inner)?,
                DeValue::Table(inner) if prefix == "agents." => {
                    contents.agents.push(self.agent(name.get_ref(), inner, line)?);
                }
                DeValue::Table(inner) => self.table(&format!("{key}."), inner, contents)?,
                _ => contents.settings.push(self.setting(&key, value, line)?),
            }
        }
        Ok(())
    }

    fn agent(&self, name: &str, table: &DeTable<'_>, line: usize) -> Result<Configured> {
        if self.scope == Scope::Project {
            let what = format!(
                "{}:{line}: a project may not set the agent '{}', which decides what runs here",
                self.shown,
                name.escape_debug()
            );
            return Err(
                Refusal::new(what, "take the table out; if you want it, put it into your own file").into()
            );
        }
        // Nothing has no place; the table itself has.
        let place =
            |at: usize| format!("{}:{}", self.shown, if at == 0 { line } else { line_of(self.text, at) });
        Ok(Configured { kind: agents::read(name, table, &place)?, path: self.path.to_owned(), line })
    }

    /// The line that a name stands in.
    pub(super) fn line(&self, name: &Spanned<Cow<'_, str>>) -> usize {
        line_of(self.text, name.span().start)
    }

    /// What is wrong in a line of this file.
    pub(super) fn refusal(&self, line: usize, what: &str, remedy: &str) -> anyhow::Error {
        Refusal::new(format!("{}:{line}: {what}", self.shown), remedy).into()
    }

    fn setting(&self, key: &str, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Found> {
        let place = format!("{}:{line}", self.shown);
        let Some(setting) = Setting::named(key) else {
            let remedy = match Setting::nearest(key) {
                Some(nearest) => format!("did you mean '{nearest}'? 'agent-doc config' shows all"),
                None => "'agent-doc config' shows all settings".to_owned(),
            };
            return Err(Refusal::new(
                format!("{place}: there is no setting '{}'", key.escape_debug()),
                remedy,
            )
            .into());
        };
        if self.scope == Scope::Project && setting.by == By::PersonOnly {
            let what =
                format!("{place}: a project may not set '{key}', which decides where your words are sent");
            return Err(
                Refusal::new(what, "take the line out; if you want it, put it into your own file").into()
            );
        }
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => {
                let what = format!("{place}: '{key}' is of the wrong kind");
                return Err(Refusal::new(what, format!("give {}", setting.shape.wanted())).into());
            }
        };
        if self.scope == Scope::Project && text.starts_with("replay:") {
            let what = format!("{place}: a project may not bring the answers of a model with it");
            return Err(Refusal::new(what, "take the line out; replay a recording with --model").into());
        }
        let text = setting.shape.accepts(&text).map_err(|wrong| {
            Refusal::new(format!("{place}: '{key}' is {wrong}"), format!("give {}", setting.shape.wanted()))
        })?;
        Ok(Found { setting, text, line })
    }
}

fn unreadable(shown: &str) -> Refusal {
    Refusal::new(format!("cannot read {shown}"), "look who owns it; it must be UTF-8 text")
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes().get(..at).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}
