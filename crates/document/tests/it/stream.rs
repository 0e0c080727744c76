//! An answer that streams in is written in parts, and the document parses after every one.

use std::time::{Duration, Instant};

use document::component::{components, inert};
use document::patch::{apply_patches, parse_answer, safe_prefix, steady_prefix};

use crate::fragments::Random;

const DOCUMENT: &str = "# Plan\n<!-- agent:status -->\nIdle.\n<!-- /agent:status -->\n<!-- agent:exchange -->\nHow far?\n<!-- /agent:exchange -->\n\n```\n<!-- agent:inert -->\n```\n";

/// The two ways to say how much of an answer may be written.
const PREFIXES: [fn(&str) -> usize; 2] = [safe_prefix, steady_prefix];

/// Cuts `answer` at every byte; what may be written grows, and the document parses after each flush.
fn check(answer: &str) {
    for prefix in PREFIXES {
        check_with(prefix, answer);
    }
}

fn check_with(prefix: fn(&str) -> usize, answer: &str) {
    let mut written = 0;
    for cut in 0..=answer.len() {
        let whole =
            std::str::from_utf8(&answer.as_bytes()[..cut]).map_or_else(|error| error.valid_up_to(), str::len);
        let shown = prefix(&answer[..whole]);
        assert!(shown >= written, "{:?} takes back {:?}", &answer[..whole], &answer[shown..written]);
        written = shown;
        let text = &answer[..shown];
        let applied = apply_patches(DOCUMENT, &parse_answer(text)).unwrap();
        let names: Vec<_> =
            components(&applied.text).unwrap().into_iter().map(|component| component.name).collect();
        assert_eq!(names, ["status", "exchange"], "{text:?}");
    }
}

#[test]
fn the_document_parses_after_every_flush() {
    check("Half way.\n\n<!-- patch:status -->\nBusy.\n<!-- /patch:status -->\n\nMore <!-- aside --> soon.\n");
    check(
        "Code:\n\n```rust\n// <!-- /agent:exchange -->\nlet a = 1;\n```\n\nand ~~~ no fence\n\n~~~\nx\n~~~\n",
    );
    check("日本語 <!-- /agent:exchange --> 👩‍👩‍👧 `<!-- agent:x -->` and ``a ` <!-- b``\r\nnext\r\n");
    check("- ```\n  <!-- agent:x -->\n  ```\n- `<!-- agent:y -->`\n\n> <!-- agent:z\n\nend\n");
    check("<div>\n<!-- note\n\n-->\n</div>\n\n<script>\nif (a <!--b) {}\n</script>\n");
}

#[test]
fn what_was_written_stays_as_it_was_written() {
    let answer = "Use `<!-- agent:x -->` here, not <!-- agent:y --> there.\n\n```\n<!-- agent:z -->\n```\n";
    let mut written = String::new();
    for (cut, _) in answer.char_indices() {
        let text = inert(&answer[..safe_prefix(&answer[..cut])]).into_owned();
        assert!(text.starts_with(&written), "{written:?} became {text:?}");
        written = text;
    }
}

#[test]
fn plain_text_is_written_at_once() {
    for text in ["", "a", "half a wo", "a < b", "- item", "# Head", "a\n", "```\ncode", "a -- b --> c"] {
        assert_eq!(safe_prefix(text), text.len(), "{text:?}");
    }
}

#[test]
fn what_later_text_can_change_is_held_back() {
    for (text, held) in [
        ("a <", "<"),
        ("a <!-", "<!-"),
        ("a <!-- b", "<!-- b"),
        ("a <!-- b --", "<!-- b --"),
        ("a\r", "\r"),
        ("a\n``", "``"),
        ("a\n```ru", "```ru"),
        ("```\nx\n``", "``"),
        ("> ~~~", "~~~"),
        ("a `<!-- b -->", "<!-- b -->"),
        ("<!-- a\n\nb", "<!-- a\n\nb"),
    ] {
        assert_eq!(&text[safe_prefix(text)..], held, "{text:?}");
    }
}

#[test]
fn any_answer_can_be_cut_anywhere() {
    let mut random = Random::new(6);
    for _ in 0..500 {
        check(&random.soup(16));
    }
}

#[test]
fn a_line_that_may_yet_turn_into_a_heading_is_held_back_and_nothing_else_of_plain_text() {
    for (text, held) in [
        ("a\n#", "#"),
        ("a\n--", "--"),
        ("a\n =", " ="),
        ("a\n- b", ""),
        ("a\n# b", ""),
        ("half a wo", ""),
        ("a\n```ru", "```ru"),
    ] {
        assert_eq!(&text[steady_prefix(text)..], held, "{text:?}");
    }
}

#[test]
fn a_large_answer_takes_linear_time() {
    for unit in
        ["`a` <!-- x --> ", "a <!-- ", "` <!-- x -->", "<!-- patch:x -->\n", "<!-- /patch:x -->\n", "```\n"]
    {
        let text = unit.repeat(1_000_000 / unit.len());
        let start = Instant::now();
        let safe = safe_prefix(&text);
        let patches = parse_answer(&text).patches.len();
        println!("{unit:?}: {safe} {patches} {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(3), "{unit:?} took {:?}", start.elapsed());
    }
}
