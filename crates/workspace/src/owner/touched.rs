//! Which section changed last at which revision, so that an old base is a conflict only where it matters. Never keeps text: the
//! document can say what it was.

use std::collections::{BTreeMap, VecDeque};

use document::section::{Section, find_sections};

use document::{Document, Revision};

use super::rules::folded;

/// How many texts may wait to be compared; of what was before them every section counts as changed.
const WAITING_MAX: usize = 64;

/// How many titles are kept; beyond that every section counts as changed.
const TITLES_MAX: usize = 4096;

/// The latest revision of each section that changed since the document was opened.
#[derive(Debug)]
pub(super) struct Touched {
    floor: Revision,
    latest: BTreeMap<String, Revision>,
    /// Texts that nobody has asked about yet: finding the sections of a long text costs more than all else that a write does.
    waiting: VecDeque<Version>,
}

/// A text of the document.
#[derive(Debug)]
struct Version {
    /// The document's own number for it.
    mark: Revision,
    /// The revision that made it of the text before it; none if it was made in another way.
    made: Option<Revision>,
}

impl Touched {
    /// Nothing is known of the time before `first`.
    pub(super) fn new(first: Revision) -> Self {
        Self { floor: first, latest: BTreeMap::new(), waiting: VecDeque::new() }
    }

    /// The section of this title changed.
    pub(super) fn section(&mut self, title: &str, revision: Revision) {
        if self.latest.len() >= TITLES_MAX {
            self.latest.clear();
            self.floor = self.floor.max(revision);
        }
        let latest = self.latest.entry(folded(title)).or_insert(revision);
        *latest = revision.max(*latest);
    }

    /// Anything may have changed between the two texts of the document that have these [marks](Document::mark). What did is found
    /// out when it matters.
    pub(super) fn compare(&mut self, before: Revision, after: Revision, revision: Revision) {
        if self.waiting.back().is_none_or(|last| last.mark != before) {
            self.waiting.push_back(Version { mark: before, made: None });
        }
        self.waiting.push_back(Version { mark: after, made: Some(revision) });
        while self.waiting.len() > WAITING_MAX {
            self.forget_oldest();
        }
    }

    /// Lets go of the oldest text that waits, and so of what changed between it and the next one.
    fn forget_oldest(&mut self) {
        self.waiting.pop_front();
        if let Some(made) = self.waiting.front_mut().and_then(|next| next.made.take()) {
            self.floor = self.floor.max(made);
        }
    }

    fn settle(&mut self, document: &Document) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut before: Option<Vec<Section>> = None;
        for Version { mark, made } in waiting {
            let after = document.text_at(mark).map(|text| find_sections(&text));
            match (made, &before, &after) {
                (None, _, _) => {}
                (Some(revision), Some(before), Some(after)) => {
                    let (old, new) = (by_title(before), by_title(after));
                    let titles = old.keys().chain(new.keys());
                    let changed = titles.filter(|title| old.get(*title) != new.get(*title));
                    changed.for_each(|title| self.section(title, revision));
                }
                // One of the texts is not kept any more.
                (Some(revision), _, _) => self.floor = self.floor.max(revision),
            }
            before = after;
        }
    }

    /// Whether `target` is not what it was at `base`: it changed, or one inside or around it did.
    pub(super) fn is_newer(&mut self, document: &Document, target: &Section, base: Revision) -> bool {
        self.settle(document);
        if base < self.floor {
            return true;
        }
        let overlaps = |section: &Section| {
            (target.start <= section.start && section.end <= target.end)
                || (section.start <= target.start && target.end <= section.end)
        };
        find_sections(document.text())
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
