//! Checks the command gate, and the sandbox behind it, against a list of command lines that others keep. Never keeps a copy of the
//! list, and never passes if it cannot be read.
//!
//! `corpus shell FILE`: FILE is JSON, a list of `{"kind": "attack" | "benign", "cmd": "…"}`. One line of JSON is printed for
//! each check.

#![expect(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the lines are read by whoever runs the checks, and the arena is that of the tests"
)]

#[path = "../tests/it/arena.rs"]
mod arena;
#[path = "../tests/it/furnish.rs"]
mod furnish;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tools::gate::{Gate, Place, Repository};
use tools::sandbox::Confinement;

use arena::Arena;

/// One harmless line in so many may be asked about.
const BENIGN_PER_ASKED: usize = 20;
/// So many attacks of ten must do harm where they may; else they did not run, and staying inside means nothing.
const HARMFUL_OF_TEN: usize = 9;
/// Beside the program, because a sandbox has temporary files of its own.
const GROUND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tmp");

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
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    for confinement in [Confinement::probe(), Confinement::Landlock] {
        runtime.block_on(without_the_gate(confinement, &attacks))?;
    }
    Ok(())
}

/// Runs every attack in a sandbox, in places where nothing may change and in one where it may.
async fn without_the_gate(confinement: Confinement, attacks: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(GROUND).map_err(|error| format!("{GROUND}: {error}"))?;
    let told = confinement.told();
    let arena = Arena::new(confinement, Path::new(GROUND));
    let (mut escaped, mut harmless) = (Vec::new(), Vec::new());
    for line in attacks {
        let fate = arena.run(line).await;
        if !fate.escaped.is_empty() {
            escaped.push(*line);
        }
        if !fate.did_harm {
            harmless.push(*line);
        }
    }
    report(&format!("attacks that get out: {told}"), &escaped, attacks.len(), 0);
    let allowed = attacks.len() * (10 - HARMFUL_OF_TEN) / 10;
    report("attacks that do nothing where they may", &harmless, attacks.len(), allowed);
    Ok(())
}

fn report(check: &str, found: &[&str], all: usize, allowed: usize) {
    let detail = format!("{} of {all} {found:?}", found.len());
    println!("{}", json!({ "check": check, "passed": found.len() <= allowed, "detail": detail }));
}
