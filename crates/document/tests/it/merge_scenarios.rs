//! Random merges of one kind each: both hold the same new lines, a block moves, a page is replaced, a conversation goes on.

use std::collections::HashSet;

use document::merge::merge;

use crate::merge_random::{
    append, change_word, complaints, edit, insert_block, rewrite, torn_blocks, words_of,
};
use crate::random::{Line, Random, Words, base, print};

const CASES: u64 = 10_000;

/// Three sides of one random scenario.
struct Sides {
    base: Vec<Line>,
    ours: Vec<Line>,
    theirs: Vec<Line>,
}

impl Sides {
    fn merged(&self, frame: fn(&str) -> String) -> String {
        let text = |lines: &[Line]| frame(&print(lines, "\n", true));
        merge(&text(&self.base), &text(&self.ours), &text(&self.theirs)).text
    }

    fn assert(&self, seed: u64, merged: &str, found: &[String]) {
        let [base, ours, theirs] =
            [&self.base, &self.ours, &self.theirs].map(|lines| print(lines, "\n", true));
        assert!(
            found.is_empty(),
            "seed {seed}: {found:?}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}\n--- merged\n{merged}"
        );
    }
}

/// Merges many cases of a scenario and looks for everything that may not happen to a word, a line or a block.
fn check(scenario: fn(&mut Random, &mut Words) -> Sides, frame: fn(&str) -> String) {
    for seed in 0..CASES {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let sides = scenario(&mut random, &mut words);
        if sides.theirs.is_empty() {
            continue; // An empty file is an editor in the middle of a save; it has a test of its own.
        }
        let whole = sides.merged(frame);
        let around = frame("\0");
        let (head, tail) = around.split_once('\0').unwrap();
        let inside = whole.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
        let merged = inside.unwrap_or_else(|| panic!("seed {seed}: the frame is broken\n{whole}"));
        let mut found = complaints(&sides.base, &sides.ours, &sides.theirs, merged);
        found.extend(torn_blocks(&sides.ours, merged));
        sides.assert(seed, merged, &found);
    }
}

fn plain(text: &str) -> String {
    text.to_owned()
}

fn in_exchange(text: &str) -> String {
    format!("# Doc\n\n<!-- agent:exchange -->\n{text}<!-- /agent:exchange -->\n")
}

/// A line long enough that two people hardly write it by chance.
fn long_line(random: &mut Random, words: &mut Words, owner: char) -> Line {
    let words = (0..random.between(9, 12)).map(|_| words.next(owner)).collect();
    Line { base: None, words }
}

/// The shared lines in their order, with lines of one side's own before, between and after them.
fn around_shared(shared: &[Line], random: &mut Random, words: &mut Words, owner: char) -> Vec<Line> {
    let mut block = Vec::new();
    for at in 0..=shared.len() {
        if random.chance(50) {
            block.extend((0..random.between(1, 2)).map(|_| words.line(random, owner)));
        }
        block.extend(shared.get(at).cloned());
    }
    block
}

#[test]
fn new_lines_that_both_sides_hold_stand_once() {
    for seed in 0..CASES {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let base = base(&mut random, &mut words);
        let shared: Vec<Line> =
            (0..random.between(1, 3)).map(|_| long_line(&mut random, &mut words, 's')).collect();
        let at = random.below(base.len() + 1);
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        ours.splice(at..at, around_shared(&shared, &mut random, &mut words, 'a'));
        theirs.splice(at..at, around_shared(&shared, &mut random, &mut words, 'p'));
        let sides = Sides { base, ours, theirs };
        let merged = sides.merged(plain);
        let mut found = complaints(&sides.base, &sides.ours, &sides.theirs, &merged);
        let places: Vec<Option<usize>> = shared.iter().map(|line| merged.find(&line.text())).collect();
        if !places.is_sorted() {
            found.push("the shared lines changed their order".to_owned());
        }
        sides.assert(seed, &merged, &found);
    }
}

#[test]
fn the_agent_appends_and_the_person_edits_anywhere() {
    let scenario = |random: &mut Random, words: &mut Words| {
        let base = base(random, words);
        let mut ours = base.clone();
        append(&mut ours, random, words, 'a');
        let theirs = edit(&base, random, words, 'p');
        Sides { base, ours, theirs }
    };
    check(scenario, plain);
    check(scenario, in_exchange);
}

#[test]
fn the_agent_rewrites_a_passage_and_the_person_edits_in_it() {
    check(
        |random, words| {
            let base = base(random, words);
            let mut ours = base.clone();
            rewrite(&mut ours, random, words, 'a');
            let theirs = edit(&base, random, words, 'p');
            Sides { base, ours, theirs }
        },
        plain,
    );
}

fn blank() -> Line {
    Line { base: None, words: Vec::new() }
}

/// Some turns of a conversation: a question, a heading, an answer, with blank lines between them.
fn conversation(random: &mut Random, words: &mut Words) -> Vec<Line> {
    let mut lines = Vec::new();
    for _ in 0..random.between(1, 3) {
        lines.push(words.line(random, 'b'));
        lines.push(blank());
        lines.push(heading(words, 'b'));
        lines.push(blank());
        lines.extend((0..random.between(1, 3)).map(|_| words.line(random, 'b')));
        lines.push(blank());
    }
    lines.push(words.line(random, 'b'));
    lines
}

fn heading(words: &mut Words, owner: char) -> Line {
    Line { base: None, words: vec!["###".to_owned(), "Re:".to_owned(), words.next(owner)] }
}

fn chat(random: &mut Random, words: &mut Words, ends_blank: bool) -> Sides {
    let mut base = conversation(random, words);
    let mut answer = vec![heading(words, 'a'), blank()];
    answer.extend((0..random.between(1, 4)).map(|_| words.line(random, 'a')));
    if ends_blank {
        base.push(blank());
    } else {
        answer.insert(0, blank());
    }
    for (at, line) in base.iter_mut().enumerate() {
        line.base = Some(at);
    }
    let mut ours = base.clone();
    ours.extend(answer);
    let theirs = edit(&base, random, words, 'p');
    Sides { base, ours, theirs }
}

#[test]
fn a_conversation_that_ends_with_a_blank_line() {
    check(|random, words| chat(random, words, true), in_exchange);
}

#[test]
fn a_conversation_that_ends_with_the_question() {
    check(|random, words| chat(random, words, false), in_exchange);
}

#[test]
fn a_block_is_moved_while_the_agent_writes() {
    check(
        |random, words| {
            let base = base(random, words);
            let mut theirs = base.clone();
            let start = random.below(theirs.len());
            let end = (start + random.between(1, 4)).min(theirs.len());
            let block: Vec<Line> = theirs.drain(start..end).collect();
            let to = random.below(theirs.len() + 1);
            theirs.splice(to..to, block);
            let mut ours = base.clone();
            if random.chance(50) {
                change_word(&mut ours, random, words, 'a');
            } else {
                let at = random.below(ours.len() + 1);
                insert_block(&mut ours, at, random, words, 'a');
            }
            Sides { base, ours, theirs }
        },
        plain,
    );
}

#[test]
fn a_page_is_replaced_while_the_agent_appends() {
    let scenario = |random: &mut Random, words: &mut Words| {
        let base = base(random, words);
        let mut ours = base.clone();
        append(&mut ours, random, words, 'a');
        let theirs = (0..random.between(1, 9)).map(|_| words.line(random, 'p')).collect();
        Sides { base, ours, theirs }
    };
    check(scenario, plain);
    for seed in 0..CASES {
        let sides = scenario(&mut Random::new(seed), &mut Words::default());
        let merged = sides.merged(plain);
        let gone: HashSet<&str> = words_of(&sides.base).collect();
        let back: Vec<String> =
            merged.split_whitespace().filter(|word| gone.contains(word)).map(str::to_owned).collect();
        sides.assert(seed, &merged, &back);
    }
}

/// The lines from one blank line to the next.
fn section(lines: &[Line], random: &mut Random) -> std::ops::Range<usize> {
    let at = random.below(lines.len());
    let is_blank = |line: &Line| line.words.is_empty();
    let start = lines[..at].iter().rposition(is_blank).map_or(0, |blank| blank + 1);
    let end = lines[at..].iter().position(is_blank).map_or(lines.len(), |blank| at + blank);
    start.min(end)..end
}

#[test]
fn a_section_is_rewritten_while_the_person_works_in_it() {
    check(
        |random, words| {
            let base = base(random, words);
            let section = section(&base, random);
            let mut ours = base.clone();
            let written: Vec<Line> = (0..random.between(1, 6)).map(|_| words.line(random, 'a')).collect();
            ours.splice(section.clone(), written);
            let mut theirs = base.clone();
            if random.chance(50) && !section.is_empty() {
                change_word(&mut theirs[section], random, words, 'p');
            } else {
                let at = random.between(section.start, section.end);
                insert_block(&mut theirs, at, random, words, 'p');
            }
            Sides { base, ours, theirs }
        },
        plain,
    );
}
