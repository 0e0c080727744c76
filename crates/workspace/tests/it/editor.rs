//! A person's editor, as whole-file saves in the ways that editors really save, and the tally of whose lines survived.
//! Never merges: it writes what its buffer holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A way of saving.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    /// Empty the file and write it.
    InPlace,
    /// Write another file and rename it over.
    Rename,
    /// Move the old file aside and write a new one.
    MoveAside,
}

pub(crate) const STYLES: [Style; 3] = [Style::InPlace, Style::Rename, Style::MoveAside];

impl Style {
    pub(crate) fn save(self, path: &Path, text: &str) {
        let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
        match self {
            Style::InPlace => fs::write(path, text).unwrap(),
            Style::Rename => {
                fs::write(beside(".new"), text).unwrap();
                fs::rename(beside(".new"), path).unwrap();
            }
            Style::MoveAside => {
                // The name may be gone for a moment, or not yet be there again.
                while fs::rename(path, beside("~")).is_err() {
                    std::thread::yield_now();
                }
                fs::write(path, text).unwrap();
            }
        }
    }
}

/// Numbers without a pattern, the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// How lines are worded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wording {
    /// No two lines share more than their first word.
    Sentences,
    /// Lines differ in a number, as the entries of a list do.
    Entries,
}

impl Wording {
    pub(crate) fn line(self, who: &str, number: usize, dice: &mut Dice) -> String {
        match self {
            Wording::Sentences => sentence(who, number, dice),
            Wording::Entries => format!("- item {number} of the list of the {who}"),
        }
    }
}

/// How the person works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    pub(crate) saves: usize,
    /// How many saves in a hundred are made after loading the file again.
    pub(crate) reloads: u64,
    /// How many saves in a hundred delete a line of the person's own.
    pub(crate) deletes: u64,
    pub(crate) pause_max: Duration,
    pub(crate) wording: Wording,
}

/// What the person did.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) written: Vec<String>,
    pub(crate) deleted: Vec<String>,
}

/// Types a line and saves, again and again.
pub(crate) fn work(path: &Path, style: Style, habits: Habits, seed: u64) -> Done {
    let mut dice = Dice::new(seed);
    let mut done = Done::default();
    let mut buffer = fs::read_to_string(path).unwrap();
    for number in 0..habits.saves {
        if dice.below(100) < habits.reloads {
            let loaded = fs::read_to_string(path).unwrap_or_default();
            // An editor shows its person what it loaded; nobody types on into half a file.
            if loaded.starts_with("# Plan\n") && loaded.ends_with("end\n") {
                buffer = loaded;
            }
        }
        let line = habits.wording.line("person", number, &mut dice);
        buffer = buffer.replacen("# Plan\n", &format!("# Plan\n{line}\n"), 1);
        if dice.below(100) < habits.deletes && done.written.len() > 10 {
            let at = dice.below(done.written.len() as u64);
            let whole = format!("{}\n", done.written[usize::try_from(at).unwrap()]);
            if buffer.contains(&whole) {
                buffer = buffer.replacen(&whole, "", 1);
                done.deleted.push(done.written.remove(usize::try_from(at).unwrap()));
            }
        }
        style.save(path, &buffer);
        done.written.push(line);
        let pause = u64::try_from(habits.pause_max.as_micros()).unwrap();
        std::thread::sleep(Duration::from_micros(pause / 8 + dice.below(pause)));
    }
    done
}

/// A line that shares no word with another one but its first.
pub(crate) fn sentence(who: &str, number: usize, dice: &mut Dice) -> String {
    let mut word = || format!("{:06x}", dice.below(1 << 24));
    format!("{who}{number} {} {} {}", word(), word(), word())
}

/// How many of the lines the text does not hold.
pub(crate) fn missing<'a>(text: &str, lines: impl IntoIterator<Item = &'a String>) -> Vec<&'a String> {
    let held: std::collections::HashSet<&str> = text.lines().collect();
    lines.into_iter().filter(|line| !held.contains(line.as_str())).collect()
}
