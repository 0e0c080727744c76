//! Names that resemble one that is not there. Never looks further than the folder in question.

use std::path::{Path, PathBuf};

/// How many names are looked at, and how many are given.
const LOOKED_AT_MAX: usize = 5_000;
const GIVEN_MAX: usize = 3;
/// How alike two long names must be, of 1.
const ALIKE: f64 = 0.85;

/// The best first.
pub(super) fn names(missing: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(wanted)) = (missing.parent(), missing.file_name()) else { return Vec::new() };
    let wanted = wanted.to_string_lossy().to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(LOOKED_AT_MAX);
    let mut alike: Vec<(f64, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let likeness = strsim::jaro_winkler(&name, &wanted);
            // Short names are alike if one slip of the fingers makes one of the other.
            let is_slip = wanted.len() > 2 && strsim::damerau_levenshtein(&name, &wanted) == 1;
            (is_slip || likeness >= ALIKE).then(|| (likeness, entry.path()))
        })
        .collect();
    alike.sort_by(|(one, path), (other, other_path)| other.total_cmp(one).then_with(|| path.cmp(other_path)));
    alike.into_iter().take(GIVEN_MAX).map(|(_, path)| path).collect()
}
