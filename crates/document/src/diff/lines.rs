//! Line hunks at the speed of comparing memory. Never looks at words, and never tokenises what is equal at both ends.
//!
//! Two versions of a long document mostly agree. Equal stretches are skipped by comparing bytes; only where
//! the texts differ are a few lines tokenised and compared, and as soon as they agree again for a while the
//! bytes are compared onward. A passage that does not settle is tried with ever larger windows, up to all of the rest.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token, TokenSource};

use super::table::{CELLS_MAX, best_pairs};
use super::{Hunk, slice, solid};

/// Lines taken from each side at the first try; each further try takes four times as many.
const WINDOW_LINES: usize = 16;
/// After how many equal bytes two texts count as agreeing again. Repeated boilerplate is shorter than this.
const AGREEMENT_BYTES: usize = 512;
/// Windows of at least this many lines are given up for a comparison of all that is left.
const WINDOW_LINES_MAX: usize = 4096;

/// The changed spans of `old` and `new` in whole lines, in order, never touching each other.
pub(crate) fn line_hunks(old: &str, new: &str) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let start = matching_start(old.as_bytes(), new.as_bytes());
    let end = matching_end(old.as_bytes(), new.as_bytes(), start);
    let mut at = (start, start);
    while let Some(differing) = next_difference(old, new, at, end) {
        at = settle(old, new, differing, end, &mut hunks);
    }
    slide_down(old, new, &mut hunks);
    hunks
}

/// Moves each insertion and each deletion down over equal lines as far as it goes, but not up to the next hunk: which of two
/// equal lines is the new one must not depend on what else was changed, or two sides would disagree on it.
fn slide_down(old: &str, new: &str, hunks: &mut [Hunk]) {
    let mut limit = old.len() + 1;
    for hunk in hunks.iter_mut().rev() {
        while hunk.old.is_empty() != hunk.new.is_empty() {
            let moved =
                if hunk.old.is_empty() { slice(new, hunk.new.clone()) } else { slice(old, hunk.old.clone()) };
            let first = first_line(moved);
            let is_equal = first.ends_with('\n')
                && hunk.old.end + first.len() < limit
                && first_line(slice(old, hunk.old.end..old.len())) == first;
            if !is_equal {
                break;
            }
            for range in [&mut hunk.old, &mut hunk.new] {
                *range = range.start + first.len()..range.end + first.len();
            }
        }
        limit = hunk.old.start;
    }
}

/// Where the line begins that `at` lies in. Lines end with a line feed here, as in every diff.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    last_line_start(text.as_bytes(), at)
}

/// Behind the line feed of the line that `at` lies in, or the end of the text.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let tail = text.as_bytes().get(at..).unwrap_or_default();
    memchr::memchr(b'\n', tail).map_or(text.len(), |newline| at + newline + 1)
}

fn first_line(text: &str) -> &str {
    let end = memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |newline| newline + 1);
    slice(text, 0..end)
}

/// The line where both texts differ next, at or after `at`; nothing if they are equal up to the matching end.
fn next_difference(old: &str, new: &str, at: (usize, usize), end: (usize, usize)) -> Option<(usize, usize)> {
    let old_rest = old.as_bytes().get(at.0..end.0)?;
    let new_rest = new.as_bytes().get(at.1..end.1)?;
    let equal = common_prefix(old_rest, new_rest);
    if equal == old_rest.len() && equal == new_rest.len() {
        return None;
    }
    // One side may simply have ended at a line start; then that is where the difference begins.
    let whole = if at_line_start(old_rest, equal) && at_line_start(new_rest, equal) {
        equal
    } else {
        last_line_start(old_rest, equal)
    };
    Some((at.0 + whole, at.1 + whole))
}

/// Finds the hunks from `at` to where both texts agree again, and says where that is.
fn settle(
    old: &str,
    new: &str,
    at: (usize, usize),
    end: (usize, usize),
    hunks: &mut Vec<Hunk>,
) -> (usize, usize) {
    let mut lines = WINDOW_LINES;
    loop {
        let old_window = window(old, at.0..end.0, lines);
        let new_window = window(new, at.1..end.1, lines);
        let is_all = old_window.end == end.0 && new_window.end == end.1;
        let found = token_hunks(slice(old, old_window.clone()), slice(new, new_window.clone()), at);
        if is_all || lines >= WINDOW_LINES_MAX {
            let found = if is_all {
                found
            } else {
                token_hunks(slice(old, at.0..end.0), slice(new, at.1..end.1), at)
            };
            hunks.extend(found);
            return end;
        }
        if let Some(agreed) = agreement(old, new, &found, end) {
            hunks.extend(
                found.into_iter().take_while(|hunk| hunk.old.end <= agreed.0 && hunk.new.end <= agreed.1),
            );
            return agreed;
        }
        lines *= 4;
    }
}

/// The first place behind a hunk from where both texts are equal long enough to trust.
fn agreement(old: &str, new: &str, found: &[Hunk], end: (usize, usize)) -> Option<(usize, usize)> {
    found.iter().map(|hunk| (hunk.old.end, hunk.new.end)).find(|&(old_at, new_at)| {
        let old_rest = old.as_bytes().get(old_at..end.0).unwrap_or_default();
        let new_rest = new.as_bytes().get(new_at..end.1).unwrap_or_default();
        let old_head = old_rest.get(..AGREEMENT_BYTES).unwrap_or(old_rest);
        let new_head = new_rest.get(..AGREEMENT_BYTES).unwrap_or(new_rest);
        if old_rest.len() == new_rest.len() && old_head.len() < AGREEMENT_BYTES {
            return old_head == new_head;
        }
        old_head.len() == AGREEMENT_BYTES && old_head == new_head
    })
}

/// The first `lines` lines of `range`.
fn window(text: &str, range: Range<usize>, lines: usize) -> Range<usize> {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    let length = memchr::memchr_iter(b'\n', bytes)
        .nth(lines.saturating_sub(1))
        .map_or(bytes.len(), |newline| newline + 1);
    range.start..range.start + length
}

/// The hunks of two windows, in bytes of the whole texts that they were cut from at `at`.
fn token_hunks(old: &str, new: &str, at: (usize, usize)) -> Vec<Hunk> {
    let input = InternedInput::new(Lines(old), Lines(new));
    let sides = (Tokens::of(old, at.0, &input.before), Tokens::of(new, at.1, &input.after));
    let mut hunks = Vec::new();
    if sides.0.tokens.len() * sides.1.tokens.len() <= CELLS_MAX {
        pair_lines(&sides, 0..sides.0.tokens.len(), 0..sides.1.tokens.len(), &mut hunks);
        return hunks;
    }
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    // Ambiguous hunks slide down as far as they go, on both sides of a merge alike, so that
    // two insertions at one place are seen to be at one place.
    diff.postprocess_no_heuristic(&input);
    let mut found = diff.hunks().peekable();
    while let Some(mut hunk) = found.next() {
        // A blank line between two changes is hardly something that was kept: what matters is paired anew around it.
        while let Some(next) = found.next_if(|next| {
            sides.0.weight(hunk.before.end as usize..next.before.start as usize) <= BLANK_WEIGHT
                && (next.before.end - hunk.before.start) as usize
                    * (next.after.end - hunk.after.start) as usize
                    <= CELLS_MAX
        }) {
            hunk.before.end = next.before.end;
            hunk.after.end = next.after.end;
        }
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        pair_lines(&sides, range(hunk.before), range(hunk.after), &mut hunks);
    }
    hunks
}

/// The weight of a few lines with nothing but blanks and marks on them.
const BLANK_WEIGHT: usize = 8;

/// Adds the hunks of a passage: equal lines are paired so that as much text as possible is kept.
fn pair_lines(
    (old, new): &(Tokens<'_>, Tokens<'_>),
    old_range: Range<usize>,
    new_range: Range<usize>,
    hunks: &mut Vec<Hunk>,
) {
    let is_plain =
        old_range.is_empty() || new_range.is_empty() || old_range.len() * new_range.len() > CELLS_MAX;
    let weight = |row: usize, column: usize| {
        let line = old_range.start + row;
        if old.tokens.get(line) == new.tokens.get(new_range.start + column) {
            old.weight(line..line + 1)
        } else {
            0
        }
    };
    let pairs = if is_plain { Vec::new() } else { best_pairs(old_range.len(), new_range.len(), weight) };
    let mut done = (old_range.start, new_range.start);
    let ends = (old_range.len(), new_range.len());
    for (row, column) in pairs.into_iter().chain([ends]) {
        let to = (old_range.start + row, new_range.start + column);
        if done != to {
            hunks.push(Hunk {
                old: old.start(done.0)..old.start(to.0),
                new: new.start(done.1)..new.start(to.1),
            });
        }
        done = (to.0 + 1, to.1 + 1);
    }
}

/// The lines of a window: their tokens, and where each begins.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    tokens: &'a [Token],
    starts: Vec<usize>,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str, at: usize, tokens: &'a [Token]) -> Tokens<'a> {
        Tokens { text, at, tokens, starts: starts(text, at) }
    }

    fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or_default()
    }

    /// How much it is worth to keep these lines: their text counts, and a little that they are lines at all.
    fn weight(&self, lines: Range<usize>) -> usize {
        lines
            .map(|line| {
                1 + 4 * solid(slice(self.text, self.start(line) - self.at..self.start(line + 1) - self.at))
            })
            .sum()
    }
}

/// Where each line begins, counted from `at`, and where the last one ends.
fn starts(text: &str, at: usize) -> Vec<usize> {
    let mut starts = vec![at];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| at + newline + 1));
    if starts.last() != Some(&(at + text.len())) {
        starts.push(at + text.len());
    }
    starts
}

/// Lines with their line breaks, as tokens.
struct Lines<'a>(&'a str);

impl<'a> TokenSource for Lines<'a> {
    type Token = &'a str;
    type Tokenizer = std::str::SplitInclusive<'a, char>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.split_inclusive('\n')
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.0.len() / 32).unwrap_or(u32::MAX)
    }
}

/// How far both texts are equal from their beginning, in whole lines.
fn matching_start(old: &[u8], new: &[u8]) -> usize {
    let equal = common_prefix(old, new);
    if at_line_start(old, equal) && at_line_start(new, equal) { equal } else { last_line_start(old, equal) }
}

/// Where the equal whole lines at the end of both texts begin. The beginning takes precedence, so that an
/// insertion among equal lines slides down.
fn matching_end(old: &[u8], new: &[u8], start: usize) -> (usize, usize) {
    let old_rest = old.get(start..).unwrap_or_default();
    let new_rest = new.get(start..).unwrap_or_default();
    let equal = common_suffix(old_rest, new_rest);
    let at = (old.len() - equal, new.len() - equal);
    if at_line_start(old, at.0) && at_line_start(new, at.1) {
        return at;
    }
    let tail = old.get(at.0..).unwrap_or_default();
    let skip = memchr::memchr(b'\n', tail).map_or(tail.len(), |newline| newline + 1);
    (at.0 + skip, at.1 + skip)
}

fn at_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || text.get(at - 1) == Some(&b'\n')
}

/// As [`line_start`], of bytes that need not be a text.
pub(crate) fn last_line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', text.get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1)
}

/// How much is compared at once: large enough for the fastest comparison, small enough to stop soon.
const BLOCK: usize = 4096;

/// How many bytes are equal at the beginning.
pub(crate) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut equal = 0;
    for (block_a, block_b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        if block_a != block_b {
            return equal + block_a.iter().zip(block_b).take_while(|(x, y)| x == y).count();
        }
        equal += block_a.len();
    }
    equal
}

/// How many bytes are equal at the end.
pub(crate) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let mut equal = 0;
    for (block_a, block_b) in a.rchunks(BLOCK).zip(b.rchunks(BLOCK)) {
        if block_a != block_b {
            return equal
                + block_a.iter().rev().zip(block_b.iter().rev()).take_while(|(x, y)| x == y).count();
        }
        equal += block_a.len();
    }
    equal
}
