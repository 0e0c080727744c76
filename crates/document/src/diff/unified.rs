//! A diff to read: unified format with context lines, as every tool of the field prints it. Never used to apply anything.

use std::fmt::Write as _;
use std::ops::Range;

use super::{Hunk, line_hunks, slice};

/// The unified diff of two texts with `context` unchanged lines around each change; empty if they are equal.
///
/// ```
/// use document::diff::unified;
///
/// assert_eq!(unified("a\nb\n", "a\nc\n", 1), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn unified(old: &str, new: &str, context: usize) -> String {
    let mut printer = Printer { old: Lines::of(old), new: Lines::of(new), out: String::new() };
    let hunks: Vec<Hunk> = line_hunks(old, new).iter().map(|hunk| printer.in_lines(hunk)).collect();
    let mut rest = hunks.as_slice();
    while !rest.is_empty() {
        let together = rest.windows(2).take_while(|pair| gap(pair) <= 2 * context).count() + 1;
        let (group, later) = rest.split_at(together.min(rest.len()));
        printer.print(group, context);
        rest = later;
    }
    printer.out
}

fn gap(pair: &[Hunk]) -> usize {
    match pair {
        [first, second] => second.old.start - first.old.end,
        _ => 0,
    }
}

struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start < byte)
    }

    fn line(&self, line: usize) -> &'a str {
        match (self.starts.get(line), self.starts.get(line + 1)) {
            (Some(&start), Some(&end)) => slice(self.text, start..end),
            _ => "",
        }
    }
}

struct Printer<'a> {
    old: Lines<'a>,
    new: Lines<'a>,
    out: String,
}

impl Printer<'_> {
    fn in_lines(&self, hunk: &Hunk) -> Hunk {
        Hunk {
            old: self.old.line_at(hunk.old.start)..self.old.line_at(hunk.old.end),
            new: self.new.line_at(hunk.new.start)..self.new.line_at(hunk.new.end),
        }
    }

    fn print(&mut self, group: &[Hunk], context: usize) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let before = context.min(first.old.start);
        let after = context.min(self.old.count() - last.old.end);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        // Writing to a string cannot fail.
        writeln!(self.out, "@@ -{} +{} @@", heading(&old), heading(&new)).unwrap_or_default();
        let mut at = old.start;
        for hunk in group {
            self.put(' ', at..hunk.old.start, Side::Old);
            self.put('-', hunk.old.clone(), Side::Old);
            self.put('+', hunk.new.clone(), Side::New);
            at = hunk.old.end;
        }
        self.put(' ', at..old.end, Side::Old);
    }

    fn put(&mut self, sign: char, lines: Range<usize>, side: Side) {
        for line in lines {
            let text = match side {
                Side::Old => self.old.line(line),
                Side::New => self.new.line(line),
            };
            self.out.push(sign);
            self.out.push_str(text);
            if !text.ends_with('\n') {
                self.out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

/// `start,count` as the format wants it: one-based, the count left out when it is one, the line before for an empty range.
fn heading(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}
