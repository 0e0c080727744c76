//! The MCP servers in the person's own file. Never takes one from a project: whoever made the project would choose what
//! starts on this machine.

use std::path::PathBuf;

use anyhow::Result;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tools::mcp::{ServerSettings, Way, is_server_name};
use tools::web::Key;

use super::file::Reader;
use super::setting::Shape;

/// Servers in one file.
const SERVERS_MAX: usize = 32;
const FIELDS: [&str; 5] = ["command", "args", "env", "url", "headers"];

/// A server as it is written down, with names of variables and not their values.
#[derive(Debug, Clone)]
pub(crate) struct ServerEntry {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    target: Target,
}

#[derive(Debug, Clone)]
enum Target {
    Command { command: String, arguments: Vec<String>, environment: Vec<(String, String)> },
    Address { url: String, headers: Vec<(String, String)> },
}

impl ServerEntry {
    /// What is started or reached, without arguments and headers: they may hold a secret.
    pub(crate) fn target(&self) -> &str {
        match &self.target {
            Target::Command { command, .. } => command,
            Target::Address { url, .. } => url,
        }
    }

    /// With the values of the variables that it names, or why it cannot be used.
    pub(crate) fn settings(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ServerSettings, String> {
        let mut filled = Filled { variable, secrets: Vec::new() };
        let way = match &self.target {
            Target::Command { command, arguments, environment } => Way::Child {
                command: command.clone(),
                arguments: arguments.clone(),
                environment: filled.pairs(environment)?,
            },
            Target::Address { url, headers } => {
                Way::Http { url: url.clone(), headers: filled.pairs(headers)? }
            }
        };
        Ok(ServerSettings { name: self.name.clone(), way, secrets: filled.secrets })
    }
}

/// Puts values in the place of `${NAME}`, and remembers them.
struct Filled<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    secrets: Vec<Key>,
}

impl Filled<'_> {
    fn pairs(&mut self, pairs: &[(String, String)]) -> Result<Vec<(String, Key)>, String> {
        pairs.iter().map(|(name, text)| Ok((name.clone(), Key::new(self.text(text)?)))).collect()
    }

    fn text(&mut self, mut text: &str) -> Result<String, String> {
        let mut filled = String::new();
        while let Some((before, after)) = text.split_once("${") {
            let (name, rest) = after.split_once('}').ok_or("a '${' is not closed in its settings")?;
            let value = (self.variable)(name).filter(|value| !value.is_empty());
            let value = value
                .ok_or_else(|| format!("{} is not set, and its settings name it", name.escape_debug()))?;
            filled.push_str(before);
            filled.push_str(&value);
            self.secrets.push(Key::new(value));
            text = rest;
        }
        filled.push_str(text);
        Ok(filled)
    }
}

/// The servers in the table `mcp` of a file.
pub(super) fn read(reader: &Reader<'_>, table: &DeTable<'_>) -> Result<Vec<ServerEntry>> {
    let mut entries = Vec::new();
    for (name, value) in table {
        let line = reader.line(name);
        let name = name.get_ref().to_string();
        if !is_server_name(&name) || entries.len() >= SERVERS_MAX {
            return Err(reader.refusal(
                line,
                &format!("an MCP server cannot be called '{}'", name.escape_debug()),
                "take up to 24 letters, digits, '-' and single '_', and no more than 32 servers",
            ));
        }
        let DeValue::Table(fields) = value.get_ref() else {
            return Err(reader.refusal(
                line,
                &format!("'mcp.{name}' is of the wrong kind"),
                "write [mcp.NAME]",
            ));
        };
        let target = target(reader, &name, line, fields)?;
        entries.push(ServerEntry { name, path: reader.path.to_owned(), line, target });
    }
    Ok(entries)
}

fn target(reader: &Reader<'_>, server: &str, line: usize, fields: &DeTable<'_>) -> Result<Target> {
    for name in fields.keys() {
        if !FIELDS.contains(&&**name.get_ref()) {
            let what = format!("there is no setting 'mcp.{server}.{}'", name.get_ref().escape_debug());
            return Err(reader.refusal(
                reader.line(name),
                &what,
                &format!("there are {}", FIELDS.join(", ")),
            ));
        }
    }
    let has = |name: &str| fields.contains_key(name);
    let unclear = |what: &str| {
        reader.refusal(
            line,
            &format!("'mcp.{server}' {what}"),
            "give 'command' with 'args' and 'env', or 'url' with 'headers'",
        )
    };
    match (has("command"), has("url")) {
        (true, true) | (false, false) => Err(unclear("needs either a command or a url")),
        (true, false) if has("headers") => Err(unclear("has headers, which a command does not get")),
        (false, true) if has("args") || has("env") => Err(unclear("has what only a command gets")),
        (true, false) => {
            let values = Values { reader, server, fields };
            let command = values.text("command")?;
            if command.contains('/') && !command.starts_with('/') {
                // It would be looked for wherever we happen to be, which may be a stranger's folder.
                return Err(unclear(
                    "names a program by a relative path; write the whole path or its bare name",
                ));
            }
            Ok(Target::Command {
                command,
                arguments: values.list("args")?,
                environment: values.pairs("env")?,
            })
        }
        (false, true) => {
            let values = Values { reader, server, fields };
            let url = values.text("url")?;
            let url = Shape::Address.accepts(&url);
            let url =
                url.map_err(|wrong| values.wrong("url", &format!("is {wrong}"), &Shape::Address.wanted()))?;
            Ok(Target::Address { url, headers: values.pairs("headers")? })
        }
    }
}

/// The fields of one server.
struct Values<'a> {
    reader: &'a Reader<'a>,
    server: &'a str,
    fields: &'a DeTable<'a>,
}

impl Values<'_> {
    fn text(&self, field: &str) -> Result<String> {
        let value = self.fields.get(field).and_then(text);
        value
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.wrong(field, "is of the wrong kind", "give a text"))
    }

    fn list(&self, field: &str) -> Result<Vec<String>> {
        let wrong = || self.wrong(field, "is of the wrong kind", "give a list of texts");
        match self.fields.get(field).map(Spanned::get_ref) {
            None => Ok(Vec::new()),
            Some(DeValue::Array(values)) => {
                values.iter().map(|value| text(value).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    fn pairs(&self, field: &str) -> Result<Vec<(String, String)>> {
        let wrong = || {
            self.wrong(field, "is of the wrong kind", "give names with texts, such as { NAME = \"${NAME}\" }")
        };
        let pair = |(name, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            Ok((name.get_ref().to_string(), text(value).ok_or_else(wrong)?))
        };
        match self.fields.get(field).map(Spanned::get_ref) {
            None => Ok(Vec::new()),
            Some(DeValue::Table(pairs)) => pairs.iter().map(pair).collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// Without the value: it may be a secret.
    fn wrong(&self, field: &str, what: &str, remedy: &str) -> anyhow::Error {
        let named = self.fields.keys().find(|name| name.get_ref() == field);
        let line = named.map_or(1, |name| self.reader.line(name));
        self.reader.refusal(line, &format!("'mcp.{}.{field}' {what}", self.server), remedy)
    }
}

/// A text that can be given to a program.
fn text(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) if !text.contains('\0') => Some(text.to_string()),
        _ => None,
    }
}
