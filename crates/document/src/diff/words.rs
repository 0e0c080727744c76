//! From changed lines to changed words, where most of a line was kept. Never splits a word, and never refines a passage so
//! large that guessing which line became which would cost more than it helps.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};

use super::table::{CELLS_MAX, best_pairs};
use super::{Hunk, common_prefix, common_suffix, slice, solid};

/// A changed passage of more bytes than this stays whole lines, unless it has as many lines after as before.
const REFINE_BYTES_MAX: usize = 32 * 1024;
/// Which of the new lines an old one became is looked for in a table of at most this many cells.
const PAIRING_CELLS_MAX: usize = 4096;
/// A line longer than this is replaced whole.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// Two changed spans in one line with fewer kept bytes than this between them are one change.
const KEPT_BETWEEN_MIN: usize = 3;

/// Adds to `out` what `hunk`, which covers whole lines, changed: single words where a line was mostly kept.
pub(crate) fn refine(old: &str, new: &str, hunk: &Hunk, out: &mut Vec<Hunk>) {
    if hunk.old.is_empty() || hunk.new.is_empty() {
        out.push(hunk.clone());
        return;
    }
    let old_lines = lines(old, &hunk.old);
    let new_lines = lines(new, &hunk.new);
    let pairs = pairs(old, new, &old_lines, &new_lines, hunk.weight());
    let mut done = (hunk.old.start, hunk.new.start);
    for (old_line, new_line) in pairs {
        // A line that kept nothing is no other than those around it; they stay one change.
        let Some(words) = refine_line(old, new, &old_line, &new_line) else {
            continue;
        };
        push_lines(out, done.0..old_line.start, done.1..new_line.start);
        out.extend(words);
        done = (old_line.end, new_line.end);
    }
    push_lines(out, done.0..hunk.old.end, done.1..hunk.new.end);
}

fn push_lines(out: &mut Vec<Hunk>, old: Range<usize>, new: Range<usize>) {
    if !(old.is_empty() && new.is_empty()) {
        out.push(Hunk { old, new });
    }
}

fn lines(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut at = range.start;
    slice(text, range.clone())
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect()
}

/// Which old line became which new one, in order: the pairing that keeps the most text.
fn pairs(
    old: &str,
    new: &str,
    old_lines: &[Range<usize>],
    new_lines: &[Range<usize>],
    weight: usize,
) -> Vec<(Range<usize>, Range<usize>)> {
    let likeness =
        |i: &Range<usize>, j: &Range<usize>| likeness(slice(old, i.clone()), slice(new, j.clone()));
    let is_small = old_lines.len() * new_lines.len() <= PAIRING_CELLS_MAX && weight <= REFINE_BYTES_MAX;
    if !is_small {
        if old_lines.len() != new_lines.len() {
            return Vec::new();
        }
        let in_step = old_lines.iter().zip(new_lines).filter(|(i, j)| likeness(i, j) > 0);
        return in_step.map(|(i, j)| (i.clone(), j.clone())).collect();
    }
    let cell = |i: usize, j: usize| old_lines.get(i).zip(new_lines.get(j)).map_or(0, |(i, j)| likeness(i, j));
    let line = |(i, j): (usize, usize)| Some((old_lines.get(i)?.clone(), new_lines.get(j)?.clone()));
    best_pairs(old_lines.len(), new_lines.len(), cell).into_iter().filter_map(line).collect()
}

/// How many bytes two lines share, or none if they share less than half of the shorter one.
fn likeness(old: &str, new: &str) -> usize {
    let (old, new) = (old.trim(), new.trim());
    let shorter = old.len().min(new.len());
    if shorter == 0 || old.len().max(new.len()) > LINE_BYTES_MAX {
        return 0;
    }
    let prefix = common_prefix(old.as_bytes(), new.as_bytes());
    let rest = shorter - prefix;
    let suffix = common_suffix(old.as_bytes(), new.as_bytes()).min(rest);
    let at_ends = prefix + suffix;
    let shared = if at_ends * 2 >= shorter { at_ends } else { shared_words(old, new) };
    if shared * 2 >= shorter { shared } else { 0 }
}

/// The bytes of the words that occur on both sides, each as often as on the side that has fewer of it.
fn shared_words(old: &str, new: &str) -> usize {
    let sorted = |line| {
        let mut words: Vec<&str> = Words(line).tokenize().filter(|word| !word.trim().is_empty()).collect();
        words.sort_unstable();
        words
    };
    let (old_words, new_words) = (sorted(old), sorted(new));
    let mut new_words = new_words.into_iter().peekable();
    let mut shared = 0;
    for word in old_words {
        while new_words.next_if(|other| *other < word).is_some() {}
        if new_words.next_if_eq(&word).is_some() {
            shared += word.len();
        }
    }
    shared
}

/// One line that became another: its changed words if enough of it was kept, else nothing.
fn refine_line(old: &str, new: &str, old_line: &Range<usize>, new_line: &Range<usize>) -> Option<Vec<Hunk>> {
    let (old_text, new_text) = (slice(old, old_line.clone()), slice(new, new_line.clone()));
    // A changed line break is a change of the whole line.
    if line_break(old_text) != line_break(new_text) {
        return Some(vec![Hunk { old: old_line.clone(), new: new_line.clone() }]);
    }
    let words = word_hunks(old_text, new_text);
    let changed: usize = words.iter().map(|hunk| solid(slice(old_text, hunk.old.clone()))).sum();
    let kept = solid(old_text) - changed;
    let shorter = solid(old_text).min(solid(new_text));
    if kept == 0 || kept * 2 < shorter {
        return None;
    }
    let in_texts = |hunk: Hunk| Hunk {
        old: hunk.old.start + old_line.start..hunk.old.end + old_line.start,
        new: hunk.new.start + new_line.start..hunk.new.end + new_line.start,
    };
    Some(words.into_iter().map(in_texts).collect())
}

fn line_break(line: &str) -> &str {
    line.get(line.trim_end_matches(['\r', '\n']).len()..).unwrap_or_default()
}

/// The changed words of one line. Changes with hardly anything kept between them are one.
fn word_hunks(old: &str, new: &str) -> Vec<Hunk> {
    let (old_starts, new_starts) = (token_starts(old), token_starts(new));
    let byte = |starts: &[usize], token: usize| starts.get(token).copied().unwrap_or_default();
    let mut hunks: Vec<Hunk> = Vec::new();
    for (before, after) in changed_tokens(old, new, &old_starts, &new_starts) {
        let hunk = Hunk {
            old: byte(&old_starts, before.start)..byte(&old_starts, before.end),
            new: byte(&new_starts, after.start)..byte(&new_starts, after.end),
        };
        match hunks.last_mut() {
            Some(last) if solid(slice(old, last.old.end..hunk.old.start)) < KEPT_BETWEEN_MIN => {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => hunks.push(hunk),
        }
    }
    hunks
}

/// The spans of words that differ. In a line of common length the words are paired so that as much text as possible is
/// kept; the fewest changed words alone would rather keep three blanks than one word.
fn changed_tokens(
    old: &str,
    new: &str,
    old_starts: &[usize],
    new_starts: &[usize],
) -> Vec<(Range<usize>, Range<usize>)> {
    let counts = (old_starts.len() - 1, new_starts.len() - 1);
    if counts.0 * counts.1 > CELLS_MAX {
        let input = InternedInput::new(Words(old), Words(new));
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_no_heuristic(&input);
        let wide = |range: Range<u32>| range.start as usize..range.end as usize;
        return diff.hunks().map(|hunk| (wide(hunk.before), wide(hunk.after))).collect();
    }
    let (old_words, new_words) = (words(old), words(new));
    let weight = |row: usize, column: usize| match (old_words.get(row), new_words.get(column)) {
        (Some(a), Some(b)) if a == b => 1 + 4 * solid(a),
        _ => 0,
    };
    let mut changed = Vec::new();
    let mut done = (0, 0);
    let pairs = best_pairs(counts.0, counts.1, weight);
    for (row, column) in pairs.into_iter().chain([counts]) {
        if done != (row, column) {
            changed.push((done.0..row, done.1..column));
        }
        done = (row + 1, column + 1);
    }
    changed
}

fn words(text: &str) -> Vec<&str> {
    Words(text).tokenize().collect()
}

fn token_starts(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut starts = vec![0];
    starts.extend(Words(text).tokenize().map(|word| {
        at += word.len();
        at
    }));
    starts
}

/// The words of a line as tokens: runs of letters and digits, runs of blanks, single marks.
struct Words<'a>(&'a str);

impl<'a> TokenSource for Words<'a> {
    type Token = &'a str;
    type Tokenizer = WordIter<'a>;

    fn tokenize(&self) -> Self::Tokenizer {
        WordIter(self.0)
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.0.len() / 4).unwrap_or(u32::MAX)
    }
}

struct WordIter<'a>(&'a str);

impl<'a> Iterator for WordIter<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let class = Class::of(self.0.chars().next()?);
        let length = match class {
            Class::Mark => self.0.chars().next().map_or(0, char::len_utf8),
            Class::Word | Class::Blank | Class::Break => {
                self.0.find(|next| Class::of(next) != class).unwrap_or(self.0.len())
            }
        };
        let (word, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(word)
    }
}

/// Whether a character is part of a word.
pub(crate) fn is_word(c: char) -> bool {
    Class::of(c) == Class::Word
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Word,
    Blank,
    Break,
    Mark,
}

impl Class {
    fn of(c: char) -> Class {
        match c {
            '\n' | '\r' => Class::Break,
            _ if c.is_whitespace() => Class::Blank,
            _ if c.is_alphanumeric() || c == '_' => Class::Word,
            // Sentence marks of scripts that write without blanks, so that a long line has more than one word.
            '。' | '、' | '，' | '！' | '？' | '：' | '；' | '…' | '「' | '」' | '『' | '』' | '（'
            | '）' => Class::Mark,
            _ if c.is_ascii() => Class::Mark,
            // Combining marks, joiners and emoji belong to the letters around them.
            _ => Class::Word,
        }
    }
}
