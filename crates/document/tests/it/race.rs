//! Saves that race the owner of the file, step by step: a save may come before and after every read and write of the owner.
//! Never waits for a clock: a seed gives the same race on every machine.

use std::collections::HashSet;

use document::{Anchor, Author, Document};

use crate::random::Random;

const SEQUENCES: u64 = 1_000;
const STEPS: usize = 60;
const START: &str = "# Plan\n\n## Answer\n\nend\n";

/// One agent and one person who write entries of the same pattern, numbered alike.
struct Race {
    random: Random,
    document: Document,
    anchor: Anchor,
    file: String,
    /// What the owner of the file last knew it to hold.
    in_file: String,
    /// What the person's editor holds.
    buffer: String,
    written: Vec<String>,
    entries: (usize, usize),
    is_over: bool,
}

impl Race {
    fn new(seed: u64) -> Race {
        let mut document = Document::open(START, &person());
        let anchor = document.anchor_at(START.find("end\n").unwrap()).unwrap();
        Race {
            random: Random::new(seed),
            document,
            anchor,
            file: START.to_owned(),
            in_file: START.to_owned(),
            buffer: START.to_owned(),
            written: Vec::new(),
            entries: (0, 0),
            is_over: false,
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=3 => self.flush(),
            4..=6 => self.agent_writes(),
            _ => self.person_acts(),
        }
    }

    fn agent_writes(&mut self) {
        let line = entry(self.entries.0, "agent");
        self.entries.0 += 1;
        self.document.insert_at(self.anchor, &line, &Author::new("agent")).unwrap();
        self.written.push(line);
    }

    fn person_acts(&mut self) {
        if self.random.chance(50) {
            self.buffer = self.file.clone();
        }
        if self.random.chance(80) {
            let line = entry(self.entries.1, "person");
            self.entries.1 += 1;
            self.buffer = self.buffer.replacen("# Plan\n", &format!("# Plan\n{line}"), 1);
            self.file = self.buffer.clone();
            self.written.push(line);
        }
    }

    /// What may happen between two steps of the owner.
    fn meanwhile(&mut self) {
        while !self.is_over && self.random.chance(30) {
            self.person_acts();
        }
    }

    /// Reads, takes in and writes until nobody saved in between.
    fn flush(&mut self) {
        for _ in 0..20 {
            self.meanwhile();
            self.read();
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
            self.document.absorb_displaced(&displaced, &person());
        }
    }

    /// Takes in the saves that can be read. Only the last of them is in the file.
    fn read(&mut self) {
        let mut last: Option<String> = None;
        for _ in 0..3 {
            if self.file == *last.as_ref().unwrap_or(&self.in_file) {
                break;
            }
            if let Some(earlier) = last.replace(self.file.clone()) {
                self.document.absorb_displaced(&earlier, &person());
            }
            self.meanwhile();
        }
        if let Some(saved) = last {
            self.document.absorb(&saved, &person());
            self.in_file = saved;
        }
    }

    fn lost(&self) -> Vec<&String> {
        let held: HashSet<&str> = self.document.text().split_inclusive('\n').collect();
        self.written.iter().filter(|line| !held.contains(line.as_str())).collect()
    }
}

fn person() -> Author {
    Author::new("person")
}

fn entry(number: usize, owner: &str) -> String {
    format!("- item {number} of the list of the {owner}\n")
}

#[test]
fn no_entry_is_lost_to_a_save_at_any_moment() {
    for seed in 0..SEQUENCES {
        let mut race = Race::new(seed);
        for _ in 0..STEPS {
            race.step();
        }
        race.is_over = true;
        race.flush();
        race.flush();
        assert!(race.lost().is_empty(), "seed {seed}: {:?} are lost\n{}", race.lost(), race.document.text());
    }
}

fn text(persons: &[usize], agents: &[usize]) -> String {
    let entries =
        |numbers: &[usize], owner| numbers.iter().map(|&number| entry(number, owner)).collect::<String>();
    format!("# Plan\n{}\n## Answer\n\n{}end\n", entries(persons, "person"), entries(agents, "agent"))
}

#[test]
fn a_number_that_both_write_does_not_make_one_entry_a_version_of_the_other() {
    let mut document = Document::open(text(&[0], &[]), &person());
    let anchor = document.anchor_at(document.text().find("end\n").unwrap()).unwrap();
    document
        .insert_at(anchor, &[entry(0, "agent"), entry(1, "agent")].concat(), &Author::new("agent"))
        .unwrap();
    document.publish();
    document.absorb(&text(&[1, 0], &[]), &person());
    assert_eq!(document.text(), text(&[1, 0], &[0, 1]));
}

/// The person's last entry was displaced unread by a write of the owner's; they load that write, and save another entry.
fn check_displaced(before: &[usize], displaced: usize, next: usize) {
    let mut document = Document::open(text(before, &[]), &person());
    let anchor = document.anchor_at(document.text().find("end\n").unwrap()).unwrap();
    document.insert_at(anchor, &entry(0, "agent"), &Author::new("agent")).unwrap();
    document.publish();
    let with = |number: usize| [&[number], before].concat();
    document.absorb_displaced(&text(&with(displaced), &[]), &person());
    assert_eq!(document.text(), text(&with(displaced), &[0]));
    document.absorb(&text(&with(next), &[0]), &person());
    for line in
        text(before, &[0]).lines().chain([entry(displaced, "person").trim(), entry(next, "person").trim()])
    {
        assert!(document.text().lines().any(|held| held == line), "{line:?} is lost:\n{}", document.text());
    }
}

#[test]
fn an_entry_that_was_displaced_is_not_taken_for_one_that_became_the_next() {
    check_displaced(&[], 0, 1);
    check_displaced(&[], 1, 2);
    check_displaced(&[1, 0], 2, 3);
    check_displaced(&[2, 1, 0], 0, 4);
}

/// The person's editor has the text open as it was after `loaded` of `flushes`, and saves a line of its own only at the end.
fn check_old_buffer(loaded: usize, flushes: usize, restart: bool) {
    let mut document = Document::open(text(&[], &[]), &person());
    let anchor = document.anchor_at(document.text().find("end\n").unwrap()).unwrap();
    let mut buffer = document.text().to_owned();
    for number in 0..flushes {
        if number == loaded {
            buffer = document.text().to_owned();
        }
        document.insert_at(anchor, &entry(number, "agent"), &Author::new("agent")).unwrap();
        document.publish();
    }
    if restart {
        document = Document::decode(&document.encode()).unwrap();
    }
    document.absorb(&buffer.replacen("# Plan\n", "# Plan\nA word of mine.\n", 1), &person());
    let numbers: Vec<usize> = (0..flushes).collect();
    let expected = text(&[], &numbers).replacen("# Plan\n", "# Plan\nA word of mine.\n", 1);
    assert_eq!(document.text(), expected, "loaded after {loaded} of {flushes} flushes");
}

#[test]
fn a_buffer_that_is_minutes_old_takes_nothing_of_a_long_answer_away() {
    for loaded in [0, 1, 40, 500, 1_999, 2_900, 2_970, 2_999] {
        check_old_buffer(loaded, 3_000, false);
    }
    check_old_buffer(17, 3_000, true);
}
