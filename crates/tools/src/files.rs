//! Files that a model names: finding, opening, remembering and replacing them. Never opens anything but the path that was
//! weighed: a link that appears on the way meanwhile is an error.

mod fingerprint;
mod locate;
mod nearest;
mod open;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent::permission::{Claim, PathAccess, Permit};

pub use fingerprint::Fingerprint;
pub use write::{DirectWriter, WriteError, Writer};

pub(crate) use open::{Opened, opened, read_whole};

use crate::checkpoint::Checkpoints;
use crate::process::locked;

/// What the file tools of one session share.
#[derive(Clone)]
pub struct Files {
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    writer: Arc<dyn Writer>,
    checkpoints: Option<Checkpoints>,
    /// What the model last read or wrote, by path.
    seen: Mutex<HashMap<PathBuf, Fingerprint>>,
}

impl Files {
    /// Paths that are not absolute begin at `root`, which has no link in it.
    pub fn new(root: PathBuf, writer: Arc<dyn Writer>, checkpoints: Option<Checkpoints>) -> Self {
        Self { shared: Arc::new(Shared { root, writer, checkpoints, seen: Mutex::default() }) }
    }

    /// The root of the workspace.
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// What a call that names `given` would touch.
    pub(crate) fn claim(&self, field: &str, given: &str, access: PathAccess) -> Result<Claim, String> {
        let spellings = locate::spellings(self.root(), given)
            .map_err(|why| format!("InputValidationError: `{field}`: {given:?} {why}"))?;
        Ok(Claim::of_path(access, spellings))
    }

    /// The one path that a permit is about.
    pub(crate) fn permitted(permit: &Permit) -> Result<PathBuf, String> {
        let spellings =
            permit.claim().paths.first().map(|path| path.spellings.as_slice()).unwrap_or_default();
        spellings.last().map(PathBuf::from).ok_or_else(|| "the permit names no path".to_owned())
    }

    /// A path as the model should see it: short inside the workspace.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(self.root()).unwrap_or(path);
        let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
        crate::output::visible(&inside.to_string_lossy()).into_owned()
    }

    /// The model now knows this content.
    pub(crate) fn remember(&self, path: &Path, content: &[u8]) {
        locked(&self.shared.seen).insert(path.to_path_buf(), Fingerprint::of(content));
    }

    /// Sees that the model knows what it is about to change.
    pub(crate) fn check_seen(&self, path: &Path, content: &[u8]) -> Result<(), String> {
        let seen = locked(&self.shared.seen).get(path).copied();
        let shown = self.shown(path);
        match seen {
            None => Err(format!("File has not been read yet. Read {shown} first, then change it")),
            Some(seen) if seen != Fingerprint::of(content) => {
                Err(format!("File has been modified since it was read. Read {shown} again, then change it"))
            }
            Some(_) => Ok(()),
        }
    }

    /// Replaces a file that still is `before`, or makes one that is not there.
    pub(crate) fn replace(&self, path: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<(), String> {
        let shown = self.shown(path);
        if let Some(checkpoints) = &self.shared.checkpoints {
            let recorded = checkpoints.record_edit(path, before, after);
            recorded.map_err(|error| {
                format!("{shown} was left alone, because what it was could not be kept: {error}")
            })?;
        }
        self.shared.writer.replace(path, before.map(Fingerprint::of).as_ref(), after).map_err(|error| {
            match error {
                WriteError::Changed => {
                    format!("File has been modified since it was read. Read {shown} again, then change it")
                }
                WriteError::Io(error) => format!("{shown} could not be written and is as it was: {error}"),
            }
        })?;
        self.remember(path, after);
        Ok(())
    }

    /// Why there is nothing at `path`, and what there is instead.
    pub(crate) fn missing(&self, path: &Path) -> String {
        let shown = self.shown(path);
        match nearest::names(path) {
            found if found.is_empty() => format!("there is no file {shown}; look for it with Glob"),
            found => {
                let found: Vec<String> = found.iter().map(|path| self.shown(path)).collect();
                format!("there is no file {shown}; did you mean {}?", found.join(" or "))
            }
        }
    }
}
