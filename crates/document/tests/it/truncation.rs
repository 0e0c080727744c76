//! The cascade that tells a whole thought from half a sentence.

use document::truncation::{Completeness, completeness, looks_truncated};

const COMPLETE: &[&str] = &[
    "",
    "   ",
    "\t",
    "/run",
    "  / run it",
    "# Heading without end",
    "```rust and more",
    "<!-- note to self",
    "go",
    "ok",
    "release",
    "日本",
    "はい",
    "two.",
    "a sentence.",
    "a sentence!",
    "a sentence?",
    "as follows:",
    "one; two;",
    "an aside (here)",
    "a list [1]",
    "he said \"yes\"",
    "she said 'no'",
    "run `this`",
    "quite **bold**",
    "dash -",
    "a quote >",
    "| a | b |",
    "これは 文です。",
    "これは 文！",
    "これは 文？",
    "and so on…",
    "次の 通り：",
    "一つ；二つ ；",
    "（注 ）",
    "【注 】",
    "「はい 」",
    "『本 』",
    "trailing blanks.  ",
    "crlf line.\r",
];

const TRUNCATED: &[&str] = &[
    "Please fix the",
    "mid sen",
    "one, two,",
    "and then we go to the",
    ",",
    "これは 途中の",
    "ein Satz über Öl",
    "👩‍👩‍👧 and her",
    "x y",
    "price is 5 €",
    "e.g. this",
];

const SINGLE: &[&str] = &["A", "B", "1", "y", "n", "S", " y ", "é", "日"];

#[test]
fn every_row_of_the_cascade_is_judged() {
    for line in COMPLETE {
        assert_eq!(completeness(line), Completeness::Complete, "{line:?}");
    }
    for line in TRUNCATED {
        assert_eq!(completeness(line), Completeness::Truncated, "{line:?}");
    }
    for line in SINGLE {
        assert_eq!(completeness(line), Completeness::NeedsStableRead, "{line:?}");
    }
}

#[test]
fn only_half_a_sentence_looks_truncated() {
    assert!(TRUNCATED.iter().all(|line| looks_truncated(line)));
    assert!(!COMPLETE.iter().chain(SINGLE).any(|line| looks_truncated(line)));
}

#[test]
fn a_long_unfinished_line_of_wide_characters_is_no_trouble() {
    let line = "途中 ".repeat(40) + "で";
    assert!(looks_truncated(&line));
    for (at, _) in line.char_indices() {
        completeness(&line[..at]);
    }
}
