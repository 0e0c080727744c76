//! Lines glued together from the lists and broken in random places. Never mind what they mean: whatever the gate lets through is
//! really run, and must change nothing.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tools::gate::Gate;

use super::attacks::{OTHERS, PROVEN};
use super::benign::BENIGN;
use super::scratch::Scratch;

/// What makes two lines one, or breaks one into two.
const GLUE: &[&str] = &[
    " && ",
    " || ",
    " | ",
    "; ",
    "\n",
    " & ",
    " ",
    "",
    " '",
    "'",
    " \"",
    "\"",
    "`",
    " $(",
    ")",
    " (",
    "{ ",
    " }",
    " # ",
    "#",
    "\\",
    "\\\n",
    " > ",
    " >/dev/null ",
    " 2>&1 ",
    " < ",
    " <<E\n",
    " <<< ",
    "$",
    "${",
    "}",
    "*",
    " -",
    " --",
    " -- ",
    "=",
    "!",
    " ! ",
    "[",
    "]",
    "~",
    ",",
    "\t",
    " -o ",
    " -e ",
    " -n ",
    " -i ",
    "$'",
    " \\; ",
    " PWNED ",
    " touch PWNED ",
    "$IFS",
    "\u{a0}",
    "w PWNED",
    "/e",
];

fn line() -> impl Strategy<Value = String> {
    let lists: Vec<&'static str> = BENIGN.iter().chain(PROVEN).chain(OTHERS).copied().collect();
    // Harmless lines more often, or next to nothing would be let through.
    prop_oneof![3 => prop::sample::select(BENIGN).prop_map(str::to_owned), 1 => prop::sample::select(lists).prop_map(str::to_owned)]
}

/// A piece of a line, cut at characters.
fn piece() -> impl Strategy<Value = String> {
    (line(), any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(line, from, to)| {
        let letters: Vec<char> = line.chars().collect();
        let (from, to) = (from.index(letters.len() + 1), to.index(letters.len() + 1));
        letters.get(from.min(to)..from.max(to)).unwrap_or_default().iter().collect()
    })
}

fn glued() -> impl Strategy<Value = String> {
    let part =
        prop_oneof![3 => line(), 1 => piece(), 2 => prop::sample::select(GLUE).prop_map(str::to_owned)];
    let words = prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat());
    // Or one line with something put into it, which is where most parsers break.
    let split =
        (line(), any::<prop::sample::Index>(), prop::sample::select(GLUE)).prop_map(|(line, at, glue)| {
            let letters: Vec<char> = line.chars().collect();
            let (before, after) = letters.split_at(at.index(letters.len() + 1));
            before.iter().chain(&glue.chars().collect::<Vec<char>>()).chain(after).collect::<String>()
        });
    prop_oneof![1 => words, 2 => split]
}

#[test]
fn whatever_is_let_through_changes_nothing_when_it_really_runs() {
    let (gate, template) = (Gate::new().unwrap(), Scratch::new());
    let scratch = RefCell::new((template.copied(), 0_u32));
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1500);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&glued(), |line| {
        let mut scratch = scratch.borrow_mut();
        let weighed = scratch.0.weigh(&gate, &line);
        prop_assert_eq!(&weighed.text, &line);
        if weighed.runs_unasked() {
            scratch.1 += 1;
            let before = scratch.0.state();
            scratch.0.run(&line);
            let after = scratch.0.state();
            if before != after {
                // Whoever shrinks the line needs a folder that nothing has changed yet.
                scratch.0 = template.copied();
                let changed = after
                    .iter()
                    .filter(|(path, text)| before.get(*path) != Some(*text))
                    .map(|(path, _)| path);
                prop_assert!(false, "{} changed {:?}", line, changed.collect::<Vec<_>>());
            }
        }
        Ok(())
    });
    let run = scratch.borrow().1;
    result.unwrap();
    println!("{run} of {cases} lines were let through and run");
    assert!(run > cases / 20, "too few lines were let through for this to prove anything");
}
