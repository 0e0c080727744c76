//! Whether the last line a person typed is a whole thought or half a sentence.
//! Never waits and never reads again; it only says whether the caller should.

/// What the last line says about whether its author has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It can be sent.
    Complete,
    /// A single letter or digit: a choice, or the first key of a sentence. It counts after two equal reads.
    NeedsStableRead,
    /// Probably half a sentence.
    Truncated,
}

/// What a line may begin with to be structure rather than prose.
const STRUCTURAL: [&str; 4] = ["/", "#", "```", "<!--"];

/// What a finished line ends with.
const TERMINAL: &str = ".!?:;)]\"'`*->|。！？…：；）】」』";

/// Judges the last line that was added.
///
/// ```
/// use document::truncation::{Completeness, completeness};
///
/// assert_eq!(completeness("Please fix the tests."), Completeness::Complete);
/// assert_eq!(completeness("S"), Completeness::NeedsStableRead);
/// assert_eq!(completeness("Please fix the te"), Completeness::Truncated);
/// ```
pub fn completeness(line: &str) -> Completeness {
    let line = line.trim();
    let Some(last) = line.chars().next_back() else {
        return Completeness::Complete;
    };
    if STRUCTURAL.iter().any(|mark| line.starts_with(mark)) {
        return Completeness::Complete;
    }
    let is_single = line.chars().nth(1).is_none();
    if is_single && last.is_alphanumeric() {
        return Completeness::NeedsStableRead;
    }
    let is_word = !is_single && !line.contains(char::is_whitespace);
    if is_word || TERMINAL.contains(last) { Completeness::Complete } else { Completeness::Truncated }
}

/// Whether a line looks like half a sentence. A single letter or digit does not; see [`completeness`].
///
/// ```
/// use document::truncation::looks_truncated;
///
/// assert!(looks_truncated("and then we"));
/// assert!(!looks_truncated("ok"));
/// ```
pub fn looks_truncated(line: &str) -> bool {
    completeness(line) == Completeness::Truncated
}
