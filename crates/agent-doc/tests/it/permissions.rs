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
    check(
        &scratch,
        &["list"],
        expect![[r#"
        exit 0
        no rules; commands that only read run unasked, and all others are asked about
    "#]],
    );
    check(
        &scratch,
        &["check", "ls -la | head"],
        expect![[r#"
        exit 0
        allow
          allow  ls -la
          allow  head
    "#]],
    );
    check(
        &scratch,
        &["check", "cd src && cargo build > log"],
        expect![[r#"
        exit 10
        ask
          allow  cd src
          ask    cargo build > log
                 would be written: `log`
                 not on the list of programs that only read: `cargo`
          'Always allow' would add: allow Bash(cargo build *)
          'Always allow' would add: allow Edit(/log)
          'Always allow' would add: allow Edit(/src/log)
    "#]],
    );
    check(
        &scratch,
        &["check", "cat .env"],
        expect![[r#"
        exit 10
        ask
          ask    cat .env
                 likely to hold a secret: `.env`
          'Always allow' would add: allow Bash(cat .env)
    "#]],
    );
}

#[test]
fn a_rule_is_added_listed_and_removed() {
    let scratch = project();
    check(
        &scratch,
        &["add", "allow Bash(cargo build *)"],
        expect![[r#"
        exit 0
        allow Bash(cargo build *): added to FOLDER/home/.config/agent-doc/projectsFOLDER/project/permissions.rules
    "#]],
    );
    check(
        &scratch,
        &["add", "allow Bash(cargo build *)"],
        expect![[r#"
        exit 0
        allow Bash(cargo build *): already stands in FOLDER/home/.config/agent-doc/projectsFOLDER/project/permissions.rules
    "#]],
    );
    check(
        &scratch,
        &["add", "deny Bash(rm *)", "--scope", "user"],
        expect![[r#"
        exit 0
        deny Bash(rm *): added to FOLDER/home/.config/agent-doc/permissions.rules
    "#]],
    );
    check(
        &scratch,
        &["list"],
        expect![[r#"
        exit 0
        FOLDER/home/.config/agent-doc/permissions.rules (yours, in all projects)
          deny Bash(rm *)
        FOLDER/home/.config/agent-doc/projectsFOLDER/project/permissions.rules (yours, in this project)
          allow Bash(cargo build *)
    "#]],
    );
    check(
        &scratch,
        &["remove", "deny Bash(rm *)"],
        expect![[r#"
        exit 0
        deny Bash(rm *): removed from FOLDER/home/.config/agent-doc/permissions.rules
    "#]],
    );
    check(
        &scratch,
        &["remove", "deny Bash(rm *)"],
        expect![[r#"
        exit 2
        ! error: the rule 'deny Bash(rm *)' stands nowhere
        !   help: see 'agent-doc permissions list'
    "#]],
    );
}

#[test]
fn rules_decide_part_by_part() {
    let scratch = project();
    run(&scratch, &["add", "allow Bash(cargo build *)"]);
    run(&scratch, &["add", "deny Bash(rm *)", "--scope", "user"]);
    run(&scratch, &["add", "ask Bash(git *)", "--scope", "project"]);
    assert_eq!(code(&scratch, "cargo build --release"), 0);
    assert_eq!(code(&scratch, "git status"), 10);
    assert_eq!(code(&scratch, "cargo publish"), 10);
    assert_eq!(code(&scratch, "cargo build; \"r\"m x"), 11);
    check(
        &scratch,
        &["check", "cargo build && sudo rm x"],
        expect![[r#"
        exit 11
        deny
          allow  cargo build
                 by the rule 'allow Bash(cargo build *)'
                 not on the list of programs that only read: `cargo`
          deny   sudo rm x
                 by the rule 'deny Bash(rm *)'
                 runs another program with what it is given: `sudo`
          deny   sudo > rm x
                 by the rule 'deny Bash(rm *)'
                 not on the list of programs that only read: `rm`
    "#]],
    );
}

#[test]
fn a_project_cannot_allow_anything() {
    let scratch = project();
    check(
        &scratch,
        &["add", "allow Bash(ls *)", "--scope", "project"],
        expect![[r#"
        exit 2
        ! error: 'allow Bash(ls *)' is no rule: a rule that comes with the project cannot allow; put it into your own rules
        !   help: write it like 'allow Bash(cargo test *)' or 'deny Read(~/.ssh/**)'
    "#]],
    );
    fs::write(scratch.path("project/.agent-doc/permissions.rules"), "# ours\nallow Bash\n").unwrap();
    check(
        &scratch,
        &["check", "ls"],
        expect![[r#"
        exit 2
        ! error: FOLDER/project/.agent-doc/permissions.rules, line 2: a rule that comes with the project cannot allow; put it into your own rules
        !   help: mend the line; nothing is allowed until every rule is understood
    "#]],
    );
}

#[test]
fn a_file_that_is_not_understood_allows_nothing() {
    let scratch = project();
    let settings = scratch.path("home/.config/agent-doc");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("permissions.rules"), "deny Bash(rm *)\nallow Write(src)\n").unwrap();
    check(
        &scratch,
        &["check", "ls"],
        expect![[r#"
        exit 2
        ! error: FOLDER/home/.config/agent-doc/permissions.rules, line 2: `Write` takes no path; `Edit(path)` covers all tools that do the same to files
        !   help: mend the line; nothing is allowed until every rule is understood
    "#]],
    );
    check(
        &scratch,
        &["add", "let it be"],
        expect![[r#"
        exit 2
        ! error: 'let it be' is no rule: `let` is no kind of rule; begin the line with `deny`, `ask` or `allow`
        !   help: write it like 'allow Bash(cargo test *)' or 'deny Read(~/.ssh/**)'
    "#]],
    );
}

#[test]
fn a_program_reads_the_same_as_json() {
    let scratch = project();
    run(&scratch, &["add", "deny Bash(rm *)"]);
    check(
        &scratch,
        &["check", "ls; rm \u{1b}x", "--json"],
        expect![[r#"
        exit 11
        {
          "command": "ls; rm \u001bx",
          "shown": "ls; rm \\u{1b}x",
          "verdict": "deny",
          "rule": "deny Bash(rm *)",
          "reasons": [
            "the character \\u{1b} is hidden or misleading"
          ],
          "parts": [
            {
              "text": "ls",
              "program": "ls",
              "wrappers": [],
              "verdict": "allow",
              "rule": null,
              "scope": null,
              "reasons": []
            },
            {
              "text": "rm \u001bx",
              "program": "rm",
              "wrappers": [],
              "verdict": "deny",
              "rule": "deny Bash(rm *)",
              "scope": "local",
              "reasons": [
                "not on the list of programs that only read: `rm`"
              ]
            }
          ],
          "always": []
        }
    "#]],
    );
}
