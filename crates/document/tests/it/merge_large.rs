//! Texts that are long, odd or hostile: a merge of them ends, and loses nothing. Never reads a clock.

use document::diff::{diff, diff_lines};
use document::merge::{merge, merge_diff3};

#[test]
fn one_line_of_a_megabyte_is_edited_by_both() {
    let line = |first: &str, last: &str| format!("{first} {}{last}\n", "word ".repeat(200_000));
    let (base, ours, theirs) = (line("a", "z"), line("agent", "z"), line("a", "person"));
    for merged in [merge(&base, &ours, &theirs), merge_diff3(&base, &ours, &theirs)] {
        assert!(merged.text.contains("agent word") && merged.text.contains("word person"));
    }
}

#[test]
fn a_hundred_thousand_different_lines_change_on_both_sides() {
    let text = |owner: &str, every: usize| -> String {
        (0..100_000)
            .map(|line| {
                if line % every == 0 {
                    format!("{owner} line {line} of the text\n")
                } else {
                    format!("the line {line} of the text\n")
                }
            })
            .collect()
    };
    let (base, ours, theirs) = (text("the", 1), text("agent's", 1_000), text("person's", 1_001));
    let merged = merge(&base, &ours, &theirs);
    assert_eq!(merged.text.matches("agent's").count(), 100);
    assert_eq!(merged.text.matches("person's").count(), 100);
    // Line zero was changed by both.
    assert_eq!(merged.notices.len(), 1);
    assert_eq!(merged.text.lines().count(), 100_001);
    let all_new = text("quite another", 1);
    assert_eq!(merge(&base, &all_new, &base).text, all_new);
    assert!(merge(&base, &all_new, &theirs).text.contains("person's line 1001 "));
}

#[test]
fn texts_of_a_megabyte_that_have_nothing_in_common() {
    let text = |owner: &str| -> String {
        (0..40_000).map(|line| format!("{owner}{line} {owner}x{line} {owner}y{line}\n")).collect()
    };
    let (base, ours, theirs) = (text("b"), text("a"), text("p"));
    let merged = merge(&base, &ours, &theirs).text;
    assert!(merged.contains(&ours) && merged.contains(&theirs));
    assert!(!merged.contains("bx"));
    let lines = diff_lines(&base, &ours);
    assert_eq!(lines.len(), 1);
}

#[test]
fn the_same_line_again_and_again() {
    let many = |count: usize| "same line\n".repeat(count);
    let merged = merge(&many(50_000), &(many(50_000) + "agent\n"), &many(49_990)).text;
    assert_eq!(merged, many(49_990) + "agent\n");
}

#[test]
fn zero_bytes_are_bytes_like_others() {
    let merged = merge("a\0b\nc\0\n", "a\0b\nc\0\n\0agent\0\n", "\0a\0b\nc\0\n").text;
    assert_eq!(merged, "\0a\0b\nc\0\n\0agent\0\n");
}

#[test]
fn nothing_but_line_breaks() {
    for ending in ["\n", "\r\n", "\r"] {
        for (base, ours, theirs) in [(1, 2, 3), (5, 0, 9), (1_000, 20_000, 500), (3, 2, 1)] {
            let [base, ours, theirs] = [base, ours, theirs].map(|count| ending.repeat(count));
            let merged = merge(&base, &ours, &theirs).text;
            assert!(merged.chars().all(|letter| "\r\n".contains(letter)));
            assert!(ending != "\n" || !merged.contains('\r'));
            assert!(!diff(&base, &ours).is_empty());
        }
    }
}
