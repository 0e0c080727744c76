//! A hundred thousand random merges in which every word is accounted for.

use std::collections::{HashMap, HashSet};

use document::merge::merge;

use crate::random::{Line, Random, Words, base, print};

const CASES: u64 = 100_000;

/// One side's edits: one to four of them, of any kind that a person or an agent makes.
pub(crate) fn edit(lines: &[Line], random: &mut Random, words: &mut Words, owner: char) -> Vec<Line> {
    let mut lines = lines.to_vec();
    for _ in 0..random.between(1, 4) {
        let at = random.below(lines.len() + 1);
        match random.below(9) {
            0 => append(&mut lines, random, words, owner),
            1 | 2 => insert_block(&mut lines, at, random, words, owner),
            3 | 4 => change_word(&mut lines, random, words, owner),
            5 => extend_line(&mut lines, random, words, owner),
            6 => remove(&mut lines, random),
            7 => rewrite(&mut lines, random, words, owner),
            _ => remove_word(&mut lines, random),
        }
    }
    lines
}

pub(crate) fn append(lines: &mut Vec<Line>, random: &mut Random, words: &mut Words, owner: char) {
    let end = lines.len();
    insert_block(lines, end, random, words, owner);
}

pub(crate) fn insert_block(
    lines: &mut Vec<Line>,
    at: usize,
    random: &mut Random,
    words: &mut Words,
    owner: char,
) {
    let mut block: Vec<Line> = (0..random.between(1, 4)).map(|_| words.line(random, owner)).collect();
    if random.chance(40) {
        block.insert(0, Line { base: None, words: Vec::new() });
    }
    lines.splice(at..at, block);
}

fn some_line<'a>(lines: &'a mut [Line], random: &mut Random) -> Option<&'a mut Line> {
    let mut solid: Vec<&mut Line> = lines.iter_mut().filter(|line| !line.words.is_empty()).collect();
    if solid.is_empty() {
        return None;
    }
    let at = random.below(solid.len());
    Some(solid.swap_remove(at))
}

pub(crate) fn change_word(lines: &mut [Line], random: &mut Random, words: &mut Words, owner: char) {
    if let Some(line) = some_line(lines, random) {
        let at = random.below(line.words.len());
        line.words[at] = words.next(owner);
    }
}

fn extend_line(lines: &mut [Line], random: &mut Random, words: &mut Words, owner: char) {
    if let Some(line) = some_line(lines, random) {
        let at = if random.chance(60) { line.words.len() } else { random.below(line.words.len() + 1) };
        line.words.insert(at, words.next(owner));
    }
}

fn remove_word(lines: &mut [Line], random: &mut Random) {
    if let Some(line) = some_line(lines, random)
        && line.words.len() > 1
    {
        line.words.remove(random.below(line.words.len()));
    }
}

fn remove(lines: &mut Vec<Line>, random: &mut Random) {
    if !lines.is_empty() {
        let start = random.below(lines.len());
        let end = (start + random.between(1, 3)).min(lines.len());
        lines.drain(start..end);
    }
}

pub(crate) fn rewrite(lines: &mut Vec<Line>, random: &mut Random, words: &mut Words, owner: char) {
    if !lines.is_empty() {
        let start = random.below(lines.len());
        let end = (start + random.between(1, 5)).min(lines.len());
        let block: Vec<Line> = (0..random.between(1, 5)).map(|_| words.line(random, owner)).collect();
        lines.splice(start..end, block);
    }
}

/// Everything that may not happen to a word or a line, found in one merged text.
pub(crate) fn complaints(base: &[Line], ours: &[Line], theirs: &[Line], merged: &str) -> Vec<String> {
    let mut found = Vec::new();
    let counts = count(merged.split_whitespace());
    let known: HashSet<&str> = words_of(base).chain(words_of(ours)).chain(words_of(theirs)).collect();
    let in_base: HashSet<&str> = words_of(base).collect();
    let in_ours: HashSet<&str> = words_of(ours).collect();
    let in_theirs: HashSet<&str> = words_of(theirs).collect();
    for word in counts.keys().filter(|word| !known.contains(*word)) {
        found.push(format!("broken word {word}"));
    }
    for word in &known {
        let times = counts.get(word).copied().unwrap_or(0);
        let is_new = !in_base.contains(word);
        let is_kept = in_ours.contains(word) && in_theirs.contains(word);
        if (is_new || is_kept) && times == 0 {
            found.push(format!("lost {word}"));
        }
        if is_new && times > 1 {
            found.push(format!("doubled {word}"));
        }
    }
    check_lines(base, ours, theirs, merged, &mut found);
    if merged.contains("<<<<<<<") {
        found.push("conflict markers".into());
    }
    found
}

pub(crate) fn words_of(lines: &[Line]) -> impl Iterator<Item = &str> {
    lines.iter().flat_map(|line| line.words.iter().map(String::as_str))
}

pub(crate) fn count<'a>(words: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// A line that only one side touched stands exactly as that side left it; one that nobody touched stands as it was.
fn check_lines(base: &[Line], ours: &[Line], theirs: &[Line], merged: &str, found: &mut Vec<String>) {
    let lines = count(merged.lines().map(|line| line.trim_end_matches('\r')));
    let times = |line: &Line| lines.get(line.text().as_str()).copied().unwrap_or(0);
    let version = |side: &[Line], at: usize| side.iter().find(|line| line.base == Some(at)).cloned();
    for side in [ours, theirs] {
        for line in side.iter().filter(|line| line.base.is_none() && !line.words.is_empty()) {
            if times(line) != 1 {
                found.push(format!("new line {:?} stands {} times", line.text(), times(line)));
            }
        }
    }
    for (at, line) in base.iter().enumerate().filter(|(_, line)| !line.words.is_empty()) {
        let expected = match (version(ours, at), version(theirs, at)) {
            (Some(a), Some(b)) if a == *line => Some(b),
            (Some(a), Some(b)) if b == *line => Some(a),
            (Some(a), None) | (None, Some(a)) if a != *line => Some(a),
            (Some(_), Some(_)) => None,
            _ => {
                if times(line) != 0 {
                    found.push(format!("deleted line {:?} is back", line.text()));
                }
                None
            }
        };
        if let Some(expected) = expected
            && times(&expected) != 1
        {
            found.push(format!("line {:?} stands {} times", expected.text(), times(&expected)));
        }
    }
}

/// Lines that one side wrote one below the other, and that are not so any more.
pub(crate) fn torn_blocks(side: &[Line], merged: &str) -> Vec<String> {
    let lines: Vec<&str> = merged.lines().collect();
    let is_new = |line: &Line| line.base.is_none() && !line.words.is_empty();
    let mut found = Vec::new();
    for pair in side.windows(2).filter(|pair| pair.iter().all(is_new)) {
        let [first, second] = [&pair[0], &pair[1]].map(Line::text);
        let at = lines.iter().position(|line| *line == first);
        if at.and_then(|at| lines.get(at + 1)) != Some(&second.as_str()) {
            found.push(format!("{second:?} does not follow {first:?}"));
        }
    }
    found
}

/// Merged lines with a new word that are neither side's line, nor both sides' changes of one line put together whole.
fn woven_lines(case: &Case, merged: &str) -> Vec<String> {
    let in_base: HashSet<&str> = words_of(&case.base).collect();
    let is_new = |word: &&str| !in_base.contains(word);
    let whole: HashSet<String> = case.ours.iter().chain(&case.theirs).map(Line::text).collect();
    let mut found = Vec::new();
    for line in merged.lines().filter(|line| !whole.contains(*line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !words.iter().any(is_new) {
            continue;
        }
        let holds = |side: &Line| {
            let own: Vec<&str> = side.words.iter().map(String::as_str).collect();
            let kept: Vec<&str> = words.iter().copied().filter(|word| own.contains(word)).collect();
            let mut rest = own.iter();
            kept.iter().all(|word| rest.any(|next| next == word))
                && own.iter().filter(|word| is_new(word)).all(|word| kept.contains(word))
        };
        let is_sound = case.ours.iter().filter(|line| line.base.is_some()).any(|ours| {
            let theirs = case.theirs.iter().find(|line| line.base == ours.base);
            let known =
                |word: &&str, theirs: &Line| ours.words.iter().chain(&theirs.words).any(|own| own == word);
            theirs.is_some_and(|theirs| {
                holds(ours) && holds(theirs) && words.iter().all(|word| known(word, theirs))
            })
        });
        if !is_sound {
            found.push(format!("woven line {line:?}"));
        }
    }
    found
}

/// A base and two sides, as lines and as texts.
pub(crate) struct Case {
    pub(crate) base: Vec<Line>,
    pub(crate) ours: Vec<Line>,
    pub(crate) theirs: Vec<Line>,
    pub(crate) texts: [String; 3],
}

pub(crate) fn case(seed: u64) -> Case {
    let (mut random, mut words) = (Random::new(seed), Words::default());
    let base = base(&mut random, &mut words);
    let ours = edit(&base, &mut random, &mut words, 'a');
    let theirs = edit(&base, &mut random, &mut words, 'p');
    let ending = if random.chance(15) { "\r\n" } else { "\n" };
    let mut text = |lines: &[Line]| print(lines, ending, !random.chance(10));
    let texts = [text(&base), text(&ours), text(&theirs)];
    Case { base, ours, theirs, texts }
}

#[test]
fn no_word_is_lost_broken_doubled_or_woven() {
    for seed in 0..CASES {
        let case = case(seed);
        let [base, ours, theirs] = &case.texts;
        if theirs.is_empty() {
            continue; // An empty file is an editor in the middle of a save; it has a test of its own.
        }
        let merged = merge(base, ours, theirs).text;
        let mut found = complaints(&case.base, &case.ours, &case.theirs, &merged);
        found.extend(torn_blocks(&case.ours, &merged));
        found.extend(torn_blocks(&case.theirs, &merged));
        found.extend(woven_lines(&case, &merged));
        assert!(
            found.is_empty(),
            "seed {seed}: {found:?}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}\n--- merged\n{merged}"
        );
    }
}
