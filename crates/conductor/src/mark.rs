//! The last words of guests, one small file each beside the conversations of the run: the way from the process of a guest to the one
//! that works on the run, which may be none. Never holds what a guest found, which stands in the document.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use workspace::sidecar::Sidecar;
use workspace::store::replace_small;

use crate::draft::sum;
use crate::limits::GUESTS_MAX;

/// A file that is longer was not written by us.
const MARK_MAX: u64 = 64 << 10;

/// A guest's word that it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Its name, which is taken once.
    pub(crate) id: String,
    /// Who said it.
    pub(crate) guest: String,
    /// What it found, in one sentence.
    pub(crate) summary: String,
    /// What its section was then, as a sum.
    pub(crate) section: String,
}

/// The last words of all guests of one run.
#[derive(Debug, Clone)]
pub(crate) struct Marks {
    sidecar: Sidecar,
    run: String,
}

impl Marks {
    pub(crate) fn of(sidecar: &Sidecar, run: &str) -> Marks {
        Marks { sidecar: sidecar.clone(), run: run.to_owned() }
    }

    /// Keeps the word of a guest in place of the one before; on the disk when this returns. Blocks.
    pub(crate) fn keep(&self, mark: &Mark) -> io::Result<()> {
        for folder in ["runs".to_owned(), format!("runs/{}", self.run)] {
            self.sidecar.private_folder(&folder)?;
        }
        let folder = self.sidecar.private_folder(&format!("runs/{}/guests", self.run))?;
        let bytes = serde_json::to_vec(mark).map_err(io::Error::other)?;
        replace_small(&folder.join(file_of(&mark.guest)), &bytes)
    }

    /// The last word of one guest. Blocks.
    pub(crate) fn last(&self, guest: &str) -> Option<Mark> {
        read(&self.folder().join(file_of(guest)))
    }

    /// The last words of all guests. One that cannot be read is none. Blocks.
    pub(crate) fn all(&self) -> Vec<Mark> {
        let Ok(entries) = fs::read_dir(self.folder()) else { return Vec::new() };
        entries.flatten().take(GUESTS_MAX).filter_map(|entry| read(&entry.path())).collect()
    }

    fn folder(&self) -> PathBuf {
        self.sidecar.folder().join("runs").join(&self.run).join("guests")
    }
}

/// The name of a file for a guest of any name; the same however its letters are written.
fn file_of(guest: &str) -> String {
    format!("{}.json", sum(&guest.to_lowercase()))
}

fn read(path: &std::path::Path) -> Option<Mark> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_ours = metadata.is_file() && metadata.len() <= MARK_MAX;
    is_ours.then(|| fs::read(path).ok())?.and_then(|bytes| serde_json::from_slice(&bytes).ok())
}
