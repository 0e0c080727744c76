//! Append documents grow by one answer at a time.

use document::component::components;
use document::exchange::{Speaker, blocks, build_response, strip_echoed_headings};

use crate::fragments::Random;

fn check(document: &str, answer: &str, added: &str) {
    assert_eq!(build_response(document, answer), format!("{document}{added}"), "{document:?}");
}

#[test]
fn one_blank_line_separates_the_answer_from_what_is_there() {
    let added = "## Assistant\n\nHi.\n\n## User\n\n";
    check("## User\n\nHello\n", "Hi.", &format!("\n{added}"));
    check("## User\n\nHello", "Hi.\n", &format!("\n\n{added}"));
    check("## User\n\nHello\n\n", "\n\nHi.\n\n", added);
    check("## User\n\nHello\n\n\n\n", "Hi.", added);
    check("## User\n\nHello\n  ", "Hi.", &format!("\n{added}"));
    check("## User\n\nHello\n  \n", "Hi.", added);
    check("", "Hi.", added);
}

#[test]
fn the_answer_takes_the_line_ending_of_the_document() {
    check("## User\r\n\r\nHello\r\n", "a\nb", "\r\n## Assistant\r\n\r\na\r\nb\r\n\r\n## User\r\n\r\n");
}

#[test]
fn nothing_blank_is_added_at_the_frontmatter() {
    check("---\nsession: 1\n---\n", "Hi.", "## Assistant\n\nHi.\n\n## User\n\n");
    check("---\nsession: 1\n---\n\n", "Hi.", "## Assistant\n\nHi.\n\n## User\n\n");
    check("---\nsession: 1\n---", "Hi.", "\n## Assistant\n\nHi.\n\n## User\n\n");
}

#[test]
fn a_thematic_break_at_the_start_does_not_become_frontmatter() {
    check("---\nHello\n", "a\n\n---\n\nb", "\n## Assistant\n\na\n\n----\n\nb\n\n## User\n\n");
}

#[test]
fn repeated_answers_do_not_pile_up_blank_lines() {
    let mut text = String::from("# Talk\n\n## User\n\n");
    for _ in 0..5 {
        text.push_str("Again?\n");
        text = build_response(&text, "\nYes.\n\n");
        assert!(!text.contains("\n\n\n"), "{text:?}");
    }
    assert_eq!(blocks(&text).len(), 11);
}

#[test]
fn echoed_headings_are_stripped_once_and_only_at_the_ends() {
    assert_eq!(strip_echoed_headings("## Assistant\n\nHi.\n\n## User\n"), "Hi.\n");
    assert_eq!(strip_echoed_headings("\n## Assistant\r\n\r\nHi.\r\n\r\n## User"), "Hi.\r\n");
    assert_eq!(strip_echoed_headings("Hi.\n"), "Hi.\n");
    assert_eq!(strip_echoed_headings("Hi.\n\n## User\n\nand you?\n"), "Hi.\n\n## User\n\nand you?\n");
    assert_eq!(strip_echoed_headings("Hi.\n\n## Assistant\n\nHo.\n"), "Hi.\n\n## Assistant\n\nHo.\n");
    assert_eq!(strip_echoed_headings("```\n## User\n```\n"), "```\n## User\n```\n");
    assert_eq!(strip_echoed_headings("```\n## Assistant\n\n## User\n"), "```\n## Assistant\n\n## User\n");
    assert_eq!(strip_echoed_headings("## Assistant\n    code\n"), "    code\n");
    assert_eq!(strip_echoed_headings("## Assistant\n\n## User\n"), "");
}

#[test]
fn an_answer_cannot_speak_for_the_person() {
    check("a\n", "x\n\n## User\n\ny", "\n## Assistant\n\nx\n\n### User\n\ny\n\n## User\n\n");
    check("a\n", "```\n## User\n```", "\n## Assistant\n\n```\n## User\n```\n\n## User\n\n");
}

#[test]
fn what_is_left_open_does_not_swallow_the_next_block() {
    check("```\ncode", "Hi.", "\n```\n\n## Assistant\n\nHi.\n\n## User\n\n");
    check("a\n", "~~~\ncode\n", "\n## Assistant\n\n~~~\ncode\n~~~\n\n## User\n\n");
    check("a\n", "<!-- agent:x -->", "\n## Assistant\n\n&lt;!-- agent:x -->\n\n## User\n\n");
}

#[test]
fn blocks_are_top_level_headings_outside_code() {
    let text = "# T\n\n## User\na\n```\n## User\n```\n> ## Assistant\n\n## Assistant\nb\n### User\n";
    let shown: Vec<(Speaker, &str, &str)> = blocks(text)
        .into_iter()
        .map(|block| (block.speaker, &text[block.heading], &text[block.body]))
        .collect();
    assert_eq!(
        shown,
        [
            (Speaker::User, "## User\n", "a\n```\n## User\n```\n> ## Assistant\n\n"),
            (Speaker::Assistant, "## Assistant\n", "b\n### User\n"),
        ]
    );
}

#[test]
fn any_answer_adds_exactly_one_block_of_each_speaker() {
    let mut random = Random::new(4);
    for _ in 0..10_000 {
        let (document, answer) = (random.soup(12), random.soup(12));
        let text = build_response(&document, &answer);
        assert!(text.starts_with(&document));
        let before: Vec<_> = blocks(&document).into_iter().map(|block| block.speaker).collect();
        let after: Vec<_> = blocks(&text).into_iter().map(|block| block.speaker).collect();
        let expected = [before, vec![Speaker::Assistant, Speaker::User]].concat();
        assert_eq!(after, expected, "{document:?} + {answer:?} became {text:?}");
        if let Ok(found) = components(&document) {
            assert_eq!(
                components(&text).map(|list| list.len()),
                Ok(found.len()),
                "{document:?} + {answer:?} became {text:?}"
            );
        }
    }
}
