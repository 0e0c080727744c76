//! Outside agents in the person's own settings: `[agents.NAME]` says what is run and how its output is read. Never takes one
//! from a project: a folder that comes from elsewhere must not choose what runs here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use toml::de::{DeTable, DeValue};
use workspace::outside::{Format, Spec};

use crate::refusal::Refusal;

/// The keys of an agent. `like` stands first, since the others change what it brings.
const KEYS: [&str; 12] = [
    "like",
    "command",
    "args",
    "model_args",
    "resume_args",
    "fork_args",
    "prompt_args",
    "format",
    "text",
    "session",
    "patience",
    "pane",
];

const FORMATS: &str = "text, json, claude, codex, gemini, opencode, acp or tmux";

/// The longest time that an agent may be silent, in seconds.
const PATIENCE_MAX: u64 = 86_400;

/// An agent of the person's own.
#[derive(Debug, Clone)]
pub(crate) struct Configured {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A program that is started.
    Program(Spec),
    /// A program that runs in a pane of tmux.
    Pane { name: String, pane: String, patience: Duration },
}

impl Configured {
    pub(crate) fn name(&self) -> &str {
        match &self.kind {
            Kind::Program(spec) => &spec.name,
            Kind::Pane { name, .. } => name,
        }
    }

    /// What runs, in a line.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Program(spec) => {
                let words = std::iter::once(&spec.command).chain(&spec.args);
                words.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            Kind::Pane { pane, .. } => format!("tmux {pane}"),
        }
    }
}

/// The agent that a table describes. `place` is where the table stands.
pub(super) fn read(name: &str, table: &DeTable<'_>, place: &dyn Fn(usize) -> String) -> Result<Kind> {
    let reader = Reader { name, table, place };
    reader.must_be_known()?;
    let like = match reader.words("like")? {
        Some(like) => Some(Spec::built_in(&like).ok_or_else(|| {
            reader.wrong(
                "like",
                &format!("'{}', which is no built-in agent", like.escape_debug()),
                "name one, such as claude",
            )
        })?),
        None => Spec::built_in(name),
    };
    if let Some(pane) = reader.words("pane")? {
        let patience = reader.patience()?.unwrap_or(Spec::new(name, "").patience);
        return Ok(Kind::Pane { name: name.to_owned(), pane, patience });
    }
    let command = reader.words("command")?;
    let mut spec = match (like, &command) {
        (Some(like), _) => Spec { name: name.to_owned(), ..like },
        (None, Some(command)) => Spec::new(name, command),
        (None, None) => {
            let what = format!("{}: the agent '{}' has no command", (reader.place)(0), name.escape_debug());
            return Err(Refusal::new(what, "set 'command', or 'like' to the name of a built-in agent").into());
        }
    };
    if let Some(command) = command {
        must_be_found_anywhere(&reader, &command)?;
        spec.command = command;
    }
    for (key, list) in [
        ("args", &mut spec.args),
        ("model_args", &mut spec.model_args),
        ("resume_args", &mut spec.resume_args),
        ("fork_args", &mut spec.fork_args),
        ("prompt_args", &mut spec.prompt_args),
    ] {
        if let Some(words) = reader.list(key)? {
            *list = words;
        }
    }
    if let Some(format) = reader.format()? {
        spec.format = format;
    }
    spec.patience = reader.patience()?.unwrap_or(spec.patience);
    Ok(Kind::Program(spec))
}

/// A path from the folder of the project would run whatever lies there.
fn must_be_found_anywhere(reader: &Reader<'_, '_>, command: &str) -> Result<()> {
    if command.contains('/') && !Path::new(command).is_absolute() {
        let remedy = "give the name of a program in PATH, or a whole path";
        return Err(reader.wrong("command", "a path that depends on the folder", remedy).into());
    }
    Ok(())
}

struct Reader<'a, 'b> {
    name: &'a str,
    table: &'a DeTable<'b>,
    place: &'a dyn Fn(usize) -> String,
}

impl Reader<'_, '_> {
    fn must_be_known(&self) -> Result<()> {
        for key in self.table.keys() {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                let what = format!(
                    "{}: an agent has no '{}'",
                    (self.place)(key.span().start),
                    key.get_ref().escape_debug()
                );
                return Err(Refusal::new(what, format!("it has {}", KEYS.join(", "))).into());
            }
        }
        Ok(())
    }

    fn get(&self, wanted: &str) -> Option<&DeValue<'_>> {
        self.table.iter().find(|(key, _)| key.get_ref() == wanted).map(|(_, value)| value.get_ref())
    }

    fn wrong(&self, key: &str, what: &str, remedy: &str) -> Refusal {
        let found = self.table.keys().find(|known| known.get_ref() == key);
        let place = (self.place)(found.map_or(0, |known| known.span().start));
        Refusal::new(
            format!("{place}: '{key}' of the agent '{}' is {what}", self.name.escape_debug()),
            remedy,
        )
    }

    fn words(&self, key: &str) -> Result<Option<String>> {
        match self.get(key) {
            None => Ok(None),
            Some(DeValue::String(text)) if !text.is_empty() && !text.contains('\0') => {
                Ok(Some(text.to_string()))
            }
            Some(_) => Err(self.wrong(key, "no text", "give a text in quotes").into()),
        }
    }

    fn list(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let words = match value {
            DeValue::Array(values) => values
                .iter()
                .map(|value| match value.get_ref() {
                    DeValue::String(text) if !text.contains('\0') => Some(text.to_string()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        match words {
            Some(words) => Ok(Some(words)),
            None => Err(self
                .wrong(key, "no list of texts", "give one, such as [\"--quiet\", \"{prompt}\"]")
                .into()),
        }
    }

    fn format(&self) -> Result<Option<Format>> {
        let Some(word) = self.words("format")? else { return Ok(None) };
        Ok(Some(match word.as_str() {
            "text" => Format::Text,
            "json" => Format::Json {
                text: self.words("text")?.unwrap_or_else(|| "result".to_owned()),
                session: self.words("session")?,
            },
            "claude" => Format::Claude,
            "codex" => Format::Codex,
            "gemini" => Format::Gemini,
            "opencode" => Format::Opencode,
            "acp" => Format::Acp,
            "tmux" => {
                return Err(self
                    .wrong("format", "tmux without a pane", "set 'pane', such as work:1.0")
                    .into());
            }
            other => {
                let what = format!("'{}'", other.escape_debug());
                return Err(self.wrong("format", &what, &format!("give {FORMATS}")).into());
            }
        }))
    }

    fn patience(&self) -> Result<Option<Duration>> {
        let seconds = match self.get("patience") {
            None => return Ok(None),
            Some(DeValue::Integer(number)) if number.radix() == 10 => number.as_str().parse().ok(),
            Some(_) => None,
        };
        match seconds.filter(|seconds| (1..=PATIENCE_MAX).contains(seconds)) {
            Some(seconds) => Ok(Some(Duration::from_secs(seconds))),
            None => {
                let remedy = format!("give whole seconds from 1 to {PATIENCE_MAX}");
                Err(self.wrong("patience", "no such time", &remedy).into())
            }
        }
    }
}
