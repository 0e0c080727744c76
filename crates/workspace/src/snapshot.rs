//! What the agent produced on the agreed base, so that the next turn sees what people changed since. Never the merged file:
//! edits made while the agent wrote must count as new.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use document::Edit;

use crate::kept::{KeptText, Seen, When};
use crate::private;
use crate::sidecar::{SidecarError, failed};

/// The snapshot of one document.
#[derive(Debug, Clone)]
pub struct Snapshot {
    kept: KeptText,
}

impl Snapshot {
    /// The snapshot that is kept at `path`.
    pub fn at(path: &Path) -> Snapshot {
        Snapshot { kept: KeptText::at(path) }
    }

    /// How it is kept.
    pub(crate) fn kept(&self) -> &KeptText {
        &self.kept
    }

    /// The text; nothing if there was no turn yet, and then the whole document is new.
    pub fn get(&self) -> Result<Option<String>, SidecarError> {
        match self.kept.get() {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.told(self.set_aside()).map(|()| None)
            }
            found => self.told(found),
        }
    }

    /// What is kept now; nothing if nothing is.
    pub(crate) fn look(&self) -> Result<Option<Seen>, SidecarError> {
        self.told(self.kept.look())
    }

    /// What makes `text`, whose fingerprint is this, of what was seen; none if the text is better kept as a whole.
    pub(crate) fn edits_to(
        &self,
        seen: &Seen,
        fingerprint: &str,
        text: &str,
    ) -> Result<Option<Vec<Edit>>, SidecarError> {
        self.told(seen.edits_to(fingerprint, text))
    }

    /// Whether what is kept is what was seen then, and nothing is kept if nothing was.
    pub(crate) fn is_still(&self, seen: Option<&Seen>) -> Result<bool, SidecarError> {
        self.told(self.kept.is_still(seen))
    }

    /// Keeps `text` instead of what was kept before.
    pub fn set(&self, text: &str) -> Result<(), SidecarError> {
        self.told(self.kept.set(&[text], When::Now))
    }

    /// The same for a text in parts.
    pub(crate) fn set_parts(&self, parts: &[&str]) -> Result<(), SidecarError> {
        self.told(self.kept.set(parts, When::Now))
    }

    /// The same for a text in parts that these edits make of what was seen.
    pub(crate) fn change(&self, seen: &Seen, edits: &[Edit], parts: &[&str]) -> Result<(), SidecarError> {
        self.told(self.kept.change(seen, edits, parts, When::Now))
    }

    /// Forgets it: the whole document is new again.
    pub fn clear(&self) -> Result<(), SidecarError> {
        let [text, beside] = self.kept.files();
        self.told(private::remove_all(&[&text, &beside]))
    }

    /// A snapshot that is no text is as good as none, but its bytes are kept.
    fn set_aside(&self) -> io::Result<()> {
        for path in self.kept.files() {
            match fs::read(&path) {
                Ok(bytes) => {
                    private::keep_aside(&path, &bytes)?;
                    private::remove(&path)?;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn told<T>(&self, result: io::Result<T>) -> Result<T, SidecarError> {
        result.map_err(|source| failed(self.kept.path(), source))
    }
}
