//! Where the server of a project listens, noted for its owner alone, so that a page that was open finds it again and a second
//! server shows the link of the first. Never says that a server runs: one that was killed leaves its note behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private;
use crate::sidecar::FOLDER;

/// The longest note that is read.
const NOTE_MAX: u64 = 64 << 10;

/// Port and secrets of a server on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// The port on the loopback address.
    pub port: u16,
    /// What the person has to know.
    pub token: String,
    /// What others have to know.
    #[serde(default)]
    pub others: Vec<Other>,
    /// The process of the server. Another may have the port by now; only the daemon's lock says whether it still runs.
    #[serde(default)]
    pub process: u32,
}

/// A secret that was given to somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// It.
    pub token: String,
    /// The worker who writes in the section of this name; nobody, if it is for reading.
    pub worker: Option<String>,
}

impl Address {
    /// The note of the project, if there is one that can be read.
    #[must_use]
    pub fn find(root: &Path) -> Option<Address> {
        let path = place(root);
        if fs::symlink_metadata(&path).ok()?.len() > NOTE_MAX {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Notes it for the next one.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the state folder cannot be written.
    pub fn note(&self, root: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec(self).map_err(io::Error::other)?;
        private::replace(&place(root), &bytes)
    }
}

fn place(root: &Path) -> PathBuf {
    root.join(FOLDER).join("server.json")
}
