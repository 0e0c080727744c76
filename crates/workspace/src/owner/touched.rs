//! Which section changed last at which revision, so that an old base is a conflict only where it matters. Never keeps text.

use std::collections::BTreeMap;

use document::Revision;
use document::section::{Section, find_sections};

use super::rules::folded;

/// How many titles are kept; beyond that every section counts as changed.
const TITLES_MAX: usize = 4096;

/// The latest revision of each section that changed since the document was opened.
#[derive(Debug)]
pub(super) struct Touched {
    floor: Revision,
    latest: BTreeMap<String, Revision>,
}

impl Touched {
    /// Nothing is known of the time before `first`.
    pub(super) fn new(first: Revision) -> Self {
        Self { floor: first, latest: BTreeMap::new() }
    }

    /// The section of this title changed.
    pub(super) fn section(&mut self, title: &str, revision: Revision) {
        if self.latest.len() >= TITLES_MAX {
            self.latest.clear();
            self.floor = revision;
        }
        self.latest.insert(folded(title), revision);
    }

    /// Anything may have changed between the two texts.
    pub(super) fn compare(&mut self, before: &str, after: &str, revision: Revision) {
        let (before, after) = (find_sections(before), find_sections(after));
        let old = by_title(&before);
        let new = by_title(&after);
        for title in old.keys().chain(new.keys()) {
            if old.get(title) != new.get(title) {
                self.section(title, revision);
            }
        }
    }

    /// Whether `target` is not what it was at `base`: it changed, or one inside or around it did.
    pub(super) fn is_newer(&self, text: &str, target: &Section, base: Revision) -> bool {
        if base < self.floor {
            return true;
        }
        let overlaps = |section: &Section| {
            (target.start <= section.start && section.end <= target.end)
                || (section.start <= target.start && target.end <= section.end)
        };
        find_sections(text)
            .iter()
            .filter(|section| overlaps(section))
            .any(|section| self.latest.get(&folded(&section.title)).is_some_and(|latest| *latest > base))
    }
}

/// What each title stands for. A heading of the first rank stands for its own words only, for it is around all others.
fn by_title(sections: &[Section]) -> BTreeMap<String, Vec<&str>> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (index, section) in sections.iter().enumerate() {
        let own_end = match sections.get(index + 1) {
            Some(next) if section.level < 2 && next.start < section.end => {
                next.start.saturating_sub(section.content_start)
            }
            Some(_) | None => section.content.len(),
        };
        found
            .entry(folded(&section.title))
            .or_default()
            .push(section.content.get(..own_end).unwrap_or_default());
    }
    found
}
