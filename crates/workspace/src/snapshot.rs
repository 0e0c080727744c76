//! What the agent produced on the agreed base, so that the next turn sees what people changed since. Never the merged file:
//! edits made while the agent wrote must count as new.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::private;
use crate::sidecar::{SidecarError, failed};

/// The snapshot of one document.
#[derive(Debug, Clone)]
pub struct Snapshot {
    path: PathBuf,
}

impl Snapshot {
    /// The snapshot that is kept at `path`.
    pub fn at(path: &Path) -> Snapshot {
        Snapshot { path: path.to_owned() }
    }

    /// The text; nothing if there was no turn yet, and then the whole document is new.
    pub fn get(&self) -> Result<Option<String>, SidecarError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => self.set_aside(),
            Err(source) => Err(failed(&self.path, source)),
        }
    }

    /// Keeps `text` instead of what was kept before.
    pub fn set(&self, text: &str) -> Result<(), SidecarError> {
        private::replace(&self.path, text.as_bytes()).map_err(|source| failed(&self.path, source))
    }

    /// Forgets it: the whole document is new again.
    pub fn clear(&self) -> Result<(), SidecarError> {
        private::remove(&self.path).map_err(|source| failed(&self.path, source))
    }

    /// A snapshot that is no text is as good as none, but its bytes are kept.
    fn set_aside(&self) -> Result<Option<String>, SidecarError> {
        let moved = || -> io::Result<()> {
            private::keep_aside(&self.path, &fs::read(&self.path)?)?;
            private::remove(&self.path)
        };
        moved().map_err(|source| failed(&self.path, source))?;
        Ok(None)
    }
}
