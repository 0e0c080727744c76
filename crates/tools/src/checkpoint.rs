//! What files were before a tool changed them, and the way back. Never touches git: neither index, branch nor stash, and never
//! takes away what somebody wrote after the tool.

mod objects;
mod snapshot;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::files::{Fingerprint, WriteError, Writer};
use crate::process::locked;
use objects::Objects;
use snapshot::Known;

/// The records of one workspace.
#[derive(Clone)]
pub struct Checkpoints {
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    objects: Objects,
    /// What is known of each file, so that only what changed is read again.
    known: Mutex<Option<Known>>,
    /// One record at a time.
    last: Mutex<u64>,
}

/// What one call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Counts up from 1.
    pub id: u64,
    /// When it was noted, in milliseconds since 1970.
    #[serde(default)]
    pub at: u64,
    /// What the call was, for a list.
    pub label: String,
    /// Each file that is not what it was.
    pub changes: Vec<Changed>,
    /// Whether some files were too large or too many to be kept.
    pub is_partial: bool,
}

/// One file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// From the root.
    pub path: String,
    /// What it was, by the name of its object; nothing if it was not there.
    pub before: Option<String>,
    /// What it became; nothing if it was removed.
    pub after: Option<String>,
}

/// What came of going back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Files that are again what they were.
    pub restored: Vec<String>,
    /// Files that somebody changed after the tool. They were left alone.
    pub kept: Vec<String>,
}

impl Checkpoints {
    /// Keeps its records in `store`, a folder that no tool can write.
    pub fn new(root: PathBuf, store: PathBuf) -> io::Result<Self> {
        let objects = Objects::open(store)?;
        let last = objects.ids()?.last().copied().unwrap_or_default();
        let shared = Shared { root, objects, known: Mutex::default(), last: Mutex::new(last) };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// All records, oldest first.
    pub fn records(&self) -> io::Result<Vec<Record>> {
        self.shared.objects.ids()?.into_iter().map(|id| self.shared.objects.record(id)).collect()
    }

    /// Notes one file before a tool changes it.
    pub(crate) fn record_edit(&self, path: &Path, before: Option<&[u8]>, after: &[u8]) -> io::Result<()> {
        let Some(name) = path.strip_prefix(&self.shared.root).ok().and_then(Path::to_str) else {
            return Ok(());
        };
        let before = before.map(|before| self.shared.objects.keep(before)).transpose()?;
        let change = Changed { path: name.to_owned(), before, after: Some(Fingerprint::of(after).hex()) };
        self.add(&format!("edit {name}"), vec![change], false)
    }

    /// Takes in all files of the workspace, before a command that may change any of them.
    pub(crate) fn before_command(&self) -> io::Result<()> {
        let mut known = locked(&self.shared.known);
        let mut now = snapshot::taken(&self.shared.root, known.as_ref().unwrap_or(&Known::default()))?;
        for file in now.files.values_mut().filter(|file| !file.is_kept) {
            file.is_kept =
                self.shared.objects.keep_file(&self.shared.root.join(&file.name), &file.fingerprint)?;
        }
        *known = Some(now);
        Ok(())
    }

    /// Notes what the command changed.
    pub(crate) fn after_command(&self, label: &str) -> io::Result<()> {
        let mut known = locked(&self.shared.known);
        let Some(before) = known.take() else { return Ok(()) };
        let now = snapshot::taken(&self.shared.root, &before)?;
        let changes = differences(&before, &now);
        let is_partial = before.is_partial || now.is_partial;
        *known = Some(now);
        drop(known);
        if changes.is_empty() { Ok(()) } else { self.add(label, changes, is_partial) }
    }

    /// Takes back what was done from record `from` on, newest first.
    pub fn restore(&self, from: u64, writer: &dyn Writer) -> io::Result<Restored> {
        let mut outcome = Restored::default();
        for id in self.shared.objects.ids()?.into_iter().rev().take_while(|id| *id >= from) {
            for change in self.shared.objects.record(id)?.changes {
                // Once left alone, a file is left alone for good: older texts do not fit on what stands there.
                if !outcome.kept.contains(&change.path) && self.undo(&change, writer)? {
                    outcome.restored.push(change.path);
                } else {
                    outcome.kept.push(change.path);
                }
            }
            self.shared.objects.forget(id)?;
        }
        for list in [&mut outcome.restored, &mut outcome.kept] {
            list.sort();
            list.dedup();
        }
        outcome.restored.retain(|path| !outcome.kept.contains(path));
        Ok(outcome)
    }

    /// Whether the file is again what it was.
    fn undo(&self, change: &Changed, writer: &dyn Writer) -> io::Result<bool> {
        let path = self.shared.root.join(&change.path);
        let now = snapshot::fingerprint_of(&path)?;
        if now.map(|now| now.hex()) != change.after {
            return Ok(false);
        }
        let Some(before) = &change.before else {
            std::fs::remove_file(&path)?;
            return Ok(true);
        };
        let content = self.shared.objects.content(before)?;
        match writer.replace(&path, now.as_ref(), &content) {
            Ok(()) => Ok(true),
            Err(WriteError::Changed) => Ok(false),
            Err(WriteError::Io(error)) => Err(error),
        }
    }

    fn add(&self, label: &str, changes: Vec<Changed>, is_partial: bool) -> io::Result<()> {
        let mut last = locked(&self.shared.last);
        let label = label.chars().take(LABEL_MAX).collect();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = u64::try_from(since.as_millis()).unwrap_or_default();
        let mut record = Record { id: *last + 1, at, label, changes, is_partial };
        // Another session in the same workspace may have taken the number.
        while !self.shared.objects.add(&record)? {
            record.id += 1;
        }
        *last = record.id;
        Ok(())
    }
}

/// What is kept of a command in a list, in characters.
const LABEL_MAX: usize = 200;

fn differences(before: &Known, now: &Known) -> Vec<Changed> {
    let mut changes = BTreeMap::new();
    for (name, file) in &before.files {
        let after = now.files.get(name).map(|file| file.fingerprint);
        if file.is_kept && after != Some(file.fingerprint) {
            let after = after.map(|after| after.hex());
            changes.insert(name, Changed { path: name.clone(), before: Some(file.fingerprint.hex()), after });
        }
    }
    for (name, file) in now.files.iter().filter(|(name, _)| !before.files.contains_key(*name)) {
        let after = Some(file.fingerprint.hex());
        changes.insert(name, Changed { path: name.clone(), before: None, after });
    }
    changes.into_values().collect()
}
