//! Single verdicts: what is found in a command, and what speaks against it.

use expect_test::{Expect, expect};
use tools::gate::{Gate, Place, Repository, Weighed};

fn weigh(line: &str) -> Weighed {
    let mut place = Place::of_workspace("/srv/project");
    place.home = Some("/srv/ada".to_owned());
    place.repository = Repository::Plain;
    Gate::new().unwrap().weigh(line, &place)
}

/// Each part on a line: the program with its wrappers, then the reasons.
fn check(line: &str, expected: Expect) {
    let weighed = weigh(line);
    let mut shown = String::new();
    for reason in &weighed.reasons {
        shown.push_str(&format!("whole: {reason}\n"));
    }
    for part in &weighed.parts {
        let wrappers: String = part.wrappers.iter().map(|wrapper| format!("{wrapper} > ")).collect();
        let reasons: Vec<String> = part.reasons.iter().map(ToString::to_string).collect();
        let name = part.program.as_deref().unwrap_or("?");
        shown.push_str(&format!(
            "{wrappers}{name}: {}\n",
            if reasons.is_empty() { "-".to_owned() } else { reasons.join("; ") }
        ));
    }
    expected.assert_eq(&shown);
}

#[test]
fn each_part_of_a_compound_command_is_weighed_on_its_own() {
    check(
        "git diff | grep x && rm -rf ~",
        expect![[r#"
        git: -
        grep: -
        rm: not on the list of programs that only read: `rm`
    "#]],
    );
}

#[test]
fn wrappers_are_seen_through() {
    check(
        "timeout 5 nice -n 3 rm x",
        expect![[r#"
        timeout: -
        timeout > nice: -
        timeout > nice > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "sudo -u root env A=1 rm x",
        expect![[r#"
        sudo: runs another program with what it is given: `sudo`
        sudo > env: runs another program with what it is given: `env`
        sudo > env > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "xargs -0 rm",
        expect![[r#"
        xargs: runs another program with what it is given: `xargs`
        xargs > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "env --odd rm x",
        expect![[r#"
        env: runs another program with what it is given: `env`
        env > rm: not on the list of programs that only read: `rm`
        env > rm: not on the list of programs that only read: `rm`
    "#]],
    );
}

#[test]
fn commands_inside_of_words_are_found() {
    check(
        "bash -lc 'ls; rm x'",
        expect![[r#"
        bash: not on the list of programs that only read: `bash`
        bash > ls: -
        bash > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "eval \"rm\" x",
        expect![[r#"
        eval: not on the list of programs that only read: `eval`
        eval > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "find . -name x -exec rm {} +",
        expect![[r#"
        find: not on the list of harmless options: `-exec`
        find > rm: not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "echo \"a $(rm `ls`)\"",
        expect![[r#"
        whole: not on the list of harmless constructs: `expansion`
        echo: only the shell can tell what this becomes: `"a $(rm `ls`)"`
        rm: not on the list of programs that only read: `rm`
        ls: -
    "#]],
    );
    check(
        "cat <<E\n$(rm x)\nE",
        expect![[r#"
        whole: not on the list of harmless constructs: `heredoc redirect`
        cat: -
        rm: not on the list of programs that only read: `rm`
    "#]],
    );
}

#[test]
fn quotes_backslashes_and_folders_do_not_hide_a_program() {
    check(
        "r\\m x",
        expect![[r#"
        rm: the program cannot be told from the way it is written: `r\m`; not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "\"rm\" x; 'r'm x; /bin/rm x; ./rm x",
        expect![[r#"
        rm: the program cannot be told from the way it is written: `"rm"`; not on the list of programs that only read: `rm`
        rm: the program cannot be told from the way it is written: `'r'm`; not on the list of programs that only read: `rm`
        rm: not on the list of programs that only read: `rm`
        rm: not on the list of programs that only read: `./rm`; not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "$'\\x72m' x",
        expect![[r#"
        rm: the program cannot be told from the way it is written: `$'\x72m'`; not on the list of programs that only read: `rm`
    "#]],
    );
    check(
        "r\\\nm x",
        expect![[r#"
        whole: cannot be read as a shell command for certain
        r: not on the list of programs that only read: `r`
        rm: not on the list of programs that only read: `rm`
    "#]],
    );
}

#[test]
fn what_is_asked_about_has_its_reason() {
    check(
        "cat ~/.ssh/id_rsa .env src/../../x",
        expect![[r#"
        cat: outside of the workspace: `/srv/ada/.ssh/id_rsa`; likely to hold a secret: `.env`; outside of the workspace: `src/../../x`
    "#]],
    );
    check(
        "A=1 ls > out 2>&1",
        expect![[r#"
        ls: would be written: `out`; sets a variable that can change what runs: `A=1`
    "#]],
    );
    check(
        "git -c a=b log --output=x",
        expect![[r#"
        git: not on the list of harmless options: `-c`; not on the list of subcommands that only read: `a=b`
    "#]],
    );
    check(
        "ls $x",
        expect![[r#"
        ls: only the shell can tell what this becomes: `$x`
    "#]],
    );
}

#[test]
fn a_second_target_of_a_redirection_is_a_word_of_the_command() {
    check(
        "echo > /dev/null rm x",
        expect![[r#"
        echo: -
    "#]],
    );
}

#[test]
fn git_in_another_folder_is_asked_about() {
    assert!(weigh("cd /srv/project && git status").runs_unasked());
    assert!(!weigh("cd src && git status").runs_unasked());
    assert!(weigh("cd src && ls").runs_unasked());
}

#[test]
fn git_in_a_repository_that_nobody_looked_at_is_asked_about() {
    let place = Place::of_workspace("/srv/project");
    let gate = Gate::new().unwrap();
    assert!(!gate.weigh("git status", &place).runs_unasked());
    assert!(gate.weigh("ls", &place).runs_unasked());
}

#[test]
fn more_commands_than_one_reads_are_asked_about_and_still_seen() {
    for count in [51, 500, 10_000] {
        let weighed = weigh(&format!("{}rm x", "true && ".repeat(count)));
        assert!(!weighed.runs_unasked());
        assert!(weighed.parts.iter().any(|part| part.program.as_deref() == Some("rm")), "{count}");
    }
    assert!(!weigh(&"ls;".repeat(60)).runs_unasked());
}

#[test]
fn a_command_of_a_megabyte_is_asked_about() {
    assert!(!weigh(&format!("echo {}", "a".repeat(1 << 20))).runs_unasked());
    assert!(!weigh(&format!("echo {}", "a".repeat(20_000))).runs_unasked());
    assert!(weigh(&format!("echo {}", "a".repeat(5_000))).runs_unasked());
}

#[test]
fn a_long_command_takes_no_longer_than_it_is_long() {
    for part in ["a=1;", "ls;", "<(", "a ", ">a ", "$a", "a|", "'a'", "# \n", "cd a;", "[a]=", "{a,", "sudo "]
    {
        assert!(!weigh(&part.repeat(120_000 / part.len())).runs_unasked(), "{part}");
    }
}

#[test]
fn deep_nesting_overflows_nothing() {
    for open in ["(", "$(", "{ ", "\"$(", "${x:-", "[[ ", "if ", "<(", "`", "'", "!"] {
        assert!(!weigh(&open.repeat(20_000)).runs_unasked(), "{open}");
    }
    assert!(!weigh(&format!("{}rm{}", "bash -c \"".repeat(50), "\"".repeat(50))).runs_unasked());
}
