//! What could stand after `@` and `/`. Never reads a file, and never lists what git ignores.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tools::search::{Scope, glob};
use tui::Suggestion;

use super::commands::COMMANDS;

/// How long a list of files is good.
const FRESH: Duration = Duration::from_secs(5);
/// What is offered at once.
const OFFERED_MAX: usize = 50;

/// The files of a project, for completion.
pub(super) struct Files {
    root: PathBuf,
    names: Vec<String>,
    listed: Option<Instant>,
}

impl Files {
    pub(super) fn of(root: &Path) -> Files {
        Files { root: root.to_owned(), names: Vec::new(), listed: None }
    }

    /// What fits a word with its sign.
    pub(super) fn suggest(&mut self, query: &str) -> Vec<Suggestion> {
        if let Some(begin) = query.strip_prefix('/') {
            let fitting = COMMANDS.iter().filter(|(name, ..)| name.starts_with(begin));
            let suggestion = |(name, _, about): &(&str, &str, &str)| Suggestion {
                text: (*name).to_owned(),
                about: (*about).to_owned(),
            };
            return fitting.map(suggestion).collect();
        }
        let Some(wanted) = query.strip_prefix('@') else { return Vec::new() };
        if self.listed.is_none_or(|listed| listed.elapsed() > FRESH) {
            let found = glob(&Scope::of(self.root.clone())).unwrap_or_default();
            let name = |path: PathBuf| path.strip_prefix(&self.root).unwrap_or(&path).display().to_string();
            self.names = found.into_iter().map(name).collect();
            self.names.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
            self.listed = Some(Instant::now());
        }
        let wanted = wanted.to_lowercase();
        let fitting = self.names.iter().filter(|name| fits(&name.to_lowercase(), &wanted));
        fitting
            .take(OFFERED_MAX)
            .map(|name| Suggestion { text: name.clone(), about: String::new() })
            .collect()
    }
}

/// Whether all letters stand in the name, in their order.
fn fits(name: &str, wanted: &str) -> bool {
    let mut letters = name.chars();
    wanted.chars().all(|letter| letters.any(|other| other == letter))
}
