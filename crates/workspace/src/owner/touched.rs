//! Which section changed last at which revision, so that an old base is a conflict only where it matters. Never keeps text.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use document::Revision;
use document::section::{Section, find_sections};

use super::rules::folded;

/// How many bytes of texts may wait to be compared; of what was before them every section counts as changed.
const WAITING_MAX: usize = 8 << 20;

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
    text: Arc<str>,
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

    /// Anything may have changed between the two texts. What did is found out when it matters.
    pub(super) fn compare(&mut self, before: Arc<str>, after: Arc<str>, revision: Revision) {
        if self.waiting.back().is_none_or(|last| !Arc::ptr_eq(&last.text, &before) && last.text != before) {
            self.waiting.push_back(Version { text: before, made: None });
        }
        self.waiting.push_back(Version { text: after, made: Some(revision) });
        while self.waiting.iter().map(|version| version.text.len()).sum::<usize>() > WAITING_MAX {
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

    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut before: Vec<Section> = Vec::new();
        for Version { text, made } in waiting {
            let after = find_sections(&text);
            if let Some(revision) = made {
                let (old, new) = (by_title(&before), by_title(&after));
                let titles = old.keys().chain(new.keys()).filter(|title| old.get(*title) != new.get(*title));
                titles.for_each(|title| self.section(title, revision));
            }
            before = after;
        }
    }

    /// Whether `target` is not what it was at `base`: it changed, or one inside or around it did.
    pub(super) fn is_newer(&mut self, text: &str, target: &Section, base: Revision) -> bool {
        self.settle();
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
