//! At which revision a model has last seen a section. Never believes a model that it knows more than it was shown: a revision that
//! it learned by writing elsewhere says nothing about this section.

use std::collections::HashMap;

use document::Revision;

/// How many sections are remembered; beyond that all are forgotten, and the model is believed.
const SECTIONS_MAX: usize = 10_000;

/// What was shown, by document and title; no title stands for the whole document.
#[derive(Debug, Default)]
pub(super) struct Seen {
    revisions: HashMap<(String, Option<String>), Revision>,
}

impl Seen {
    /// The model was shown all of this at a revision, or wrote it.
    pub(super) fn note(&mut self, path: &str, section: Option<&str>, revision: Revision) {
        if self.revisions.len() >= SECTIONS_MAX {
            self.revisions.clear();
        }
        self.revisions.insert(key(path, section), revision);
    }

    /// The revision that the model may go by if it says `claimed`.
    pub(super) fn bounded(&self, path: &str, section: &str, claimed: Revision) -> Revision {
        let shown = [Some(section), None].map(|section| self.revisions.get(&key(path, section)).copied());
        shown.into_iter().flatten().max().map_or(claimed, |shown| shown.min(claimed))
    }
}

fn key(path: &str, section: Option<&str>) -> (String, Option<String>) {
    (path.to_owned(), section.map(|section| section.trim().to_lowercase()))
}
