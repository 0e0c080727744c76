//! Some lines out of a file of any length. Never holds more than it shows.

use std::io::{self, BufRead as _, BufReader};

use agent::StreamController;
use agent::tool::Output;

use crate::limits::{LINE_SHOWN_MAX, READ_SHOWN_MAX};
use crate::output::visible;

/// So many bytes at the beginning decide whether a file is text.
const SNIFFED: usize = 8_192;
/// A letter has at most four bytes.
const LINE_BYTES_MAX: usize = LINE_SHOWN_MAX * 4;

#[derive(Debug)]
pub(super) struct Page {
    first: u64,
    lines_max: usize,
    text: String,
    shown: usize,
    /// The number of the line that is being read.
    line: u64,
    is_binary: bool,
    is_aborted: bool,
    has_more: bool,
    has_cut_lines: bool,
    has_bad_text: bool,
    has_hidden: bool,
}

impl Page {
    pub(super) fn new(first: u64, lines_max: usize) -> Self {
        Self {
            first,
            lines_max,
            text: String::new(),
            shown: 0,
            line: 0,
            is_binary: false,
            is_aborted: false,
            has_more: false,
            has_cut_lines: false,
            has_bad_text: false,
            has_hidden: false,
        }
    }

    /// Reads until the page is full.
    pub(super) fn fill(
        &mut self,
        file: impl io::Read,
        controller: &StreamController,
    ) -> io::Result<&mut Self> {
        let mut file = BufReader::with_capacity(65_536, file);
        let begin = file.fill_buf()?;
        if begin.get(..begin.len().min(SNIFFED)).unwrap_or_default().contains(&0) {
            self.is_binary = true;
            return Ok(self);
        }
        loop {
            if self.shown >= self.lines_max || self.text.len() >= READ_SHOWN_MAX {
                self.has_more = !file.fill_buf()?.is_empty();
                return Ok(self);
            }
            let Some((line, is_cut)) = next_line(&mut file, controller)? else { return Ok(self) };
            if controller.is_aborted() {
                self.is_aborted = true;
                return Ok(self);
            }
            self.line += 1;
            if self.line >= self.first {
                self.add(&line, is_cut);
            }
        }
    }

    fn add(&mut self, line: &[u8], is_cut: bool) {
        let line = if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        self.has_bad_text |= !is_cut && std::str::from_utf8(line).is_err();
        let cut: String = text.chars().take(LINE_SHOWN_MAX).collect();
        let is_cut = is_cut || cut.len() < text.len();
        let seen = visible(&cut);
        self.has_hidden |= *seen != *cut;
        self.has_cut_lines |= is_cut;
        let mark = if is_cut { "…" } else { "" };
        self.text.push_str(&format!("{:>6}\t{seen}{mark}\n", self.line));
        self.shown += 1;
    }

    /// What the model gets.
    pub(super) fn finished(&mut self, shown: &str, length: u64) -> Result<Output, String> {
        if self.is_aborted {
            return Err("[Interrupted by user]".to_owned());
        }
        if self.is_binary {
            return Err(format!(
                "{shown} is a binary file of {length} bytes and is not shown; use Bash to look into it"
            ));
        }
        let mut text = std::mem::take(&mut self.text);
        if length == 0 {
            text.push_str("[the file is empty]\n");
        } else if self.shown == 0 {
            return Err(format!(
                "{shown} has only {} lines; give a smaller offset than {}",
                self.line, self.first
            ));
        }
        if self.has_more {
            text.push_str(&format!("[more lines follow; read on with offset {}]\n", self.line + 1));
        }
        if self.has_cut_lines {
            text.push_str(&format!("[lines that end in … have more than {LINE_SHOWN_MAX} characters]\n"));
        }
        if self.has_bad_text {
            text.push_str(
                "[the file is no UTF-8; what is not is shown as \u{fffd}, and the file cannot be edited]\n",
            );
        }
        if self.has_hidden {
            text.push_str("[characters that cannot be seen are shown as <U+XXXX>]\n");
        }
        Ok(Output::success(text))
    }
}

/// The next line without its break, and whether some of it was left out.
fn next_line(
    file: &mut impl io::BufRead,
    controller: &StreamController,
) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let (mut is_cut, mut has_any) = (false, false);
    loop {
        let available = file.fill_buf()?;
        if available.is_empty() || controller.is_aborted() {
            return Ok(has_any.then_some((line, is_cut)));
        }
        has_any = true;
        let (taken, is_end) = match available.iter().position(|byte| *byte == b'\n') {
            Some(place) => (place, true),
            None => (available.len(), false),
        };
        let room = LINE_BYTES_MAX.saturating_sub(line.len()).min(taken);
        line.extend_from_slice(available.get(..room).unwrap_or_default());
        is_cut |= room < taken;
        file.consume(taken + usize::from(is_end));
        if is_end {
            return Ok(Some((line, is_cut)));
        }
    }
}
