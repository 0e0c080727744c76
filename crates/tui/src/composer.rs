//! What the person writes: several lines, a history, and long pastes as one item each. Never sends anything.

mod history;
mod lines;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::key::{By, Input};
use history::History;

/// A paste of more lines is one item.
const PASTE_LINES: usize = 8;
/// A paste of more bytes is one item.
const PASTE_BYTES: usize = 1200;
/// Pastes in one prompt. More of them are written out.
const PASTES_MAX: usize = 64;
/// Pastes of earlier prompts that are known again.
const RECENT_MAX: usize = 8;
/// The longest text that is written out.
const TEXT_MAX: usize = 1 << 20;
/// The letter that stands for the first paste; no person types letters of this plane.
const ITEM: u32 = 0xF_0000;

/// A text under the cursor.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    text: String,
    /// A place between two letters of the text.
    cursor: usize,
    pastes: Vec<String>,
    /// What was pasted last, so that a prompt that comes back has the same items.
    recent: Vec<String>,
    cut: String,
    history: History,
}

impl Composer {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// All that was written, with pastes as they were.
    pub(crate) fn whole(&self) -> String {
        let mut whole = String::with_capacity(self.text.len());
        for letter in self.text.chars() {
            match self.paste_of(letter) {
                Some(paste) => whole.push_str(paste),
                None => whole.push(letter),
            }
        }
        whole
    }

    /// What stands before the cursor.
    pub(crate) fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Takes the text away, and remembers it.
    pub(crate) fn take(&mut self) -> String {
        let whole = self.whole();
        self.history.keep(&whole);
        self.clear();
        whole
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.pastes.clear();
        self.cursor = 0;
        self.history.leave();
    }

    /// Puts another text there. What was pasted into it is one item again.
    pub(crate) fn replace(&mut self, text: &str) {
        self.clear();
        let mut rest = text;
        while let Some((at, paste)) = self.first_paste(rest) {
            let (before, behind) = rest.split_at(at);
            self.insert(before);
            self.paste(&paste);
            rest = behind.get(paste.len()..).unwrap_or_default();
        }
        if rest.len() > TEXT_MAX / 2 { self.paste(rest) } else { self.insert(rest) }
    }

    /// Where the first of the recent pastes stands in a text, and which one that is.
    fn first_paste(&self, text: &str) -> Option<(usize, String)> {
        let found = self.recent.iter().filter_map(|paste| Some((text.find(paste.as_str())?, paste)));
        found.min_by_key(|(at, paste)| (*at, usize::MAX - paste.len())).map(|(at, paste)| (at, paste.clone()))
    }

    /// Whether a key up leaves what is written.
    pub(crate) fn is_on_first_line(&self) -> bool {
        self.line_start() == 0
    }

    /// Whether a key down leaves what is written.
    pub(crate) fn is_on_last_line(&self) -> bool {
        self.line_end() == self.text.len()
    }

    /// Replaces the last `length` bytes before the cursor.
    pub(crate) fn complete(&mut self, length: usize, with: &str) {
        let start = self.cursor.saturating_sub(length);
        if self.text.is_char_boundary(start) {
            drop(self.text.drain(start..self.cursor));
            self.cursor = start;
            self.insert(with);
        }
    }

    /// Remembers a prompt of the past.
    pub(crate) fn remember(&mut self, prompt: &str) {
        self.history.keep(prompt);
    }

    /// Takes a key. Says whether it was one for writing.
    pub(crate) fn press(&mut self, input: &Input) -> bool {
        match input {
            Input::Letter(letter) => self.insert(letter.encode_utf8(&mut [0; 4])),
            Input::Pasted(text) => self.paste(text),
            Input::NewLine => self.insert("\n"),
            Input::Left(by) => self.cursor = self.place_left(*by),
            Input::Right(by) => self.cursor = self.place_right(*by),
            Input::Home => self.cursor = self.line_start(),
            Input::End => self.cursor = self.line_end(),
            Input::Up => self.up(),
            Input::Down => self.down(),
            Input::Backspace(by) => drop(self.remove(self.place_left(*by), self.cursor)),
            Input::Delete(by) => drop(self.remove(self.cursor, self.place_right(*by))),
            Input::CutBefore => self.cut = self.remove(self.line_start(), self.cursor),
            Input::CutBehind => self.cut = self.remove(self.cursor, self.line_end()),
            Input::Yank => self.insert(&self.cut.clone()),
            _ => return false,
        }
        true
    }

    fn insert(&mut self, text: &str) {
        if self.text.len() + text.len() > TEXT_MAX {
            return;
        }
        // Of letters that stand for pastes only those are let in that do.
        let clean: String = text
            .replace("\r\n", "\n")
            .chars()
            .map(|letter| match letter {
                '\r' => '\n',
                '\t' => ' ',
                _ if u32::from(letter) >= ITEM && self.paste_of(letter).is_none() => '\u{fffd}',
                _ => letter,
            })
            .filter(|letter| *letter == '\n' || !letter.is_control())
            .collect();
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
    }

    fn paste(&mut self, text: &str) {
        let is_long = text.len() > PASTE_BYTES || text.lines().count() > PASTE_LINES;
        let index = u32::try_from(self.pastes.len()).unwrap_or(u32::MAX);
        let item = ITEM.checked_add(index).and_then(char::from_u32);
        match item.filter(|_| is_long && self.pastes.len() < PASTES_MAX) {
            Some(item) => {
                let text = text.replace("\r\n", "\n").replace('\r', "\n");
                self.keep_recent(text.trim());
                self.pastes.push(text);
                self.insert(item.encode_utf8(&mut [0; 4]));
            }
            None => self.insert(text),
        }
    }

    fn keep_recent(&mut self, paste: &str) {
        if paste.is_empty() || self.recent.iter().any(|known| known == paste) {
            return;
        }
        if self.recent.len() >= RECENT_MAX {
            drop(self.recent.drain(..1));
        }
        self.recent.push(paste.to_owned());
    }

    fn paste_of(&self, letter: char) -> Option<&str> {
        let index = u32::from(letter).checked_sub(ITEM)?;
        self.pastes.get(usize::try_from(index).ok()?).map(String::as_str)
    }

    fn remove(&mut self, from: usize, to: usize) -> String {
        self.cursor = from;
        self.text.drain(from..to).collect()
    }

    fn place_left(&self, by: By) -> usize {
        let before = self.before();
        let start = match by {
            By::Letter => before.grapheme_indices(true).next_back().map(|(at, _)| at),
            By::Word => {
                before.split_word_bound_indices().rfind(|(_, word)| !word.trim().is_empty()).map(|(at, _)| at)
            }
        };
        start.unwrap_or_default()
    }

    fn place_right(&self, by: By) -> usize {
        let behind = self.text.get(self.cursor..).unwrap_or_default();
        let end = |(at, piece): (usize, &str)| self.cursor + at + piece.len();
        let found = match by {
            By::Letter => behind.grapheme_indices(true).next().map(end),
            By::Word => behind.split_word_bound_indices().find(|(_, word)| !word.trim().is_empty()).map(end),
        };
        found.unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |end| end + 1)
    }

    fn line_end(&self) -> usize {
        let behind = self.text.get(self.cursor..).unwrap_or_default();
        behind.find('\n').map_or(self.text.len(), |end| self.cursor + end)
    }

    /// To the line above, or to an older prompt.
    fn up(&mut self) {
        if self.line_start() > 0 {
            let column = self.before().get(self.line_start()..).unwrap_or_default().graphemes(true).count();
            self.cursor = self.line_start() - 1;
            let start = self.line_start();
            self.cursor = self.at_column(start, column);
        } else if let Some(older) = self.history.older(&self.whole()) {
            self.show(&older);
        }
    }

    /// To the line below, or to a newer prompt.
    fn down(&mut self) {
        let end = self.line_end();
        if end < self.text.len() {
            let column = self.before().get(self.line_start()..).unwrap_or_default().graphemes(true).count();
            self.cursor = self.at_column(end + 1, column);
        } else if let Some(newer) = self.history.newer() {
            self.show(&newer);
        }
    }

    fn at_column(&self, start: usize, column: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        start + line.graphemes(true).take(column).map(str::len).sum::<usize>()
    }

    /// A prompt of the past. A long one is an item.
    fn show(&mut self, prompt: &str) {
        self.text.clear();
        self.pastes.clear();
        self.cursor = 0;
        self.paste(prompt);
    }
}
