use expect_test::{expect, expect_file};

use crate::scratch::{Scratch, told};

#[test]
fn help_shows_what_there_is() {
    let told = told(&Scratch::new().run(&["--help"]));
    expect_file!["help.txt"].assert_eq(&told);
}

#[test]
fn help_of_merge_tells_how_git_uses_it() {
    let told = told(&Scratch::new().run(&["merge", "--help"]));
    // The help of possible values has a line of blanks, which no editor would keep in this file.
    let lines: Vec<&str> = told.lines().map(str::trim_end).collect();
    expect![[r#"
        exit 0
        Merge two versions of a file, so that nobody's words are lost

        OURS and THEIRS are two versions of one file, and BASE is the text that both came from. Changes in
        different places are both made, also in different words of one line. Where both sides changed the
        same words, '--style' decides. One of the files may be '-' for standard input, and '/dev/null' is an
        empty one.

        The exit code is 0 for a merge, 1 for a merge with conflict markers, and 2 if nothing was merged.

        Usage: agent-doc merge [OPTIONS] <BASE> <OURS> <THEIRS>

        Arguments:
          <BASE>
                  The text that both versions came from

          <OURS>
                  The version whose text comes first where both added some: the agent's

          <THEIRS>
                  The version whose text comes after it: the person's

        Options:
              --style <STYLE>
                  What to do where both sides changed the same words

                  Possible values:
                  - crdt:  Keep the lines of both, say so on standard error, and exit with 0
                  - diff3: Write conflict markers around both and the original, and exit with 1

                  [default: crdt]

          -o, --output <FILE>
                  Write the merge to FILE, which may be one of the three, instead of standard output

              --name <NAME>
                  Call the file NAME in notices; git gives it as %P

          -h, --help
                  Print help (see a summary with '-h')

        Examples:
          agent-doc merge base.md agent.md mine.md
          agent-doc merge base.md agent.md mine.md -o mine.md
          git show HEAD:notes.md | agent-doc merge - agent.md notes.md

        As a merge driver of git, in .git/config:
          [merge "agent-doc"]
              name = keep the words of both sides
              driver = agent-doc merge %O %A %B -o %A --name %P
        and in .gitattributes:
          *.md merge=agent-doc
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn every_command_has_examples() {
    let scratch = Scratch::new();
    for command in [
        &["outline"][..],
        &["section"],
        &["section", "list"],
        &["section", "read"],
        &["merge"],
        &["history"],
        &["show"],
        &["diff"],
        &["blame"],
        &["restore"],
        &["models"],
        &["models", "list"],
        &["models", "replay"],
        &["completions"],
        &["man"],
    ] {
        let told = told(&scratch.run(&[command, &["--help"]].concat()));
        assert!(told.starts_with("exit 0\n"), "{told}");
        assert!(told.contains("\nExamples:\n  agent-doc "), "{told}");
        assert_eq!(told.lines().find(|line| line.chars().count() > 100), None);
    }
}

#[test]
fn nothing_typed_is_answered_with_help_and_is_not_a_success() {
    let output = Scratch::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("agent-doc serve"));
}

#[test]
fn the_version_has_a_name_and_a_number() {
    let version = concat!("exit 0\nagent-doc ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(told(&Scratch::new().run(&["--version"])), version);
}

#[test]
fn what_is_not_understood_exits_with_two() {
    let scratch = Scratch::new();
    scratch.check(
        &["outlin", "notes.md"],
        expect![[r#"
            exit 2
            ! error: unrecognized subcommand 'outlin'
            !
            !   tip: a similar subcommand exists: 'outline'
            !
            ! Usage: agent-doc [COMMAND]
            !
            ! For more information, try '--help'.
        "#]],
    );
    scratch.check(
        &["merge", "a.md"],
        expect![[r#"
            exit 2
            ! error: the following required arguments were not provided:
            !   <OURS>
            !   <THEIRS>
            !
            ! Usage: agent-doc merge <BASE> <OURS> <THEIRS>
            !
            ! For more information, try '--help'.
        "#]],
    );
    scratch.check(
        &["merge", "a", "b", "c", "--style", "git"],
        expect![[r#"
            exit 2
            ! error: invalid value 'git' for '--style <STYLE>'
            !   [possible values: crdt, diff3]
            !
            ! For more information, try '--help'.
        "#]],
    );
}

#[test]
fn colour_is_for_those_who_want_it() {
    let scratch = Scratch::new();
    let help = |name: &str| {
        let output = scratch.command(&["--help"]).env(name, "1").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(help("CLICOLOR_FORCE").contains('\u{1b}'));
    assert!(!help("NO_COLOR").contains('\u{1b}'));
}

#[test]
fn help_is_a_command_too() {
    let scratch = Scratch::new();
    let long = scratch.run(&["merge", "--help"]).stdout;
    assert_eq!(scratch.run(&["help", "merge"]).stdout, long);
}
