use expect_test::{Expect, expect};

use crate::scratch::{Scratch, told};

const BASE: &str = "# Plan\n\nWe ship the parser in May.\n";

fn three(ours: &str, theirs: &str) -> Scratch {
    Scratch::with(&[("base.md", BASE), ("agent.md", ours), ("mine.md", theirs)])
}

fn check(ours: &str, theirs: &str, style: &str, expect: Expect) {
    three(ours, theirs).check(&["merge", "base.md", "agent.md", "mine.md", "--style", style], expect);
}

#[test]
fn different_words_of_one_line_are_both_changed() {
    let (ours, theirs) =
        ("# Plan\n\nWe ship the fast parser in May.\n\nDone.\n", "# Plan\n\nWe ship the parser in June.\n");
    for style in ["crdt", "diff3"] {
        check(
            ours,
            theirs,
            style,
            expect![[r#"
                exit 0
                # Plan

                We ship the fast parser in June.

                Done.
            "#]],
        );
    }
}

#[test]
fn the_same_words_are_kept_in_both_versions_with_a_notice() {
    check(
        "# Plan\n\nWe ship the parser in July.\n",
        "# Plan\n\nWe ship the parser in June.\n",
        "crdt",
        expect![[r#"
            exit 0
            # Plan

            We ship the parser in July.
            We ship the parser in June.
            ! line 3: both changed this line; both versions are kept
        "#]],
    );
}

#[test]
fn the_same_words_are_a_conflict_if_markers_are_asked_for() {
    check(
        "# Plan\n\nWe ship the parser in July.\n",
        "# Plan\n\nWe ship the parser in June.\n",
        "diff3",
        expect![[r#"
            exit 1
            # Plan

            <<<<<<< agent-response
            We ship the parser in July.
            ||||||| original
            We ship the parser in May.
            =======
            We ship the parser in June.
            >>>>>>> your-edits
            ! line 3: both changed this; resolve the conflict between the markers
        "#]],
    );
}

#[test]
fn a_notice_calls_the_file_as_it_was_told() {
    let scratch = three("# Plan\n\nWe ship in July.\n", "# Plan\n\nWe ship in June.\n");
    let output = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "--name", "notes/plan.md"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("notes/plan.md: line "), "{told}");
}

#[test]
fn an_empty_base_is_dev_null() {
    three("same\n", "same\n").check(
        &["merge", "/dev/null", "agent.md", "mine.md"],
        expect![[r#"
            exit 0
            same
        "#]],
    );
}

#[test]
fn one_text_comes_from_standard_input() {
    let scratch = three("# Plan\n\nWe ship the parser in May.\n\nDone.\n", "unused");
    for (place, arguments) in
        [("base", ["merge", "-", "agent.md", "base.md"]), ("theirs", ["merge", "base.md", "agent.md", "-"])]
    {
        let output = scratch.run_with_input(&arguments, BASE.as_bytes());
        assert_eq!(told(&output), format!("exit 0\n{BASE}\nDone.\n"), "{place}");
    }
}

#[test]
fn two_texts_do_not_fit_into_standard_input() {
    three("", "").check(
        &["merge", "base.md", "-", "-"],
        expect![[r#"
        exit 2
        ! error: standard input can be only one of the three texts
        !   help: give '-' once, and the others as files
    "#]],
    );
}

#[test]
fn line_endings_and_an_open_last_line_stay_as_they_are() {
    for (base, ours, theirs, merged) in [
        ("a\r\n\r\nb\r\n", "a\r\n\r\nb\r\n\r\nc\r\n", "A\r\n\r\nb\r\n", "A\r\n\r\nb\r\n\r\nc\r\n"),
        ("a\n\nb", "x\n\nb", "a\n\nb y", "x\n\nb y"),
        ("\u{feff}a\n\nb\n", "\u{feff}a\n\nb!\n", "\u{feff}A\n\nb\n", "\u{feff}A\n\nb!\n"),
    ] {
        let scratch = Scratch::with(&[("base.md", base), ("agent.md", ours), ("mine.md", theirs)]);
        let output = scratch.run(&["merge", "base.md", "agent.md", "mine.md"]);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), merged);
        scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", "out.md"]);
        assert_eq!(scratch.read("out.md"), merged);
    }
}

#[test]
fn a_file_that_both_added_has_the_words_of_both_once() {
    let scratch = Scratch::with(&[("agent.md", "# A\n\nfrom the agent\n"), ("mine.md", "# A\n\nfrom me\n")]);
    let output = scratch.run(&["merge", "/dev/null", "agent.md", "mine.md"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("from the agent\n") && text.contains("from me\n"), "{text}");
    assert_eq!(text.matches("# A\n").count(), 1, "{text}");
}
