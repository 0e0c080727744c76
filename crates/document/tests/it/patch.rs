//! An agent's answer goes into the components it names, and nothing of it is lost.

use document::component::components;
use document::patch::{Notice, PatchError, apply_patches, parse_answer};
use expect_test::{Expect, expect};

use crate::fragments::Random;

const DOCUMENT: &str = "# Plan\n<!-- agent:status -->\nIdle.\n<!-- /agent:status -->\n<!-- agent:exchange -->\nHow far?\n<!-- /agent:exchange -->\n";

fn check(document: &str, answer: &str, expected: Expect) {
    let shown = match apply_patches(document, &parse_answer(answer)) {
        Ok(applied) => {
            let notices: String = applied.notices.iter().map(|notice| format!("({notice})\n")).collect();
            applied.text + &notices
        }
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn patches_go_to_their_components_and_the_rest_to_the_exchange() {
    check(
        DOCUMENT,
        "Half way.\n\n<!-- patch:status -->\nBusy.\n<!-- /patch:status -->\n\nMore soon.\n",
        expect![[r#"
            # Plan
            <!-- agent:status -->
            Busy.
            <!-- /agent:status -->
            <!-- agent:exchange -->
            How far?

            Half way.

            More soon.
            <!-- /agent:exchange -->
        "#]],
    );
}

#[test]
fn an_answer_with_and_without_a_patch_block_gives_the_same_text() {
    let plain = apply_patches(DOCUMENT, &parse_answer("Half way.\n")).unwrap();
    let patch = parse_answer("<!-- patch:exchange -->\nHalf way.\n<!-- /patch:exchange -->\n");
    assert_eq!(apply_patches(DOCUMENT, &patch).unwrap(), plain);
}

#[test]
fn a_closing_marker_in_code_does_not_end_a_patch() {
    let answer = parse_answer(
        "<!-- patch:a -->\n```\n<!-- /patch:a -->\n```\n`<!-- /patch:a -->`\n<!-- /patch:a -->\n",
    );
    assert_eq!(answer.patches[0].text, "```\n<!-- /patch:a -->\n```\n`<!-- /patch:a -->`\n");
    assert_eq!((answer.patches.len(), answer.unmatched.as_str()), (1, ""));
}

#[test]
fn a_patch_for_no_component_goes_to_the_exchange_with_a_notice() {
    check(
        DOCUMENT,
        "<!-- patch:statsu -->\nBusy.\n<!-- /patch:statsu -->\n",
        expect![[r#"
            # Plan
            <!-- agent:status -->
            Idle.
            <!-- /agent:status -->
            <!-- agent:exchange -->
            How far?

            Busy.
            <!-- /agent:exchange -->
            (there is not exactly one component `statsu`; its text went to `exchange`)
        "#]],
    );
}

#[test]
fn an_unclosed_patch_is_kept_up_to_the_next_one() {
    let answer = parse_answer("<!-- patch:a -->\none\n<!-- patch:b -->\ntwo\n<!-- /patch:c -->\nthree");
    let shown: Vec<_> =
        answer.patches.iter().map(|patch| (patch.name.as_str(), patch.text.as_str())).collect();
    assert_eq!(shown, [("a", "one\n"), ("b", "two\n<!-- /patch:c -->\nthree")]);
    assert_eq!(
        answer.notices,
        [Notice::Unclosed { name: "a".into(), line: 1 }, Notice::Unclosed { name: "b".into(), line: 3 }]
    );
}

#[test]
fn a_patch_that_opens_again_ends_the_first() {
    let answer = parse_answer("<!-- patch:a -->\none\n<!-- patch:a -->\ntwo\n<!-- /patch:a -->\n");
    let shown: Vec<_> = answer.patches.iter().map(|patch| (patch.text.as_str(), patch.is_closed)).collect();
    assert_eq!(shown, [("one\n", false), ("two\n", true)]);
}

#[test]
fn a_stray_closing_marker_is_noted() {
    let answer = parse_answer("one\n\n<!-- /patch:a -->\ntwo");
    assert_eq!(answer.unmatched, "one\n\ntwo");
    assert_eq!(answer.notices, [Notice::Unopened { name: "a".into(), line: 3 }]);
}

#[test]
fn a_document_without_a_place_for_the_text_says_so() {
    check(
        "<!-- agent:status -->\n<!-- /agent:status -->\n",
        "Hello.",
        expect![
            "the answer has text for no component, and the document has no component `exchange` or `output` to take it; add `<!-- agent:exchange -->` and `<!-- /agent:exchange -->`"
        ],
    );
    let broken = apply_patches("<!-- agent:a -->\n", &parse_answer("x"));
    assert!(matches!(broken, Err(PatchError::Component(_))));
}

#[test]
fn two_texts_for_one_component_are_both_kept() {
    check(
        "<!-- agent:output -->\nold\n<!-- /agent:output -->\n",
        "<!-- patch:output -->\none\n<!-- /patch:output -->\n<!-- patch:nowhere -->\ntwo\n<!-- /patch:nowhere -->\nthree",
        expect![[r#"
            <!-- agent:output -->
            one

            two

            three
            <!-- /agent:output -->
            (there is not exactly one component `nowhere`; its text went to `output`)
        "#]],
    );
}

#[test]
fn a_patch_may_ask_to_add_but_not_to_replace_a_shared_region() {
    check(
        DOCUMENT,
        "<!-- patch:status mode=append -->\nBusy.\n<!-- /patch:status -->\n<!-- patch:exchange mode=replace -->\nHi.\n<!-- /patch:exchange -->\n",
        expect![[r#"
            # Plan
            <!-- agent:status -->
            Idle.

            Busy.
            <!-- /agent:status -->
            <!-- agent:exchange -->
            How far?

            Hi.
            <!-- /agent:exchange -->
        "#]],
    );
}

#[test]
fn a_component_that_holds_others_is_added_to() {
    check(
        "<!-- agent:a -->\n<!-- agent:b -->\n<!-- /agent:b -->\n<!-- /agent:a -->\n",
        "<!-- patch:a -->\nx\n<!-- /patch:a -->\n",
        expect![[r#"
            <!-- agent:a -->
            <!-- agent:b -->
            <!-- /agent:b -->

            x
            <!-- /agent:a -->
            (component `a` holds others, so the text was appended instead of replacing them)
        "#]],
    );
}

#[test]
fn an_answer_that_opens_like_frontmatter_is_all_answer() {
    let answer = parse_answer("---\n<!-- patch:a -->\nx\n<!-- /patch:a -->\n---\n");
    assert_eq!(answer.patches.len(), 1);
}

#[test]
fn any_answer_leaves_the_components_as_they_are() {
    let mut random = Random::new(5);
    for _ in 0..10_000 {
        let answer = random.soup(24);
        let applied =
            apply_patches(DOCUMENT, &parse_answer(&answer)).unwrap_or_else(|e| panic!("{e}: {answer:?}"));
        let names: Vec<_> =
            components(&applied.text).unwrap().into_iter().map(|component| component.name).collect();
        assert_eq!(names, ["status", "exchange"], "{answer:?}");
    }
}
