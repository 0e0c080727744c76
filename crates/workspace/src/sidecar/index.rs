//! Which document has which files: by its path, or by its session or its text once it has been renamed. Never gives a copy of a
//! document the files of the original.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::checksum::hex128;
use crate::private;

/// Names tried for a document whose usual name is taken by one that was renamed.
const KEYS_MAX: usize = 1000;

/// The documents that can be known again when they have been renamed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    sessions: BTreeMap<String, Home>,
    /// Those that were answered and name no session.
    #[serde(default)]
    nameless: Vec<Home>,
    #[serde(skip)]
    is_changed: bool,
}

/// Where a document was last seen, and the name of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Home {
    key: String,
    path: String,
}

impl Index {
    /// Reads the index. One that cannot be read is kept aside: the files of documents that were never renamed are found
    /// without it.
    pub(super) fn read(path: &Path) -> io::Result<Index> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Index::default()),
            Err(error) => return Err(error),
        };
        match serde_json::from_slice::<Index>(&bytes) {
            Ok(index) if index.homes().all(|home| is_key(&home.key)) => Ok(index),
            Ok(_) | Err(_) => {
                private::keep_aside(path, &bytes)?;
                Ok(Index { is_changed: true, ..Index::default() })
            }
        }
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        private::replace(path, &serde_json::to_vec_pretty(self)?)
    }

    /// The name of the files of the document that is called `path` now.
    pub(super) fn key_for(
        &mut self,
        path: &str,
        session: Option<&str>,
        is_there: impl Fn(&str) -> bool,
    ) -> String {
        let Some(session) = session else {
            return self.key_at(path).unwrap_or_else(|| self.free_key(path));
        };
        if let Some(home) = self.sessions.get_mut(session) {
            if home.path == path {
                return home.key.clone();
            }
            if is_there(&home.path) {
                // The original is where it was, so this is a copy of it.
                return self.free_key(path);
            }
            path.clone_into(&mut home.path);
            self.is_changed = true;
            return home.key.clone();
        }
        let nameless = self.nameless.iter().position(|home| home.path == path);
        let key = match nameless {
            Some(place) => self.nameless.swap_remove(place).key,
            None => self.free_key(path),
        };
        self.sessions.insert(session.to_owned(), Home { key: key.clone(), path: path.to_owned() });
        self.is_changed = true;
        key
    }

    /// The name of the files of a document that names no session. If nothing is known of its path, it is one that is gone from its
    /// own, whose files tell that they are this document's.
    pub(super) fn key_by_files(
        &mut self,
        path: &str,
        is_there: impl Fn(&str) -> bool,
        are_its: impl Fn(&str) -> bool,
    ) -> String {
        if let Some(key) = self.key_at(path) {
            return key;
        }
        self.is_changed = true;
        let moved = self.nameless.iter_mut().find(|home| !is_there(&home.path) && are_its(&home.key));
        if let Some(home) = moved {
            path.clone_into(&mut home.path);
            return home.key.clone();
        }
        let key = self.free_key(path);
        self.nameless.push(Home { key: key.clone(), path: path.to_owned() });
        key
    }

    fn homes(&self) -> impl Iterator<Item = &Home> {
        self.sessions.values().chain(&self.nameless)
    }

    fn key_at(&self, path: &str) -> Option<String> {
        self.homes().find(|home| home.path == path).map(|home| home.key.clone())
    }

    /// The name that comes from the path, unless a document that has moved away took it along.
    fn free_key(&self, path: &str) -> String {
        let is_free = |key: &String| self.homes().all(|home| home.key != *key || home.path == path);
        let mut keys = (0..KEYS_MAX).map(|number| match number {
            0 => hex128(path.as_bytes()),
            _ => hex128(format!("{path}\0{number}").as_bytes()),
        });
        keys.find(is_free).unwrap_or_else(|| hex128(format!("{path}\0").as_bytes()))
    }
}

/// Only names that are made here become paths.
fn is_key(key: &str) -> bool {
    key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn files_follow_a_renamed_document_and_its_old_name_is_free_for_another() {
        let mut index = Index::default();
        let first = index.key_for("a.md", Some("s"), |_| true);
        assert_eq!(index.key_for("b.md", Some("s"), |_| false), first);
        assert_eq!(index.key_for("b.md", None, |_| true), first);
        assert_ne!(index.key_for("a.md", None, |_| true), first);
    }

    #[test]
    fn a_copy_has_files_of_its_own() {
        let mut index = Index::default();
        let first = index.key_for("a.md", Some("s"), |_| true);
        let copy = index.key_for("copy.md", Some("s"), |_| true);
        assert_ne!(copy, first);
        assert_eq!(index.key_for("a.md", Some("s"), |_| true), first);
        assert_eq!(index.key_for("copy.md", Some("s"), |_| true), copy);
    }

    #[test]
    fn a_document_without_a_session_is_known_by_its_files() {
        let mut index = Index::default();
        let first = index.key_by_files("a.md", |_| true, |_| false);
        let copy = index.key_by_files("copy.md", |_| true, |_| true);
        assert_ne!(copy, first);
        assert_ne!(index.key_by_files("other.md", |_| false, |_| false), first);
        assert_eq!(index.key_by_files("b.md", |path| path != "a.md", |key| key == first), first);
        assert_eq!(index.key_for("b.md", None, |_| true), first);
        assert_ne!(index.key_for("a.md", None, |_| true), first);
        assert_eq!(index.key_for("b.md", Some("s"), |_| true), first);
        assert_eq!(index.key_for("c.md", Some("s"), |_| false), first);
    }

    #[test]
    fn a_document_that_gets_a_session_keeps_its_files() {
        let mut index = Index::default();
        let before = index.key_for("a.md", None, |_| true);
        assert_eq!(index.key_for("a.md", Some("s"), |_| true), before);
    }
}
