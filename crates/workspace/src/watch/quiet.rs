//! Turns many raw events into one signal per file once it is quiet. Never keeps more than its limit: beyond that, all files
//! are to be looked at.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

use super::Watched;

/// Files that are of interest, and those that changed a moment ago.
#[derive(Debug)]
pub(super) struct Quiet {
    time: Duration,
    pending_max: usize,
    documents: HashMap<PathBuf, Duration>,
    roots: Vec<PathBuf>,
    pending: HashMap<PathBuf, Instant>,
    rescan: Option<Instant>,
    has_missed: bool,
}

impl Quiet {
    pub(super) fn new(time: Duration, pending_max: usize) -> Self {
        Self {
            time,
            pending_max,
            documents: HashMap::new(),
            roots: Vec::new(),
            pending: HashMap::new(),
            rescan: None,
            has_missed: false,
        }
    }

    pub(super) fn know(&mut self, path: PathBuf, time: Duration) {
        self.documents.insert(path, time);
    }

    pub(super) fn know_root(&mut self, root: PathBuf) {
        self.roots.push(root);
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// A raw event came for this path; its time of quiet begins anew.
    pub(super) fn hear(&mut self, path: PathBuf, now: Instant) {
        let time = match self.documents.get(&path) {
            Some(time) => *time,
            None if self.is_of_root(&path) => self.time,
            None => return,
        };
        if self.pending.len() >= self.pending_max && !self.pending.contains_key(&path) {
            return self.miss();
        }
        self.pending.insert(path, now + time);
    }

    /// Events were lost. However many, they become one signal.
    pub(super) fn miss(&mut self) {
        self.has_missed = true;
        self.pending.clear();
    }

    /// When something becomes due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.pending.values().copied().chain(self.rescan).min()
    }

    /// What is due now.
    pub(super) fn take(&mut self, now: Instant) -> Vec<Watched> {
        if std::mem::take(&mut self.has_missed) {
            self.rescan = Some(now + self.time);
        }
        if self.rescan.is_some_and(|due| due <= now) {
            self.rescan = None;
            self.pending.clear();
            return vec![Watched::Rescan];
        }
        let mut due: Vec<PathBuf> =
            self.pending.iter().filter(|(_, due)| **due <= now).map(|(path, _)| path.clone()).collect();
        due.sort();
        for path in &due {
            self.pending.remove(path);
        }
        due.into_iter().map(Watched::FileChanged).collect()
    }

    fn is_of_root(&self, path: &std::path::Path) -> bool {
        let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
        let is_inside =
            |root: &PathBuf| path.strip_prefix(root).is_ok_and(|rest| !rest.iter().any(is_hidden));
        is_markdown && self.roots.iter().any(is_inside)
    }
}
