//! Names that are likely to hold a secret. Never opens a file to find out.

use std::collections::HashSet;

/// The names of the table: whole ones, patterns, and what is no secret though it matches.
#[derive(Debug)]
pub(super) struct Secrets {
    names: HashSet<String>,
    patterns: Vec<String>,
    excepted: Vec<String>,
}

impl Secrets {
    /// From words: names and patterns with stars; after an exclamation mark what is excepted.
    pub(super) fn of(words: &str) -> Self {
        let words = || words.split_whitespace().map(str::to_owned);
        let is_excepted = |word: &String| word.starts_with('!');
        let is_pattern = |word: &String| word.contains('*');
        Self {
            names: words().filter(|word| !is_excepted(word) && !is_pattern(word)).collect(),
            patterns: words().filter(|word| !is_excepted(word) && is_pattern(word)).collect(),
            excepted: words().filter_map(|word| word.strip_prefix('!').map(str::to_owned)).collect(),
        }
    }

    /// On some systems `.ENV` is `.env`.
    pub(super) fn hold(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let is_listed =
            self.names.contains(&name) || self.patterns.iter().any(|pattern| matches(pattern, &name));
        is_listed && !self.excepted.iter().any(|pattern| matches(pattern, &name))
    }
}

/// Matches a name against a pattern of letters and stars.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(mut piece) = pieces.next() else {
        return rest.is_empty();
    };
    for next in pieces {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        (rest, piece) = (after, next);
    }
    rest.ends_with(piece)
}
