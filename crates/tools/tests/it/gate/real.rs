//! The lists against a real bash. Never trusts the gate about itself.

use std::time::Duration;

use tools::gate::Gate;

use super::attacks::{OTHERS, PROVEN};
use super::benign::BENIGN;
use super::scratch::Scratch;

#[test]
fn no_attack_runs_unasked() {
    let (gate, scratch) = (Gate::new().unwrap(), Scratch::new());
    let unasked: Vec<&&str> =
        PROVEN.iter().chain(OTHERS).filter(|line| scratch.weigh(&gate, line).runs_unasked()).collect();
    assert!(unasked.is_empty(), "{unasked:#?}");
}

#[test]
fn every_attack_of_the_first_list_is_one() {
    let scratch = Scratch::new();
    let harmless: Vec<&&str> = PROVEN.iter().filter(|line| !is_attack(&scratch.copied(), line)).collect();
    assert!(harmless.is_empty(), "{harmless:#?}");
}

fn is_attack(scratch: &Scratch, line: &str) -> bool {
    let victim = scratch.root().join("victim");
    let before = std::fs::read(&victim).unwrap();
    scratch.run(line);
    let is_done = || {
        let appeared = scratch.root().join("PWNED").symlink_metadata().is_ok();
        appeared || std::fs::read(&victim).ok().as_ref() != Some(&before)
    };
    // The shell does not wait for what it started beside itself.
    (0..500).any(|_| {
        is_done() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    })
}

#[test]
fn at_most_one_harmless_line_in_twenty_asks() {
    let (gate, scratch) = (Gate::new().unwrap(), Scratch::new());
    let asked: Vec<String> = BENIGN
        .iter()
        .map(|line| scratch.weigh(&gate, line))
        .filter(|weighed| !weighed.runs_unasked())
        .map(|weighed| format!("{}: {:?}", weighed.text, weighed.all_reasons().collect::<Vec<_>>()))
        .collect();
    assert!(asked.len() * 20 <= BENIGN.len(), "{} of {}: {asked:#?}", asked.len(), BENIGN.len());
}

#[test]
fn what_runs_unasked_changes_no_file() {
    let (gate, scratch) = (Gate::new().unwrap(), Scratch::new());
    let before = scratch.state();
    for line in BENIGN.iter().filter(|line| scratch.weigh(&gate, line).runs_unasked()) {
        scratch.run(line);
        assert!(scratch.state() == before, "{line}");
    }
}
