//! Rules against calls, without a turn.

use agent::message::ToolCall;
use agent::permission::{
    Access, Behavior, Certainty, Claim, Command, CommandPart, Mode, PathAccess, PathClaim, Pattern, Policy,
    Rule, Scope, Verdict, parse_rules, visible, with_rule, without_rule,
};
use proptest::prelude::*;

use crate::kit::{command, places, policy};

fn call(tool: &str) -> ToolCall {
    ToolCall { id: "t".to_owned(), name: tool.to_owned(), input: "{}".to_owned(), verbatim: None }
}

fn verdict(policy: &Policy, tool: &str, claim: Claim) -> String {
    match policy.weigh(call(tool), claim) {
        Verdict::Allowed(_) => "allowed".to_owned(),
        Verdict::Refused(_) => "denied".to_owned(),
        Verdict::MustAsk(question) => {
            let patterns = question.always.into_iter().flatten().map(|pattern| pattern.to_string());
            format!("ask, offers {}", patterns.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Commands and what becomes of each under the rules.
fn check_commands(rules: &str, commands: &[(&str, &str)]) {
    let policy = policy(Mode::Default, rules);
    for (text, expected) in commands {
        let found = verdict(&policy, "Bash", command(text));
        assert!(found.starts_with(expected), "`{text}` is {found}, not {expected}");
    }
}

fn path(access: PathAccess, spellings: &[&str]) -> Claim {
    Claim::of_path(access, spellings.iter().map(|path| (*path).to_owned()).collect())
}

fn check_paths(mode: Mode, rules: &str, access: PathAccess, paths: &[(&str, &str)]) {
    let policy = policy(mode, rules);
    for (spelling, expected) in paths {
        let found = verdict(&policy, "Write", path(access, &[spelling]));
        assert!(found.starts_with(expected), "{spelling} is {found}, not {expected}");
    }
}

// P9
#[test]
fn deny_comes_before_ask_and_ask_before_allow() {
    check_commands(
        "allow Bash(git push origin *)\nask Bash(git *)\ndeny Bash(git push *)",
        &[("git push origin main", "denied"), ("git status", "ask"), ("ls", "ask, offers Bash(ls)")],
    );
}

// P10
#[test]
fn each_part_of_a_compound_command_is_matched_on_its_own() {
    check_commands(
        "allow Bash(git *)\nallow Bash(grep *)",
        &[
            ("git diff | grep x", "allowed"),
            ("git diff && rm -rf ~", "ask, offers Bash(rm -rf '~')"),
            ("git log; curl x | sh", "ask, offers Bash(curl x) Bash(sh)"),
            ("git $(rm x)", "ask"),
        ],
    );
}

// P11
#[test]
fn a_word_is_a_word() {
    check_commands(
        "allow Bash(ls *)",
        &[
            ("ls", "allowed"),
            ("ls -la", "allowed"),
            ("ls    -la", "allowed"),
            ("lsof", "ask"),
            ("ls; rm x", "ask"),
            ("ls\nrm x", "ask"),
            ("X=1 ls", "ask"),
            ("/tmp/ls", "ask"),
        ],
    );
    check_commands(
        "allow Bash(npm run:*)",
        &[("npm run test", "allowed"), ("npm runx", "ask"), ("npm run", "allowed")],
    );
    check_commands(
        "allow Bash(git * --stat)\nallow Bash(cp *.txt out/*)",
        &[
            ("git log -3 --stat", "allowed"),
            ("git --stat", "allowed"),
            ("git log --stat x", "ask"),
            ("cp a.txt out/a", "allowed"),
            ("cp a.txt b.txt out/a", "ask"),
        ],
    );
}

// P12
#[test]
fn a_denied_command_stays_denied_in_any_clothes() {
    let evasions = [
        "rm -rf x",
        r"r\m -rf x",
        "X=1 rm x",
        "env rm x",
        "env -i A=b rm x",
        "timeout 5 rm x",
        "command rm x",
        "\"rm\" x",
        "/bin/rm x",
        "sudo nice -n 3 /usr/bin/rm x",
        "ls && rm x",
        "echo $(rm x)",
        "find . -exec rm {} +",
    ];
    let commands: Vec<(&str, &str)> = evasions.iter().map(|text| (*text, "denied")).collect();
    check_commands("allow Bash\ndeny Bash(rm *)", &commands);
    check_commands("allow Bash\ndeny Bash(rm *)", &[("echo rm", "allowed"), ("rmdir x", "allowed")]);
}

#[test]
fn a_broad_rule_does_not_cover_what_destroys_work() {
    check_commands(
        "allow Bash(git *)",
        &[
            ("git reset --hard", "ask, offers Bash(git reset *)"),
            ("git push --force", "ask"),
            ("git log", "allowed"),
        ],
    );
    check_commands("allow Bash(git reset *)", &[("git reset --hard", "allowed")]);
}

// P10, P22
#[test]
fn what_cannot_be_taken_apart_is_allowed_only_as_a_whole() {
    let text = "for f in a; do rm $f; done";
    let claim = || {
        let parts = vec![CommandPart::of(&["rm", "$f"])];
        Claim::of_command(
            Access::Execute,
            Command { text: text.to_owned(), parts, opaque: Some("a loop".to_owned()) },
        )
    };
    assert!(verdict(&policy(Mode::Default, "allow Bash(rm *)"), "Bash", claim()).starts_with("ask"));
    assert_eq!(verdict(&policy(Mode::Default, &format!("allow Bash({text})")), "Bash", claim()), "allowed");
    assert_eq!(verdict(&policy(Mode::Default, "allow Bash"), "Bash", claim()), "allowed");
    assert_eq!(
        verdict(&policy(Mode::Default, &format!("allow Bash\ndeny Bash({text})")), "Bash", claim()),
        "denied"
    );
}

// P12
#[test]
fn a_command_that_cannot_be_read_is_asked_about_where_it_might_be_forbidden() {
    let unread = || {
        let command = Command { text: "((".to_owned(), parts: vec![], opaque: Some("no command".to_owned()) };
        Claim::of_command(Access::Execute, command)
    };
    for mode in [Mode::Default, Mode::Bypass] {
        assert!(verdict(&policy(mode, "allow Bash\ndeny Bash(rm *)"), "Bash", unread()).starts_with("ask"));
        assert_eq!(verdict(&policy(mode, "allow Bash\ndeny Read(.env)"), "Bash", unread()), "allowed");
    }
}

#[test]
fn a_part_that_only_reads_needs_no_rule() {
    let mut claim = command("cd src && make");
    if let Some(part) = claim.command.as_mut().and_then(|command| command.parts.first_mut()) {
        part.read_only = true;
    }
    assert_eq!(verdict(&policy(Mode::Default, "allow Bash(make)"), "Bash", claim.clone()), "allowed");
    assert_eq!(verdict(&policy(Mode::Default, "deny Bash(cd *)"), "Bash", claim), "denied");
}

#[test]
fn the_offered_rule_is_narrow_and_never_opens_a_door() {
    check_commands(
        "",
        &[
            ("cargo test --lib", "ask, offers Bash(cargo test *)"),
            ("npm run test -- -u", "ask, offers Bash(npm run test *)"),
            ("docker compose up -d", "ask, offers Bash(docker compose up *)"),
            ("git -C /x push", "ask, offers Bash(git -C /x push)"),
            ("python3 x.py", "ask, offers Bash(python3 x.py)"),
            ("sudo cargo test", "ask, offers Bash(sudo cargo test)"),
            ("docker run x", "ask, offers Bash(docker run x)"),
            ("mytool *.rs", "ask, offers Bash(mytool '*.rs')"),
            ("cargo test && npm test", "ask, offers Bash(cargo test *) Bash(npm test *)"),
        ],
    );
}

// P13
#[test]
fn a_redirection_is_a_change_of_a_file() {
    let redirected = |file: &str| {
        let mut claim = command("echo a");
        claim.paths = path(PathAccess::Edit, &[file]).paths;
        claim
    };
    let rules = "allow Bash(echo *)";
    let found = verdict(&policy(Mode::Default, rules), "Bash", redirected("/p/src/main.rs"));
    assert_eq!(found, "ask, offers Edit(/src/main.rs)");
    assert_eq!(verdict(&policy(Mode::AcceptEdits, rules), "Bash", redirected("/p/src/main.rs")), "allowed");
    assert_eq!(verdict(&policy(Mode::Default, rules), "Bash", command("echo a")), "allowed");
}

// P14
#[test]
fn paths_count_from_four_places() {
    use PathAccess::Read;
    let rules =
        "deny Read(./.env)\ndeny Read(//etc/**)\ndeny Read(~/.ssh/**)\ndeny Read(/secret/)\ndeny Read(*.pem)";
    check_paths(
        Mode::Default,
        rules,
        Read,
        &[
            ("/p/.env", "denied"),
            ("/p/.ENV", "denied"),
            ("/p/sub/.env", "allowed"),
            ("/etc/passwd", "denied"),
            ("/h/.ssh/id", "denied"),
            ("/p/secret/a/b", "denied"),
            ("/p/secret", "allowed"),
            ("/p/deep/down/key.pem", "denied"),
            ("/p/src/main.rs", "allowed"),
            ("/px/main.rs", "ask"),
            ("/h/notes", "ask, offers Read(~/notes)"),
            ("/srv/x", "ask, offers Read(//srv/x)"),
        ],
    );
    check_paths(
        Mode::Default,
        rules,
        PathAccess::Edit,
        &[("/p/.env", "denied"), ("/p/a", "ask, offers Edit(/a)")],
    );
}

// P14
#[test]
fn a_link_and_a_word_of_a_command_do_not_get_around_a_deny() {
    let policy = policy(Mode::Default, "deny Read(./.env)\nallow Bash(cat *)");
    assert_eq!(verdict(&policy, "Read", path(PathAccess::Read, &["/p/link", "/p/.env"])), "denied");
    let mut cat = command("cat .env");
    let guessed = |spelling: &str| PathClaim {
        access: PathAccess::Read,
        certainty: Certainty::Guessed,
        spellings: vec![spelling.to_owned()],
    };
    cat.paths = vec![guessed("/p/.env")];
    assert_eq!(verdict(&policy, "Bash", cat.clone()), "denied");
    cat.paths = vec![guessed("/elsewhere/x")];
    assert_eq!(verdict(&policy, "Bash", cat.clone()), "allowed", "a guess needs no permission of its own");
    cat.paths = vec![guessed("/p/src/main.rs")];
    let policy = crate::kit::policy(Mode::Default, "deny Edit(/src/**)\nallow Bash(cat *)");
    assert_eq!(verdict(&policy, "Bash", cat), "allowed", "what may not be changed may be read");
}

// P15
#[test]
fn a_file_that_a_link_leads_out_of_the_project_is_asked_about() {
    let claim = path(PathAccess::Edit, &["/p/link/new.rs", "/srv/new.rs"]);
    let found = verdict(&policy(Mode::AcceptEdits, ""), "Write", claim);
    assert_eq!(found, "ask, offers ", "the rule would not match both spellings");
    check_paths(Mode::AcceptEdits, "", PathAccess::Edit, &[("/p/src/new.rs", "allowed"), ("/h/x", "ask")]);
}

// P17
#[test]
fn what_belongs_to_git_and_to_us_is_always_asked_about() {
    use PathAccess::Edit;
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
        let paths = [
            "/p/.git/hooks/pre-commit",
            "/p/.agent-doc/config.toml",
            "/h/.config/agent-doc/rules",
            "/p/.GIT/config",
            // Settings of a person who keeps them elsewhere, and what the project tells agents.
            "/etc/xdg/agent-doc/permissions.rules",
            "/srv/settings/agent-doc/config.toml",
            "/p/AGENTS.md",
            "/p/sub/Agents.md",
        ];
        let paths: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "ask")).collect();
        check_paths(mode, "allow Edit\nallow Edit(/**)", Edit, &paths);
    }
    check_paths(Mode::Default, "allow Edit(/.git/config)", Edit, &[("/p/.git/config", "allowed")]);
    check_paths(Mode::Default, "allow Edit(/AGENTS.md)", Edit, &[("/p/AGENTS.md", "allowed")]);
    check_paths(Mode::Bypass, "", Edit, &[("/p/.gitignore", "allowed"), ("/p/my-agents.md", "allowed")]);
}

#[test]
fn hosts_match_with_what_is_below_them() {
    let policy =
        policy(Mode::Default, "allow WebFetch(domain:Example.org)\ndeny WebFetch(domain:bad.example.org)");
    let claim = |host: &str| Claim { domains: vec![host.to_owned()], ..Claim::of(Access::ReadOnly) };
    assert_eq!(verdict(&policy, "WebFetch", claim("example.org")), "allowed");
    assert_eq!(verdict(&policy, "WebFetch", claim("docs.example.org")), "allowed");
    assert_eq!(verdict(&policy, "WebFetch", claim("bad.example.org")), "denied");
    assert_eq!(
        verdict(&policy, "WebFetch", claim("notexample.org")),
        "ask, offers WebFetch(domain:notexample.org)"
    );
}

#[test]
fn tools_of_a_server_are_matched_by_its_name() {
    let policy = policy(Mode::Default, "allow mcp__git\ndeny mcp__web__*\nallow mcp__db__read");
    let found = |tool| verdict(&policy, tool, Claim::of(Access::Execute));
    assert_eq!(found("mcp__git__log"), "allowed");
    assert_eq!(found("mcp__github__log"), "ask, offers mcp__github__log");
    assert_eq!(found("mcp__web__get"), "denied");
    assert!(policy.hides("mcp__web__get") && !policy.hides("mcp__git__log"));
    assert_eq!(found("mcp__db__read"), "allowed");
    assert_eq!(found("mcp__db__read__all"), "ask, offers mcp__db__read__all");
}

// P16
#[test]
fn a_bad_rule_is_an_error_with_its_line() {
    let error = |text: &str| parse_rules(text, Scope::User).unwrap_err().to_string();
    assert_eq!(
        error("# mine\n\nallow Bash(ls *)\nallow Write(src/**)"),
        "line 4: `Write` takes no path; `Edit(path)` covers all tools that do the same to files"
    );
    assert_eq!(
        error("permit Bash"),
        "line 1: `permit` is no kind of rule; begin the line with `deny`, `ask` or `allow`"
    );
    assert_eq!(error("deny Bash(rm"), "line 1: `(` is not closed; write `Tool(specifier)`");
    assert_eq!(
        error("deny Read()"),
        "line 1: nothing stands between the brackets; write `Read` for all calls"
    );
    assert_eq!(error("deny Foo(x)"), "line 1: `Foo` takes no specifier; write `Foo` for all calls");
    assert_eq!(error("deny"), "line 1: `` is no name of a tool; write `Tool` or `Tool(specifier)`");
    assert_eq!(
        error("deny Read(a[)"),
        "line 1: the path cannot match: unclosed character class; missing ']'"
    );
    assert_eq!(
        error("deny Read(!a)"),
        "line 1: the path cannot match: `!` has no meaning here; write a rule of the other kind"
    );
    assert_eq!(error("allow Bash(echo 'a)"), "line 1: a quote is not closed");
    assert_eq!(error("allow WebFetch(example.org)"), "line 1: write `WebFetch(domain:example.org)`");
}

#[test]
fn a_project_can_deny_and_ask_but_allow_nothing() {
    assert_eq!(parse_rules("deny Bash(rm *)\nask Bash", Scope::Project).unwrap().len(), 2);
    assert_eq!(
        parse_rules("allow Bash", Scope::Project).unwrap_err().to_string(),
        "line 1: a rule that comes with the project cannot allow; put it into your own rules"
    );
    let rule = Rule { behavior: Behavior::Allow, pattern: "Bash".parse().unwrap(), scope: Scope::Project };
    let mut policy = Policy::new(Mode::Default, places(), vec![rule.clone()]);
    policy.add(rule);
    assert!(policy.rules().is_empty());
}

// P24
#[test]
fn a_rule_is_added_to_and_taken_from_a_file_without_touching_the_rest() {
    let rule = &parse_rules("allow Bash(cargo test *)", Scope::Local).unwrap()[0];
    let text = "# mine\ndeny  Bash(rm *)";
    let more = with_rule(text, rule);
    assert_eq!(more, "# mine\ndeny  Bash(rm *)\nallow Bash(cargo test *)\n");
    assert_eq!(with_rule(&more, rule), more);
    assert_eq!(without_rule(&more, rule), "# mine\ndeny  Bash(rm *)\n");
}

// P23
#[test]
fn nothing_in_a_shown_command_is_invisible() {
    assert_eq!(
        visible("ls\t\u{1b}[2Ka\u{200b}b\u{202e}c\u{a0}é🦀\nx"),
        "ls\\u{9}\\u{1b}[2Ka\\u{200b}b\\u{202e}c\\u{a0}é🦀\nx"
    );
    let long = format!("echo {}", "a".repeat(10_001));
    check_commands("allow Bash(echo *)\nallow Bash", &[(&long, "ask, offers ")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_makes_the_rules_panic_and_what_is_read_is_written_back(text in "(deny|ask|allow)? ?(Bash|Read|Edit|WebFetch|mcp__a)?[(]?[a-z*'\\\\ /~.!\\[\\]{}:é-]{0,20}[)]?") {
        if let Ok(rules) = parse_rules(&text, Scope::User) {
            for rule in rules {
                let again = parse_rules(&rule.to_string(), Scope::User).unwrap();
                prop_assert_eq!(&again[0], &rule);
                let policy = Policy::new(Mode::Default, places(), vec![rule]);
                verdict(&policy, "Bash", command("env ls a*b 'c"));
                verdict(&policy, "Read", path(PathAccess::Read, &["/p/é/a", "", "x"]));
            }
        }
    }

    #[test]
    fn an_offered_rule_lets_the_very_call_run(
        words in prop::collection::vec("[a-z*?'~ é.-]{1,6}|git|cargo|npm|run|sh|push", 1..5),
        name in "[a-z*?\\[\\]{}!\\\\ é.'-]{1,8}",
    ) {
        let parts = vec![CommandPart { words: words.clone(), variables: Vec::new(), read_only: false }];
        let text = words.join(" ");
        let mut claim = Claim::of_command(Access::Execute, Command { text, parts, opaque: None });
        claim.paths = path(PathAccess::Edit, &[&format!("/p/{name}/x")]).paths;
        let mut policy = policy(Mode::Default, "");
        if let Verdict::MustAsk(question) = policy.weigh(call("Bash"), claim.clone()) {
            let offered: Option<Vec<Pattern>> = question.always;
            for pattern in offered.iter().flatten() {
                let line = format!("allow {pattern}");
                policy.add(parse_rules(&line, Scope::Local).unwrap().remove(0));
            }
            prop_assert_eq!(offered.is_some(), verdict(&policy, "Bash", claim) == "allowed");
        }
    }
}
