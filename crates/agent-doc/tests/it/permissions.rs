//! `agent-doc permissions`: rules in their files, and verdicts about commands.

use std::fs;
use std::process::Output;

use expect_test::{Expect, expect};

use crate::scratch::{Scratch, told};

/// A project in a folder of its own, and a person without any settings.
fn project() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("project/.agent-doc")).unwrap();
    fs::create_dir(scratch.path("home")).unwrap();
    scratch
}

fn run(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = scratch.command(&[&["permissions"], arguments].concat());
    command
        .current_dir(scratch.path("project"))
        .env("HOME", scratch.path("home"))
        .env_remove("XDG_CONFIG_HOME");
    command.output().unwrap()
}

/// All that is said, with the name of the folder taken out.
fn check(scratch: &Scratch, arguments: &[&str], expected: Expect) {
    let folder = scratch.path("").canonicalize().unwrap();
    let folder = folder.to_str().unwrap();
    let said = told(&run(scratch, arguments)).replace(folder.trim_start_matches('/'), "FOLDER");
    expected.assert_eq(&said.replace("/FOLDER", "FOLDER"));
}

fn code(scratch: &Scratch, command: &str) -> i32 {
    run(scratch, &["check", command]).status.code().unwrap()
}

#[test]
fn without_rules_reading_runs_and_the_rest_is_asked_about() {
    let scratch = project();
    check(&scratch, &["list"], expect![[""]]);
    check(&scratch, &["check", "ls -la | head"], expect![[""]]);
    check(&scratch, &["check", "cd src && cargo build > log"], expect![[""]]);
    check(&scratch, &["check", "cat .env ~/.ssh/id_rsa"], expect![[""]]);
}

#[test]
fn a_rule_is_added_listed_obeyed_and_removed() {
    let scratch = project();
    check(&scratch, &["add", "allow Bash(cargo build *)"], expect![[""]]);
    check(&scratch, &["add", "allow Bash(cargo build *)"], expect![[""]]);
    check(&scratch, &["add", "deny Bash(rm *)", "--scope", "user"], expect![[""]]);
    check(&scratch, &["add", "ask Bash(git *)", "--scope", "project"], expect![[""]]);
    check(&scratch, &["list"], expect![[""]]);
    assert_eq!(code(&scratch, "cargo build --release"), 0);
    assert_eq!(code(&scratch, "git status"), 10);
    assert_eq!(code(&scratch, "cargo publish"), 10);
    assert_eq!(code(&scratch, "cargo build; \"r\"m x"), 11);
    check(&scratch, &["check", "cargo build && sudo rm x"], expect![[""]]);
    check(&scratch, &["remove", "deny Bash(rm *)"], expect![[""]]);
    assert_eq!(code(&scratch, "rm x"), 10);
    check(&scratch, &["remove", "deny Bash(rm *)"], expect![[""]]);
}

#[test]
fn a_project_cannot_allow_anything() {
    let scratch = project();
    check(&scratch, &["add", "allow Bash(ls *)", "--scope", "project"], expect![[""]]);
    fs::write(scratch.path("project/.agent-doc/permissions.rules"), "# ours\nallow Bash\n").unwrap();
    check(&scratch, &["check", "ls"], expect![[""]]);
}

#[test]
fn a_file_that_is_not_understood_allows_nothing() {
    let scratch = project();
    fs::create_dir_all(scratch.path("home/.config/agent-doc")).unwrap();
    fs::write(
        scratch.path("home/.config/agent-doc/permissions.rules"),
        "deny Bash(rm *)\nallow Write(src)\n",
    )
    .unwrap();
    check(&scratch, &["check", "ls"], expect![[""]]);
    check(&scratch, &["add", "let it be"], expect![[""]]);
}

#[test]
fn a_program_reads_the_same_as_json() {
    let scratch = project();
    run(&scratch, &["add", "deny Bash(rm *)"]);
    check(&scratch, &["check", "ls; rm \u{202e}x", "--json"], expect![[""]]);
}
