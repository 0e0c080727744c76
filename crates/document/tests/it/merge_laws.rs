//! What holds of every merge and of every diff, whatever the texts say: with words that occur once, and with everyday words.

use std::collections::{HashMap, HashSet};

use document::diff::{Hunk, diff, diff_lines, unified};
use document::merge::{merge, merge_into};

use crate::generate::markdown;
use crate::merge_random::{Case, case, count, edit, words_of};
use crate::random::{Line, Random, Words, print};

const CASES: u64 = 20_000;

const VOCABULARY: &[&str] = &[
    "the", "a", "of", "to", "and", "is", "in", "it", "we", "you", "plan", "test", "file", "line", "text",
    "word", "agent", "person", "write", "read", "merge", "save", "open", "close", "first", "then", "next",
    "done", "-", "- [ ]", "###", "**note**", "`code`", "| 1 |", "é", "日本",
];

/// A text of everyday words, in which lines and blank lines occur again and again.
fn everyday(random: &mut Random) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for _ in 0..random.between(1, 20) {
        let words = match random.below(10) {
            0..=2 => Vec::new(),
            3 | 4 if !lines.is_empty() => lines[random.below(lines.len())].words.clone(),
            _ => (0..random.between(1, 6)).map(|_| everyday_word(random)).collect(),
        };
        lines.push(Line { base: None, words });
    }
    for (at, line) in lines.iter_mut().enumerate() {
        line.base = Some(at);
    }
    lines
}

fn everyday_word(random: &mut Random) -> String {
    (*random.pick(VOCABULARY)).to_owned()
}

/// Edits as in the other tests, with each new word exchanged for an everyday one.
fn everyday_edit(lines: &[Line], random: &mut Random) -> Vec<Line> {
    let mut lines = edit(lines, random, &mut Words::default(), '\u{1}');
    for word in lines.iter_mut().flat_map(|line| &mut line.words) {
        if word.starts_with('\u{1}') {
            *word = everyday_word(random);
        }
    }
    lines
}

fn everyday_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let base = everyday(&mut random);
    let ours = everyday_edit(&base, &mut random);
    let theirs = everyday_edit(&base, &mut random);
    let texts = [&base, &ours, &theirs].map(|lines| print(lines, "\n", !random.chance(10)));
    Case { base, ours, theirs, texts }
}

/// Runs a law over many cases of both kinds.
fn check(law: fn(&str, &str, &str) -> Result<(), String>) {
    for seed in 0..CASES {
        for case in [case(seed), everyday_case(seed)] {
            let [base, ours, theirs] = &case.texts;
            if theirs.is_empty() || ours.is_empty() {
                continue; // An empty file is an editor in the middle of a save.
            }
            if let Err(complaint) = law(base, ours, theirs) {
                panic!("seed {seed}: {complaint}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}");
            }
        }
    }
}

fn same(what: &str, left: &str, right: &str) -> Result<(), String> {
    if left == right {
        return Ok(());
    }
    Err(format!("{what}\n--- one\n{left}\n--- other\n{right}"))
}

#[test]
fn what_one_side_alone_did_is_the_result() {
    check(|base, ours, theirs| {
        same("both the same", &merge(base, ours, ours).text, ours)?;
        same("only the person", &merge(base, base, theirs).text, theirs)?;
        same("only the agent", &merge(base, ours, base).text, ours)
    });
}

/// A flush that is merged twice: the agent's answer stands below whatever the person did, and the second time nothing happens.
/// Where both changed one passage, and its two versions stand one below the other, a further merge cannot know which was meant.
#[test]
fn merging_a_result_again_changes_nothing() {
    for seed in 0..5 * CASES {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let lines = crate::random::base(&mut random, &mut words);
        let answer: Vec<Line> = (0..random.between(1, 4)).map(|_| words.line(&mut random, 'a')).collect();
        let edited = edit(&lines, &mut random, &mut words, 'p');
        if lines.iter().chain(&edited).any(|line| line.words.is_empty()) {
            continue; // Of several blank lines nobody can say which one was there before.
        }
        let (theirs, base) = (print(&edited, "\n", true), print(&lines, "\n", true));
        let ours = print(&[lines, answer].concat(), "\n", true);
        if theirs.is_empty() {
            continue;
        }
        let merged = merge(&base, &ours, &theirs).text;
        let again = [
            same("merged as ours", &merge(&base, &merged, &theirs).text, &merged),
            same("merged as theirs", &merge(&base, &ours, &merged).text, &merged),
            same("merged thrice", &merge(&merged, &merged, &merged).text, &merged),
        ];
        if let Some(complaint) = again.into_iter().find_map(Result::err) {
            panic!("seed {seed}: {complaint}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}");
        }
    }
}

/// Where both changed the same passages again and again, a merge of a result with one of its own sides is right in all but a few
/// of a hundred cases. The living document never does this; the bound keeps it from getting worse.
#[test]
fn merging_any_result_again_seldom_changes_anything() {
    for (kind, percent_max) in [(case as fn(u64) -> Case, 4), (everyday_case, 6)] {
        let (mut merges, mut changed) = (0, 0);
        for seed in 0..CASES {
            let case = kind(seed);
            let [base, ours, theirs] = &case.texts;
            if theirs.is_empty() || ours.is_empty() {
                continue;
            }
            let merged = merge(base, ours, theirs).text;
            merges += 2;
            changed += usize::from(merge(base, &merged, theirs).text != merged);
            changed += usize::from(merge(base, ours, &merged).text != merged);
        }
        println!("{changed} of {merges} merges made again change something");
        assert!(changed * 100 <= merges * percent_max, "{changed} of {merges}");
    }
}

#[test]
fn exchanging_the_sides_changes_only_the_order() {
    check(|base, ours, theirs| {
        let (one, other) = (merge(base, ours, theirs).text, merge(base, theirs, ours).text);
        let (one_words, other_words) = (count(one.split_whitespace()), count(other.split_whitespace()));
        if one_words == other_words {
            return Ok(());
        }
        same("the words differ", &one, &other)
    });
}

#[test]
fn three_writers_may_come_in_any_order() {
    for seed in 0..CASES {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let lines = crate::random::base(&mut random, &mut words);
        let sides: Vec<Vec<Line>> =
            ['a', 'c', 'p'].map(|owner| edit(&lines, &mut random, &mut words, owner)).into();
        let base = print(&lines, "\n", true);
        let [first, second, person] = [0, 1, 2].map(|at: usize| print(&sides[at], "\n", true));
        if [&first, &second, &person].iter().any(|text| text.is_empty()) {
            continue;
        }
        let old: HashSet<&str> = words_of(&lines).collect();
        let new: HashSet<&str> =
            sides.iter().flat_map(|side| words_of(side)).filter(|word| !old.contains(word)).collect();
        for (one, other) in [(&first, &second), (&second, &first)] {
            let merged = merge(&base, &merge(&base, one, &person).text, other).text;
            let times = count(merged.split_whitespace());
            let wrong: Vec<&&str> = new.iter().filter(|word| times.get(**word) != Some(&1)).collect();
            assert!(
                wrong.is_empty(),
                "seed {seed}: {wrong:?}\n--- base\n{base}\n--- one\n{one}\n--- other\n{other}\n--- person\n{person}\n--- merged\n{merged}"
            );
        }
    }
}

/// Which words a side touched: those of lines that it added, removed or changed.
fn touched<'a>(base: &'a [Line], side: &'a [Line]) -> HashSet<&'a str> {
    let kept = |lines: &[Line], line: &Line| line.base.is_some() && lines.contains(line);
    let gone = base.iter().filter(|line| !kept(side, line));
    let come = side.iter().filter(|line| !kept(base, line));
    gone.chain(come).flat_map(|line| line.words.iter().map(String::as_str)).collect()
}

/// A word that one side wrote, and that stands in nothing that the other side touched, is there as often as that side has it.
#[test]
fn everyday_words_are_not_lost() {
    let mut checked = 0;
    for seed in 0..CASES {
        let case = everyday_case(seed);
        let [base, ours, theirs] = &case.texts;
        if theirs.is_empty() {
            continue;
        }
        let merged = merge(base, ours, theirs).text;
        let times: HashMap<&str, usize> = count(merged.split_whitespace());
        for (side, other) in [(&case.ours, &case.theirs), (&case.theirs, &case.ours)] {
            let foreign: HashSet<&str> =
                touched(&case.base, other).into_iter().flat_map(str::split_whitespace).collect();
            let in_base = count(words_of(&case.base).flat_map(str::split_whitespace));
            for (word, expected) in count(words_of(side).flat_map(str::split_whitespace)) {
                let is_new = expected > in_base.get(word).copied().unwrap_or(0);
                if !is_new || foreign.contains(word) {
                    continue;
                }
                checked += 1;
                let found = times.get(word).copied().unwrap_or(0);
                assert!(
                    found >= expected,
                    "seed {seed}: {word:?} stands {found} times, not {expected}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}\n--- merged\n{merged}"
                );
            }
        }
    }
    assert!(checked > CASES, "{checked} words are too few to say anything");
}

fn applied(old: &str, new: &str, hunks: &[Hunk]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for hunk in hunks {
        text.push_str(&old[at..hunk.old.start]);
        text.push_str(&new[hunk.new.clone()]);
        at = hunk.old.end;
    }
    text.push_str(&old[at..]);
    text
}

fn check_diff(old: &str, new: &str) -> Result<(), String> {
    same("words", &applied(old, new, &diff(old, new)), new)?;
    same("lines", &applied(old, new, &diff_lines(old, new)), new)?;
    for context in [0, 3] {
        same("unified", &patched(old, &unified(old, new, context)), new)?;
    }
    Ok(())
}

/// The old text with a unified diff applied to it, as a program that reads one does it.
fn patched(old: &str, diff: &str) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut at = 0;
    let mut rest = diff.split_inclusive('\n').peekable();
    while let Some(line) = rest.next() {
        let (sign, mut content) = line.split_at(1);
        if rest.next_if(|next| next.starts_with('\\')).is_some() {
            content = content.strip_suffix('\n').unwrap();
        }
        match sign {
            "@" => {
                let (start, count) = heading(line);
                let to = if count == 0 { start } else { start - 1 };
                text.extend(lines[at..to].iter().copied());
                at = to;
            }
            "+" => text.push_str(content),
            sign => {
                assert_eq!(lines[at], content, "{diff}");
                text.push_str(if sign == " " { content } else { "" });
                at += 1;
            }
        }
    }
    text.extend(lines[at..].iter().copied());
    text
}

fn heading(line: &str) -> (usize, usize) {
    let old = line.split(['-', ' ']).nth(2).unwrap();
    let (start, count) = old.split_once(',').unwrap_or((old, "1"));
    (start.parse().unwrap(), count.parse().unwrap())
}

#[test]
fn a_diff_makes_the_new_text_of_the_old_one() {
    check(|base, ours, theirs| {
        check_diff(base, ours)?;
        check_diff(ours, theirs)
    });
    for seed in 0..CASES {
        // Texts that have nothing to do with each other, with lone carriage returns and every other oddity.
        let (old, new) = (markdown(seed), markdown(seed + CASES));
        if let Err(complaint) = check_diff(&old, &new) {
            panic!("seed {seed}: {complaint}\n--- old\n{old}\n--- new\n{new}");
        }
    }
}

#[test]
fn a_merge_into_the_agents_own_text_is_the_same_merge() {
    check(|base, ours, theirs| {
        let (into, anew) = (merge_into(base, ours.to_owned(), theirs), merge(base, ours, theirs));
        same("the text", &into.text, &anew.text)?;
        if into.notices == anew.notices { Ok(()) } else { Err("the notices differ".to_owned()) }
    });
}
