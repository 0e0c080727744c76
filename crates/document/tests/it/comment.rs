//! Comments go, our markers and code stay.

use std::time::{Duration, Instant};

use document::comment::strip_comments;

use crate::fragments::Random;

fn check(text: &str, expected: &str) {
    assert_eq!(strip_comments(text), expected, "{text:?}");
}

#[test]
fn a_comment_alone_on_its_line_takes_the_line() {
    check("a\n<!-- x -->\nb\n", "a\nb\n");
    check("a\r\n  <!-- x -->  \r\nb\r\n", "a\r\nb\r\n");
    check("a\n<!-- x\n\ny -->\nb\n", "a\nb\n");
    check("a\n<!-- x --> <!-- y -->\nb\n", "a\nb\n");
    check("a\n<!-- x -->", "a\n");
    check("\u{feff}<!-- x -->\na", "\u{feff}a");
}

#[test]
fn a_comment_in_a_line_leaves_the_rest_of_it() {
    check("a <!-- x --> b\n", "a  b\n");
    check("<!-- x --> b\n", " b\n");
    check("> <!-- x -->\n", "> \n");
}

#[test]
fn our_markers_stay() {
    let text =
        "<!-- agent:a -->\n<!-- /agent:a -->\n<!-- patch:a -->\n<!-- /patch:a -->\n<!-- proposal -->\n";
    check(text, text);
    check("<!-- proposals for later -->\n", "");
}

#[test]
fn code_keeps_its_comments() {
    let text =
        "`<!--` opens\n\nand this `-->` closes\n\n```\n<!-- x -->\n[//]: # (x)\n```\n\n    <!-- x -->\n";
    check(text, text);
}

#[test]
fn an_open_comment_swallows_nothing() {
    check("a\n\n<!-- x\nb\n", "a\n\n<!-- x\nb\n");
    check("a <!-- x\nb\n", "a <!-- x\nb\n");
}

#[test]
fn reference_comments_go() {
    check("a\n\n[//]: # (x)\n\nb\n", "a\n\n\nb\n");
    check("a\n[//]: # (x)\nb\n", "a\nb\n");
    check("[//]: # \"x\"\n", "");
    check("see [//]: # (x)\n", "see [//]: # (x)\n");
    check("[a]: # (x)\n", "[a]: # (x)\n");
}

#[test]
fn frontmatter_stays() {
    let text = "---\n# <!-- x -->\n---\n";
    check(text, text);
}

#[test]
fn what_is_stripped_is_taken_out_and_nothing_is_moved() {
    let mut random = Random::new(3);
    for _ in 0..10_000 {
        let text = random.soup(24);
        let stripped = strip_comments(&text);
        let mut rest = text.chars();
        assert!(stripped.chars().all(|c| rest.any(|other| other == c)), "{text:?} became {stripped:?}");
    }
}

#[test]
fn a_large_text_takes_linear_time() {
    for unit in
        ["a <!-- x --> ", "<!-- x -->\n", "a <!-- ", "[//]: # (x)\n", "`<!-- ` -->", "```\n<!-- x -->\n```\n"]
    {
        let text = unit.repeat(1_000_000 / unit.len());
        let start = Instant::now();
        strip_comments(&text);
        println!("{unit:?}: {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(3), "{unit:?} took {:?}", start.elapsed());
    }
}
