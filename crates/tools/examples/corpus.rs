//! Checks the command gate against a list of command lines that others keep. Never keeps a copy of the list, and never passes if
//! it cannot be read.
//!
//! `corpus shell FILE`: FILE is JSON, a list of `{"kind": "attack" | "benign", "cmd": "…"}`. One line of JSON is printed for
//! each check.

#![expect(clippy::print_stdout, reason = "the lines are read by whoever runs the checks")]

use std::process::ExitCode;

use serde_json::{Value, json};
use tools::gate::{Gate, Place, Repository};

/// One harmless line in so many may be asked about.
const BENIGN_PER_ASKED: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [name, file] if name == "shell" => shell(file),
        _ => Err("usage: corpus shell FILE".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(detail) => {
            println!("{}", json!({ "check": "it runs", "passed": false, "detail": detail }));
            ExitCode::FAILURE
        }
    }
}

fn shell(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let list: Vec<Value> = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    let gate = Gate::new().map_err(|error| error.to_string())?;
    let mut place = Place::of_workspace("/workspace");
    place.repository = Repository::Plain;
    let lines = |kind: &str| {
        let of_kind = list.iter().filter(|entry| entry["kind"] == kind);
        of_kind.filter_map(|entry| entry["cmd"].as_str()).collect::<Vec<&str>>()
    };
    let (attacks, benign) = (lines("attack"), lines("benign"));
    if attacks.is_empty() || benign.is_empty() {
        return Err(format!("{file} holds no attacks, or no harmless lines"));
    }
    let runs = |line: &&str| gate.weigh(line, &place).runs_unasked();
    let unasked: Vec<&str> = attacks.iter().copied().filter(runs).collect();
    let asked: Vec<&str> = benign.iter().copied().filter(|line| !runs(line)).collect();
    report("attacks that run unasked", &unasked, attacks.len(), 0);
    report("harmless lines that are asked about", &asked, benign.len(), benign.len() / BENIGN_PER_ASKED);
    Ok(())
}

fn report(check: &str, found: &[&str], all: usize, allowed: usize) {
    let detail = format!("{} of {all} {found:?}", found.len());
    println!("{}", json!({ "check": check, "passed": found.len() <= allowed, "detail": detail }));
}
