//! A person's editor: loads, types a line, saves the whole file, in one of three ways. Never merges.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

/// A way of saving.
#[derive(Debug, Clone, Copy)]
pub(super) enum Style {
    InPlace,
    Rename,
    MoveAside,
}

pub(super) const STYLES: [Style; 3] = [Style::InPlace, Style::Rename, Style::MoveAside];
const TITLE: &str = "# Plan\n";
pub(super) const START: &str = "# Plan\n\nend\n";

impl Style {
    fn save(self, path: &Path, text: &str) -> Result<()> {
        let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
        match self {
            Style::InPlace => {}
            Style::Rename => {
                std::fs::write(beside(".new"), text)?;
                return Ok(std::fs::rename(beside(".new"), path)?);
            }
            Style::MoveAside => {
                while std::fs::rename(path, beside("~")).is_err() {
                    std::thread::yield_now();
                }
            }
        }
        Ok(std::fs::write(path, text)?)
    }
}

/// Numbers without a pattern, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A line that shares no word with another.
    pub(super) fn line(&mut self, who: &str, number: usize) -> String {
        let (one, other) = (self.below(1 << 24), self.below(1 << 24));
        format!("{who}{number} {one:06x} {other:06x}")
    }
}

/// Saves `count` times and gives the lines that were typed.
pub(super) fn work(path: &Path, style: Style, count: usize) -> Result<Vec<String>> {
    let mut dice = Dice(0x5eed);
    let mut buffer = START.to_owned();
    let mut lines = Vec::new();
    for number in 0..count {
        let loaded = std::fs::read_to_string(path).unwrap_or_default();
        if !loaded.is_empty() {
            buffer = loaded;
        }
        let line = dice.line("person", number);
        let top = if buffer.starts_with(TITLE) { TITLE.len() } else { 0 };
        buffer.insert_str(top, &format!("{line}\n"));
        style.save(path, &buffer)?;
        lines.push(line);
        std::thread::sleep(Duration::from_micros(500 + dice.below(3_500)));
    }
    Ok(lines)
}

/// How many of the lines a text does not hold.
pub(super) fn missing(text: &str, lines: &[String]) -> usize {
    let held: HashSet<&str> = text.lines().collect();
    lines.iter().filter(|line| !held.contains(line.as_str())).count()
}
