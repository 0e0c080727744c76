//! Weighed commands under the rules of people. Never tests the rules themselves; the crate that holds them does.

use agent::message::ToolCall;
use agent::permission::{Mode, Places, Policy, Scope, Verdict, parse_rules};
use tools::gate::{Gate, Place, Repository};

/// `allow`, `ask` or `deny`, for a command under rules.
fn verdict(rules: &str, line: &str) -> &'static str {
    let mut place = Place::of_workspace("/srv/project");
    place.home = Some("/srv/ada".to_owned());
    place.repository = Repository::Plain;
    let gate = Gate::new().unwrap();
    let claim = gate.claim(&gate.weigh(line, &place));
    let places = Places {
        project: "/srv/project".to_owned(),
        home: place.home,
        current: "/srv/project".to_owned(),
        also: Vec::new(),
    };
    let policy = Policy::new(Mode::Default, places, parse_rules(rules, Scope::Local).unwrap());
    let call =
        ToolCall { id: "1".to_owned(), name: "Bash".to_owned(), input: "{}".to_owned(), verbatim: None };
    match policy.weigh(call, claim) {
        Verdict::Allowed(permit) => {
            assert_eq!(permit.claim().command.as_ref().unwrap().text, line);
            "allow"
        }
        Verdict::MustAsk(_) => "ask",
        Verdict::Refused(_) => "deny",
    }
}

fn check(rules: &str, expected: &str, lines: &[&str]) {
    for line in lines {
        assert_eq!(verdict(rules, line), expected, "{line}");
    }
}

#[test]
fn reading_runs_without_a_rule_and_nothing_else_does() {
    check("", "allow", &["ls", "git status", "LC_ALL=C sort a | head", "echo $HOME", "timeout 5 ls"]);
    check(
        "",
        "ask",
        &["rm x", "A=1 ls", "cat /etc/passwd", "cat .env", "ls > x", "ls $x", "sudo ls", "ls & ls"],
    );
}

#[test]
fn a_rule_against_a_program_holds_however_it_is_written() {
    let lines = [
        "rm x",
        "r\\m -rf x",
        "X=1 rm x",
        "env rm x",
        "timeout 5 rm x",
        "command rm x",
        "\"rm\" x",
        "/bin/rm x",
        "./rm x",
        "ls && rm x",
        "ls | xargs rm -f",
        "sudo -u root rm x",
        "bash -c 'rm x'",
        "sh -ec \"rm x\"",
        "eval 'rm x'",
        "echo $(rm x)",
        "echo \"$(rm x)\"",
        "echo `rm x`",
        "cat <(rm x)",
        "(rm x)",
        "{ rm x; }",
        "if true; then rm x; fi",
        "for f in *; do rm $f; done",
        "find . -exec rm {} +",
        "f() { rm x; }; f",
        "coproc rm x",
        "! rm x",
        "time rm x",
        "r\\\nm x",
        "$'\\x72m' x",
        "ls & rm x",
        "cat <<E\n$(rm x)\nE",
        "nice nohup setsid rm x",
        "env -S 'rm x'",
        "trap 'rm x' EXIT",
        "exec rm x",
        "builtin command rm x",
        "rm x )",
        "echo 'x\nrm x",
        "parallel rm ::: x",
        "bash -c 'bash -c \"rm x\"'",
        "A=$(rm x) ls",
        "ls > $(rm x)",
    ];
    check("deny Bash(rm *)", "deny", &lines);
    let padded = format!("{}rm x", "true && ".repeat(60));
    check("deny Bash(rm *)\nallow Bash(true)", "deny", &[&padded]);
}

#[test]
fn a_rule_against_a_subcommand_holds_behind_other_options() {
    let lines = [
        "git push",
        "git -C x push origin",
        "git -c a=b push",
        "git --git-dir=x push",
        "git --git-dir x --no-pager push",
    ];
    check("deny Bash(git push *)", "deny", &lines);
    check("deny Bash(git push *)", "allow", &["git status"]);
}

#[test]
fn a_rule_that_allows_covers_what_it_says_and_no_more() {
    let rules = "allow Bash(cargo build *)\nallow Bash(ls *)\nallow Bash(echo *)";
    check(
        rules,
        "allow",
        &[
            "cargo build --release",
            "cd src && cargo build",
            "cargo build 2>&1 | tail -5",
            "timeout 60 cargo build",
        ],
    );
    let asked = [
        "cargo publish",
        "cargo build && rm x",
        "cargo build; curl x | sh",
        "cargo build $(rm x)",
        "cargo build > log",
        "RUSTC_WRAPPER=x cargo build",
        "cargo build &",
        "sudo cargo build",
        "./cargo build",
        "cargo build `x`",
        "cargo build\nrm x",
        "cargo +nightly build",
        "cargo build \u{202e}",
        "cargo build <<< x",
        "lsof",
        "echo a > src/main.rs",
        "cargo build $x",
    ];
    check(rules, "ask", &asked);
    check(rules, "allow", &["echo a >/dev/null 2>&1"]);
}

#[test]
fn deny_stands_before_ask_and_ask_before_allow() {
    let rules = "deny Bash(git push *)\nask Bash(git *)\nallow Bash(git push origin *)";
    check(rules, "deny", &["git push origin main"]);
    check(rules, "ask", &["git status"]);
}

#[test]
fn a_rule_against_a_path_holds_for_the_words_of_a_command() {
    let rules = "deny Read(./.env)\ndeny Read(//etc/**)\ndeny Read(~/.ssh/**)\ndeny Edit(src/**)";
    let lines = [
        "cat .env",
        "cat ./src/../.env",
        "cat /srv/project/.env",
        "cat < .env",
        "grep x .env",
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "cat \"/etc\"/passwd",
        "head -n1 /etc/../etc/passwd",
        "cp .env x",
        "python3 x.py --file=.env",
        "cat src/../.ENV",
        "echo x > src/main.rs",
        "echo x >> ./src/a/b",
    ];
    check(rules, "deny", &lines);
}

#[test]
fn a_path_outside_can_be_allowed_by_a_rule_about_reading() {
    check("allow Read(//usr/include/**)", "allow", &["cat /usr/include/stdio.h"]);
    check(
        "allow Read(//usr/include/**)",
        "ask",
        &["cat /usr/include/stdio.h /etc/passwd", "cat /usr/include/../../etc/passwd"],
    );
}

#[test]
fn a_rule_for_one_command_is_none_for_another_that_resembles_it() {
    let rules = "allow Bash(git status)\nallow Bash(cargo build)";
    check(rules, "allow", &["git status", "cargo build"]);
    let lines = [
        "git status --x",
        "git -c core.fsmonitor=x status",
        "git -C ../other status",
        "git --git-dir=../other/.git status",
        "cd other && git status",
        "(cd other; git status)",
        "GIT_DIR=other/.git git status",
        "cargo build --config x",
        "CARGO_HOME=x cargo build",
        "cargo\u{a0}build",
        "\u{441}argo build",
        "cargo bui\u{200b}ld",
        "cargo build\r",
        "./cargo build",
        "cargo build;",
        "cargo build \\",
    ];
    let asked = lines.iter().filter(|line| verdict(rules, line) != "ask").collect::<Vec<_>>();
    // A separator that ends a command changes nothing about it.
    assert_eq!(asked, [&"cargo build;"]);
}
