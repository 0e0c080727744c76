//! Lines that match a pattern. Never reads a binary file to its end, and counts what it does not keep.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::DirEntry;

use super::{Scope, each_file};
use crate::limits::{CONTEXT_MAX, LINE_SHOWN_MAX, MATCHES_MAX, PATTERN_MAX};

/// Kept before they are sorted, so that the same lines are shown each time.
const KEPT_MAX: usize = MATCHES_MAX * 20;
/// What the automaton of a pattern may take.
const PATTERN_MEMORY_MAX: usize = 10 << 20;

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct LineQuery {
    /// A regular expression.
    pub pattern: String,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Whether a match may span lines.
    pub multiline: bool,
    /// Lines to show before a match.
    pub before: usize,
    /// Lines to show after a match.
    pub after: usize,
}

/// How much is wanted of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The lines.
    Lines,
    /// Whether there is a match.
    Names,
    /// How many lines match.
    Counts,
}

/// What was found in one file. Files compare by their path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMatches {
    /// The file.
    pub path: PathBuf,
    /// Matching lines, and those around them.
    pub lines: Vec<Line>,
    /// How many lines match, those that were not kept too.
    pub count: u64,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// Counted from 1.
    pub number: u64,
    /// Whether it matches, or only stands near one that does.
    pub is_match: bool,
    /// Without its break.
    pub text: String,
}

/// Looks into all files in scope.
pub fn grep(scope: &Scope, query: &LineQuery, amount: Amount) -> Result<Vec<FileMatches>, String> {
    let matcher = matcher(query)?;
    let kept = AtomicUsize::new(0);
    each_file(scope, || {
        let (matcher, mut searcher, kept) = (matcher.clone(), searcher(query, amount), &kept);
        move |entry: &DirEntry, found: &mut Vec<FileMatches>| {
            let mut lines = Lines { lines: Vec::new(), count: 0, amount, kept };
            // A file that cannot be read holds nothing that could be shown.
            let searched = searcher.search_path(&matcher, entry.path(), &mut lines);
            if searched.is_ok() && lines.count > 0 {
                found.push(FileMatches {
                    path: entry.path().to_path_buf(),
                    lines: lines.lines,
                    count: lines.count,
                });
            }
        }
    })
}

fn matcher(query: &LineQuery) -> Result<RegexMatcher, String> {
    if query.pattern.is_empty() || query.pattern.len() > PATTERN_MAX {
        return Err(format!("give a pattern of 1 to {PATTERN_MAX} bytes"));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(query.ignore_case).multi_line(true).size_limit(PATTERN_MEMORY_MAX);
    if query.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n')).ban_byte(Some(0));
    }
    builder
        .build(&query.pattern)
        .map_err(|error| format!("{error}; put a backslash before signs that are meant as they are"))
}

fn searcher(query: &LineQuery, amount: Amount) -> Searcher {
    let (before, after) = if amount == Amount::Lines { (query.before, query.after) } else { (0, 0) };
    let mut builder = SearcherBuilder::new();
    builder
        .binary_detection(BinaryDetection::quit(0))
        .memory_map(MmapChoice::never())
        .line_number(amount == Amount::Lines)
        .multi_line(query.multiline)
        .before_context(before.min(CONTEXT_MAX))
        .after_context(after.min(CONTEXT_MAX));
    builder.build()
}

struct Lines<'a> {
    lines: Vec<Line>,
    count: u64,
    amount: Amount,
    kept: &'a AtomicUsize,
}

impl Lines<'_> {
    fn keep(&mut self, bytes: &[u8], number: u64, is_match: bool) {
        if self.kept.fetch_add(1, Ordering::Relaxed) >= KEPT_MAX {
            return;
        }
        let bytes = bytes.get(..bytes.len().min(LINE_SHOWN_MAX * 4)).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\r', '\n']).chars().take(LINE_SHOWN_MAX).collect();
        self.lines.push(Line { number, is_match, text });
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.amount {
            Amount::Names => {
                self.count = 1;
                return Ok(false);
            }
            Amount::Counts => self.count += found.lines().count() as u64,
            Amount::Lines => {
                for (number, line) in (found.line_number().unwrap_or_default()..).zip(found.lines()) {
                    self.count += 1;
                    self.keep(line, number, true);
                }
            }
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.keep(context.bytes(), context.line_number().unwrap_or_default(), false);
        Ok(true)
    }
}
