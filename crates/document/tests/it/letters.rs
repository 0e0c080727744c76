//! Saves of an editor while others type letter by letter, so that versions of the file differ by half a word or by a space.
//! Never waits for a clock: a seed gives the same race on every machine.

use document::{Author, Document};

use crate::random::Random;

const SEQUENCES: u64 = 1_000;
const STEPS: usize = 80;
const PLACES: [(&str, &str); 2] = [("anna", "Anna writes here:"), ("ben", "Ben writes here:")];

/// Two who type, a worker who appends, and an editor that loads the file, adds a line and saves, some time later.
struct Letters {
    random: Random,
    document: Document,
    /// What the file holds, and what its owner last knew it to hold.
    file: String,
    in_file: String,
    /// What the editor has loaded, with its own line in it.
    buffer: Option<String>,
    typed: [String; 2],
    lines: Vec<String>,
    saves: usize,
    chance_of_lines: usize,
    is_over: bool,
}

impl Letters {
    fn new(seed: u64) -> Letters {
        let text = "# Together\n\nAnna writes here:\n\nVim writes here:\n\n## Researcher\n\n## Ben\n\nBen writes here:\n";
        let mut random = Random::new(seed);
        let chance_of_lines = *random.pick(&[0, 5, 40]);
        Letters {
            random,
            document: Document::open(text, &vim()),
            file: text.to_owned(),
            in_file: text.to_owned(),
            buffer: None,
            typed: [String::new(), String::new()],
            lines: Vec::new(),
            saves: 0,
            chance_of_lines,
            is_over: false,
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=4 => self.types(),
            5..=6 => self.flush(),
            7..=8 => self.edits(),
            _ if self.random.chance(self.chance_of_lines) => self.appends(),
            _ => self.types(),
        }
    }

    /// One of the two types a letter; each fourth one is a space.
    fn types(&mut self) {
        let who = self.random.below(2);
        let (name, place) = PLACES[who];
        let number = self.typed[who].len();
        let letter = match number % 5 {
            0 => " ".to_owned(),
            1 => name[..1].to_owned(),
            digit => (number / 5).to_string().chars().rev().nth(4 - digit).unwrap_or('0').to_string(),
        };
        let at = self.document.text().find(place).unwrap() + place.len() + number;
        self.document.edit(at..at, &letter, &Author::new(name)).unwrap();
        self.typed[who].push_str(&letter);
    }

    fn appends(&mut self) {
        let line = format!("Researcher {}.\n", self.lines.len());
        let at = self.document.text().find("## Ben").unwrap();
        self.document.edit(at..at, &line, &Author::new("Researcher")).unwrap();
        self.lines.push(line);
    }

    /// The editor loads the file; or, if it has one, puts its text in the place of whatever has come meanwhile.
    fn edits(&mut self) {
        match self.buffer.take() {
            None => {
                let line = format!("Vim writes here:\nvim line {}.\n", self.saves);
                self.buffer = Some(self.file.replacen("Vim writes here:\n", &line, 1));
            }
            Some(buffer) => {
                self.lines.push(format!("vim line {}.\n", self.saves));
                self.saves += 1;
                self.file = buffer;
            }
        }
    }

    /// What may happen between two steps of the owner of the file.
    fn meanwhile(&mut self) {
        while !self.is_over && self.random.chance(20) {
            self.edits();
        }
    }

    /// Reads, takes in and writes until nobody saved in between.
    fn flush(&mut self) {
        for _ in 0..20 {
            self.meanwhile();
            if self.file != self.in_file {
                self.in_file = self.file.clone();
                self.document.absorb(&self.in_file, &vim());
            }
            self.meanwhile();
            if self.in_file == self.document.text() {
                self.document.publish();
                return;
            }
            let displaced = std::mem::replace(&mut self.file, self.document.text().to_owned());
            self.meanwhile();
            self.document.publish();
            let expected = std::mem::replace(&mut self.in_file, self.document.text().to_owned());
            if displaced == expected {
                return;
            }
            self.document.absorb_displaced(&displaced, &vim());
        }
    }

    /// All that was typed is there, where it was typed, and once.
    fn check_letters(&self, seed: u64) {
        for (typed, (_, place)) in self.typed.iter().zip(PLACES) {
            let count = self.count(&format!("{place}{typed}\n"));
            assert_eq!(count, 1, "seed {seed}: {place}{typed} became\n{}", self.document.text());
        }
    }

    fn check_lines(&self, seed: u64) {
        for line in &self.lines {
            let count = self.count(&format!("\n{line}"));
            assert_eq!(count, 1, "seed {seed}: {line:?} in\n{}", self.document.text());
        }
    }

    fn count(&self, words: &str) -> usize {
        self.document.text().split(words).count() - 1
    }
}

fn vim() -> Author {
    Author::new("vim")
}

#[test]
fn no_letter_is_lost_to_an_editor_that_loaded_half_a_word() {
    for seed in 0..SEQUENCES {
        let mut letters = Letters::new(seed);
        for _ in 0..STEPS {
            letters.step();
            letters.check_letters(seed);
        }
        letters.is_over = true;
        letters.flush();
        letters.flush();
        letters.check_letters(seed);
        letters.check_lines(seed);
    }
}
