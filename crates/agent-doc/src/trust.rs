//! Which files of projects the person has looked at and trusts, by their very bytes. Never kept in a project, and never believed
//! after a byte was changed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tools::files::Fingerprint;

use crate::configuration::person_file;
use crate::output;
use crate::refusal::Refusal;
use crate::replace::{Destination, replace};

/// The file in the person's own folder: a sum and a path on each line.
const NAME: &str = "trusted";
/// A file of a project that is longer is not taken.
const BYTES_MAX: u64 = 32 * 1024;

/// What the person trusts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    place: Option<PathBuf>,
    text: String,
}

impl Trust {
    /// What this person has trusted so far. What cannot be read is not trusted.
    pub(crate) fn of_person() -> Trust {
        let place = person_file(&|name| std::env::var(name).ok()).map(|file| file.with_file_name(NAME));
        let text = place.as_ref().and_then(|place| fs::read_to_string(place).ok()).unwrap_or_default();
        Trust { place, text }
    }

    /// Whether these very bytes of this very file are trusted.
    pub(crate) fn holds(&self, path: &Path, content: &[u8]) -> bool {
        line(path, content).is_some_and(|line| self.text.lines().any(|known| known == line))
    }

    /// The text of a project's file, if it is trusted as it is; else a line that says what to do.
    pub(crate) fn text_of(&self, path: &Path) -> Option<String> {
        let why = match content(path) {
            Ok(None) => return None,
            Ok(Some(text)) if self.holds(path, text.as_bytes()) => return Some(text),
            Ok(Some(_)) => "you have not trusted it as it is; 'agent-doc trust --list' shows it",
            Err(why) => why,
        };
        output::notice(&format!("{} does not count, because {why}", path.display()));
        None
    }

    /// Trusts a file as it is now and no longer as it was.
    pub(crate) fn add(&mut self, path: &Path, content: &[u8]) -> Result<()> {
        let line = line(path, content).with_context(|| {
            Refusal::new("the name of the file has a line break in it", "rename the folder, then try again")
        })?;
        let text = format!("{}{line}\n", self.without(path));
        self.write(text)
    }

    /// Trusts a file no longer. Says whether it was trusted in any form.
    pub(crate) fn remove(&mut self, path: &Path) -> Result<bool> {
        let text = self.without(path);
        let is_changed = text != self.text;
        if is_changed {
            self.write(text)?;
        }
        Ok(is_changed)
    }

    fn without(&self, path: &Path) -> String {
        let is_other = |line: &&str| line.split_once("  ").is_none_or(|(_, known)| Path::new(known) != path);
        self.text.lines().filter(is_other).map(|line| format!("{line}\n")).collect()
    }

    fn write(&mut self, text: String) -> Result<()> {
        let none = || Refusal::new("there is no folder for your settings", "set HOME to your home folder");
        let place = self.place.as_ref().ok_or_else(none)?;
        let unwritable = || Refusal::new(format!("cannot write {}", place.display()), "check the folder");
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).with_context(unwritable)?;
        }
        let is_new = matches!(fs::metadata(place), Err(error) if error.kind() == ErrorKind::NotFound);
        replace(&Destination::find(place)?, &text, (!is_new).then_some(self.text.as_str()))?;
        self.text = text;
        Ok(())
    }
}

/// The text of a project's file; none if it is not there or says nothing, and why not if it is none that can be trusted.
pub(crate) fn content(path: &Path) -> Result<Option<String>, &'static str> {
    match fs::symlink_metadata(path) {
        // What a link leads to could be another file tomorrow.
        Ok(metadata) if !metadata.is_file() => return Err("it is no plain file; put the file itself there"),
        Ok(metadata) if metadata.len() > BYTES_MAX => return Err("it has more than 32 KiB; shorten it"),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err("it cannot be looked at; look who owns it"),
    }
    let text = fs::read_to_string(path).map_err(|_| "it is no text that can be read; look at it")?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

fn line(path: &Path, content: &[u8]) -> Option<String> {
    let path = path.to_str().filter(|path| !path.contains('\n'))?;
    Some(format!("{}  {path}", Fingerprint::of(content).hex()))
}
