//! What the agent produced on the agreed base, so that the next turn sees what people changed since. Never the merged file:
//! edits made while the agent wrote must count as new.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::checksum::LongSum;
use crate::private;
use crate::sidecar::{SidecarError, failed};

/// How much is read at a time where the whole text is not needed.
const PIECE: usize = 64 << 10;

/// A snapshot that was read. Its file is open, so that it can be told from every later one without reading either.
#[derive(Debug)]
pub(crate) struct Seen {
    file: File,
    fingerprint: String,
}

impl Seen {
    /// The [`fingerprint`](crate::pending::fingerprint) of the text.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Whether the name leads to the same file.
    pub(crate) fn is_under(&self, path: &Path) -> Result<bool, SidecarError> {
        private::is_under(path, &self.file).map_err(|source| failed(path, source))
    }
}

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

    /// Where it is kept. It is always replaced whole, never written in place.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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

    /// What is kept now; nothing if nothing is.
    pub(crate) fn look(&self) -> Result<Option<Seen>, SidecarError> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(&self.path, source)),
        };
        let mut summed = || -> io::Result<String> {
            let mut sum = LongSum::default();
            let mut piece = Vec::with_capacity(PIECE);
            while file.by_ref().take(PIECE as u64).read_to_end(&mut piece)? > 0 {
                sum.add(&piece);
                piece.clear();
            }
            Ok(sum.hex128())
        };
        let fingerprint = summed().map_err(|source| failed(&self.path, source))?;
        Ok(Some(Seen { file, fingerprint }))
    }

    /// Whether what is kept is what was seen then, and nothing is kept if nothing was.
    pub(crate) fn is_still(&self, seen: Option<&Seen>) -> Result<bool, SidecarError> {
        match seen {
            Some(seen) => seen.is_under(&self.path),
            None => match fs::exists(&self.path) {
                Ok(is_there) => Ok(!is_there),
                Err(source) => Err(failed(&self.path, source)),
            },
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
