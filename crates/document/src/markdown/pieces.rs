//! Cuts a long text where nothing is open, so that what is looked for in it is parsed with its own paragraph and not with the whole
//! file. Never cuts where a parser of the whole could read on: where that is not certain, the rest of the text is one piece.
//!
//! Behind a blank line, a line that is not indented begins anew: paragraphs, tables and raw elements end with the blank line, and
//! lists, quotes and footnotes with a line that does not belong to them. Only a code fence and a comment go on, and those of the
//! top level are followed here. Between those nothing opens or closes: such lines are passed over at the speed of looking for the signs
//! that they lack.

use std::ops::Range;

use memchr::{Memchr, memchr, memchr_iter, memchr3_iter, memmem};

use crate::diff::last_line_start;

/// A line indented by this much opens and closes nothing at the top level.
const CODE_INDENT: usize = 4;
/// How far the text is looked through at a time for what makes it uncertain.
const LOOKED_THROUGH: usize = 16 << 10;
/// What a comment ends with.
const COMMENT_END: &[u8] = b"-->";
/// What raw HTML begins with that blank lines do not end, and that is too rare to be followed.
const RAW_BEGINNINGS: [&str; 6] = ["<?", "<!", "<pre", "<script", "<style", "<textarea"];

/// The pieces of `text` after `start` that hold `needle`, in order.
pub(crate) fn pieces_with(text: &str, start: usize, needle: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = memmem::find_iter(bytes, needle.as_bytes()).filter(|at| *at >= start).peekable();
    let mut pieces = Vec::new();
    let mut cuts = Cuts::new(text, start);
    let mut piece_start = start;
    while let Some(next) = found.peek().copied() {
        cuts.pass_over(next);
        let cut = cuts.next().unwrap_or(text.len());
        if next < cut {
            pieces.push(piece_start..cut);
            while found.next_if(|at| *at < cut).is_some() {}
        }
        piece_start = cut;
    }
    pieces
}

/// Where the last piece of `text` after `start` begins: what is open at the end of the text was opened there.
pub(crate) fn last_piece(text: &str, start: usize) -> usize {
    let (mut cuts, mut last) = (Cuts::new(text, start), start);
    loop {
        cuts.pass_over(text.len());
        let Some(cut) = cuts.next() else { return last };
        last = cut;
    }
}

/// The places where the text can be cut, in order.
struct Cuts<'t> {
    bytes: &'t [u8],
    /// The ends of lines, counted from this place.
    newlines: Memchr<'t>,
    newlines_from: usize,
    /// The beginning of the next line.
    at: usize,
    /// Up to here only line feeds end lines.
    plain_until: usize,
    is_plain: bool,
    state: State,
    is_after_blank: bool,
    /// Since the last cut a list may have begun, to which indented lines may belong.
    has_list: bool,
    /// Until the next blank line a fence or a comment may be part of an element or of a link's definition.
    is_unclear: bool,
}

/// What the next line stands in.
#[derive(Clone, Copy)]
enum State {
    Open,
    Fence(Fence),
    Comment,
    /// Nobody can say without reading all of it.
    Uncertain,
}

/// The line that opened a code fence.
#[derive(Clone, Copy)]
struct Fence {
    sign: u8,
    length: usize,
}

impl<'t> Cuts<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let bytes = text.as_bytes();
        Self {
            bytes,
            newlines: memchr_iter(b'\n', bytes.get(start..).unwrap_or_default()),
            newlines_from: start,
            at: start,
            plain_until: 0,
            is_plain: true,
            state: State::Open,
            is_after_blank: false,
            has_list: false,
            is_unclear: false,
        }
    }

    /// Lines are told apart by line feeds here, and blanks are spaces and tabs. Where something else stands in the text that may be
    /// one of them, nothing is certain. Only so much of the text is looked through as is read.
    fn is_plain(&mut self) -> bool {
        if self.at >= self.plain_until && self.is_plain {
            let (from, until) = (self.plain_until, self.bytes.len().min(self.at + LOOKED_THROUGH));
            let new = self.bytes.get(from..until).unwrap_or_default();
            let mut odd = memchr3_iter(b'\r', 0x0b, 0x0c, new).map(|at| from + at);
            self.is_plain = odd.all(|at| self.bytes.get(at..at + 2) == Some(&b"\r\n"[..]));
            self.plain_until = until;
        }
        self.is_plain
    }

    fn line(&mut self) -> Option<Line<'t>> {
        if !self.is_plain() {
            self.state = State::Uncertain;
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let end = self.newlines.next().map_or(self.bytes.len(), |newline| self.newlines_from + newline + 1);
        let line = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(Line::of(line))
    }

    /// Goes on with the line that begins at `start`, without a look at those before it.
    fn go_to(&mut self, start: usize) {
        if start > self.at {
            self.newlines = memchr_iter(b'\n', self.bytes.get(start..).unwrap_or_default());
            (self.newlines_from, self.at) = (start, start);
        }
    }

    /// Goes on with the line of the first of these places, or with the end of the text if there is none.
    fn go_to_line_of(&mut self, found: impl FnOnce(&[u8]) -> Option<usize>) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let start = found(rest).map_or(self.bytes.len(), |place| self.at + last_line_start(rest, place));
        self.go_to(start);
    }

    /// Passes over lines that open nothing, up to the last cut before `until` or before the first line that may open something.
    fn pass_over(&mut self, until: usize) {
        let Some(rest) = self.bytes.get(self.at..until).filter(|_| matches!(self.state, State::Open)) else {
            return;
        };
        let opening = memchr3_iter(b'`', b'~', b'<', rest).find_map(|place| {
            let before = rest.get(..place)?;
            // Only so far back, because many of these signs may stand on one long line.
            let indent = before.iter().rev().take(CODE_INDENT - 1).take_while(|byte| **byte == b' ').count();
            let start = place - indent;
            (start == 0 || rest.get(start - 1) == Some(&b'\n')).then_some(start)
        });
        let line = opening.unwrap_or_else(|| last_line_start(rest, rest.len()));
        if let Some(cut) = self.last_cut(line + self.at) {
            self.go_to(cut);
            // Nothing but this is left of what was passed over.
            (self.is_after_blank, self.has_list, self.is_unclear) = (true, false, false);
        }
    }

    /// The last cut behind the next line up to the line that begins at `line`, if no line between opens anything.
    fn last_cut(&self, line: usize) -> Option<usize> {
        let begins_anew = |start: usize| {
            let is_anew = |first: &u8| !matches!(first, b' ' | b'\t' | b'\r' | b'\n');
            self.bytes.get(start).filter(|first| is_anew(first)).map(|_| start)
        };
        let mut candidate = begins_anew(line);
        let mut end = line;
        while end > self.at {
            let before = self.bytes.get(self.at..end - 1)?;
            let start = self.at + last_line_start(before, before.len());
            if candidate.is_some() && Line::of(self.bytes.get(start..end)?).is_blank() {
                return candidate;
            }
            (candidate, end) = (begins_anew(start), start);
        }
        None
    }

    /// Takes in a line outside of fences and comments.
    fn read(&mut self, line: &Line<'_>) {
        if line.indent >= CODE_INDENT {
            return;
        }
        let may_be_nested = line.indent > 0 && self.has_list;
        match line.content.first() {
            Some(b'`' | b'~') => {
                let Some(fence) = Fence::opened_by(line.content) else { return };
                self.state = if self.is_unclear || may_be_nested && !self.pass_nested(line.indent, fence) {
                    State::Uncertain
                } else if may_be_nested {
                    State::Open
                } else {
                    State::Fence(fence)
                };
            }
            Some(b'<') if line.content.starts_with(b"<!--") => {
                if !ends_comment(line.content) {
                    let is_certain = !self.is_unclear && !may_be_nested;
                    self.state = if is_certain { State::Comment } else { State::Uncertain };
                }
            }
            Some(b'<') if begins_raw(line.content) => self.state = State::Uncertain,
            Some(b'<' | b'[') => self.is_unclear = true,
            Some(b'-' | b'*' | b'+' | b'0'..=b'9') => self.has_list = true,
            Some(_) | None => {}
        }
    }

    /// Passes over a fence that stands in a list, or else at the top level: whether it ends at the same line in both cases.
    fn pass_nested(&mut self, indent: usize, fence: Fence) -> bool {
        while let Some(line) = self.line() {
            if line.is_blank() {
                continue;
            }
            let is_end = fence.is_closed_by(line.content);
            if line.indent < indent || is_end && line.indent >= CODE_INDENT {
                return false;
            }
            if is_end {
                return true;
            }
        }
        true
    }
}

impl Iterator for Cuts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            match self.state {
                State::Fence(fence) => self.go_to_line_of(|rest| memchr(fence.sign, rest)),
                State::Comment => self.go_to_line_of(|rest| memmem::find(rest, COMMENT_END)),
                State::Open | State::Uncertain => {}
            }
            let start = self.at;
            let line = self.line()?;
            match self.state {
                State::Uncertain => return None,
                State::Fence(fence) => {
                    if line.indent < CODE_INDENT && fence.is_closed_by(line.content) {
                        self.state = State::Open;
                    }
                }
                State::Comment => {
                    if ends_comment(line.content) {
                        self.state = State::Open;
                    }
                }
                State::Open if line.is_blank() => {
                    (self.is_after_blank, self.is_unclear) = (true, false);
                }
                State::Open => {
                    let is_cut = self.is_after_blank && line.indent == 0;
                    self.is_after_blank = false;
                    self.has_list &= !is_cut;
                    self.read(&line);
                    if is_cut {
                        return Some(start);
                    }
                }
            }
        }
    }
}

/// A line, parted into how far it is indented and what stands on it.
struct Line<'t> {
    indent: usize,
    content: &'t [u8],
}

impl<'t> Line<'t> {
    fn of(line: &'t [u8]) -> Self {
        if !matches!(line.first(), Some(b' ' | b'\t')) {
            return Self { indent: 0, content: line };
        }
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let (blanks, content) = line.split_at_checked(blanks).unwrap_or((&[], line));
        // A tab goes on to the next fourth column.
        let indent = if blanks.contains(&b'\t') { CODE_INDENT } else { blanks.len() };
        Self { indent, content }
    }

    fn is_blank(&self) -> bool {
        matches!(self.content, b"" | b"\n" | b"\r\n")
    }
}

impl Fence {
    fn opened_by(line: &[u8]) -> Option<Self> {
        let sign = *line.first()?;
        let length = line.iter().take_while(|byte| **byte == sign).count();
        let rest = line.get(length..)?;
        let is_fence = length >= 3 && !(sign == b'`' && memchr(b'`', rest).is_some());
        is_fence.then_some(Self { sign, length })
    }

    fn is_closed_by(&self, line: &[u8]) -> bool {
        let length = line.iter().take_while(|byte| **byte == self.sign).count();
        let rest = line.get(length..).unwrap_or_default();
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        length >= self.length && matches!(rest.get(spaces..), Some(b"" | b"\n" | b"\r\n"))
    }
}

fn ends_comment(line: &[u8]) -> bool {
    memmem::find(line, COMMENT_END).is_some()
}

fn begins_raw(line: &[u8]) -> bool {
    RAW_BEGINNINGS.iter().any(|beginning| {
        line.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes()))
    })
}

#[cfg(test)]
mod tests;
