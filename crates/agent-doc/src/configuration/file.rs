//! A file of settings. Never passes over a line that it does not understand: a setting that silently does not hold is worse
//! than none.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::By;
use super::{Scope, Setting};
use crate::input;
use crate::refusal::Refusal;

/// A file of settings is no longer than this.
const BYTES_MAX: u64 = 1 << 20;

/// A setting in a file.
pub(super) struct Found {
    pub(super) setting: &'static Setting,
    pub(super) text: String,
    pub(super) line: usize,
}

/// The settings in a file. A file that is not there has none.
pub(super) fn read(path: &Path, scope: Scope) -> Result<Vec<Found>> {
    let shown = input::shown(path);
    let length = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| unreadable(&shown)),
    };
    if length > BYTES_MAX {
        return Err(
            Refusal::new(format!("{shown} has {length} bytes"), "a file of settings is a few lines").into()
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| unreadable(&shown))?;
    let reader = Reader { shown, text: &text, scope };
    let table = DeTable::parse(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(&text, span.start));
        let told = error.message().trim().replace('\n', ", ");
        Refusal::new(format!("{}:{line}: {told}", reader.shown), "mend the line; the file is TOML")
    })?;
    let mut found = Vec::new();
    reader.table("", table.get_ref(), &mut found)?;
    Ok(found)
}

struct Reader<'a> {
    shown: String,
    text: &'a str,
    scope: Scope,
}

impl Reader<'_> {
    fn table(&self, prefix: &str, table: &DeTable<'_>, found: &mut Vec<Found>) -> Result<()> {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            let line = line_of(self.text, name.span().start);
            if let DeValue::Table(inner) = value.get_ref() {
                self.table(&format!("{key}."), inner, found)?;
                continue;
            }
            found.push(self.setting(&key, value, line)?);
        }
        Ok(())
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
