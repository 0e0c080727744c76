//! Components are found as `CommonMark` has it, and an edit changes one of them and nothing else.

use std::time::{Duration, Instant};

use document::component::{
    Component, ComponentError, Mode, append, apply, components, find_component, inert, prepend, replace,
};
use expect_test::{Expect, expect};

use crate::fragments::Random;

/// Shows each component on a line: depth, name, attributes and content.
fn check(text: &str, expected: Expect) {
    let shown = match components(text) {
        Ok(found) => {
            assert_rebuilds(text, &found);
            found.iter().map(|component| show(text, component)).collect()
        }
        Err(error) => format!("{error}\n"),
    };
    expected.assert_eq(&shown);
}

fn show(text: &str, component: &Component) -> String {
    let indent = "  ".repeat(component.depth);
    let attributes = component.attributes.as_str();
    let content = &text[component.content.clone()];
    format!("{indent}{} [{attributes}] {content:?}\n", component.name)
}

/// The pieces of all components, put together, are the text.
fn assert_rebuilds(text: &str, found: &[Component]) {
    let mut cuts = vec![0, text.len()];
    for component in found {
        assert_eq!(component.open.end, component.content.start);
        assert_eq!(component.content.end, component.close.start);
        assert!(text[component.open.clone()].starts_with("<!--"), "{text:?}");
        assert!(text[component.close.clone()].ends_with("-->"), "{text:?}");
        if let Some(parent) = component.parent.map(|index| &found[index]) {
            assert!(
                parent.content.start <= component.open.start && component.close.end <= parent.content.end
            );
            assert_eq!(component.depth, parent.depth + 1);
        }
        cuts.extend([
            component.open.start,
            component.content.start,
            component.content.end,
            component.close.end,
        ]);
    }
    cuts.sort_unstable();
    let rebuilt: String = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
    assert_eq!(rebuilt, text);
}

#[test]
fn components_nest_and_keep_their_attributes() {
    check(
        "# Plan\n<!-- agent:outer patch=append title=\"a b\" -->\none\n<!-- agent:in-1 -->\ntwo\n<!-- /agent:in-1 -->\n<!-- /agent:outer -->\n",
        expect![[r#"
            outer [patch=append title="a b"] "one\n<!-- agent:in-1 -->\ntwo\n<!-- /agent:in-1 -->\n"
              in-1 [] "two\n"
        "#]],
    );
}

#[test]
fn markers_in_code_are_text() {
    check(
        "```\n<!-- agent:a -->\n```\n    <!-- agent:b -->\n\n`<!-- agent:c -->` and ``<!-- /agent:d -->``\n\n- ```\n  <!-- agent:e -->\n  ```\n",
        expect![""],
    );
}

#[test]
fn markers_inside_a_larger_comment_are_text() {
    check("<!-- old:\n agent:a\n and more -->\n<!-- see agent:b -->\n", expect![""]);
}

#[test]
fn markers_in_paragraphs_quotes_lists_and_html_are_real() {
    check(
        "word <!-- agent:a --> in <!-- /agent:a --> line\n\n> <!-- agent:b -->\n> quoted\n> <!-- /agent:b -->\n\n- <!-- agent:c -->\n  item\n  <!-- /agent:c -->\n\n<div>\n<!-- agent:d -->\n</div>\n<!-- /agent:d -->\n",
        expect![[r#"
            a [] " in "
            b [] "> quoted\n"
            c [] "  item\n"
            d [] "</div>\n"
        "#]],
    );
}

#[test]
fn line_breaks_of_either_kind_belong_to_the_markers() {
    check(
        "<!-- agent:a -->  \r\nx\r\n  <!-- /agent:a -->\r\n<!-- agent:b --><!-- /agent:b -->",
        expect![[r#"
            a [] "x\r\n"
            b [] ""
        "#]],
    );
}

#[test]
fn frontmatter_holds_no_markers() {
    check(
        "---\na: '<!-- agent:a -->'\n---\n<!-- agent:b -->\n<!-- /agent:b -->\n",
        expect![[r#"
        b [] ""
    "#]],
    );
}

#[test]
fn a_name_is_letters_digits_and_inner_hyphens() {
    check(
        "<!-- agent:boundary:ff00 -->\n<!-- agent:-a -->\n<!-- agent: -->\n<!-- agents:x -->\n<!--agent:9-->\n<!--/agent:9-->\n",
        expect![[r#"
        9 [] ""
    "#]],
    );
}

#[test]
fn errors_name_the_line_and_the_remedy() {
    check(
        "\n<!-- agent:a -->\n",
        expect![[r#"
        component `a` opens on line 2 and never closes; add `<!-- /agent:a -->` after its text
    "#]],
    );
    check(
        "x\n\n<!-- /agent:a -->\n",
        expect![[r#"
        line 3 closes component `a`, which is not open; add `<!-- agent:a -->` before it or remove it
    "#]],
    );
    check(
        "<!-- agent:a -->\n<!-- agent:b -->\n<!-- /agent:a -->\n<!-- /agent:b -->\n",
        expect![[r#"
        component `b` of line 2 is still open where line 3 closes `a`; close `b` first
    "#]],
    );
    check(
        "<!-- agent:a -->\n\n<!-- agent:b\n\n<!-- /agent:a -->\n",
        expect![[r#"
        the marker on line 3 is not finished; end it with `-->` on the same line
    "#]],
    );
    check(
        "text\n\n<!-- todo\n\n<!-- agent:a -->\n<!-- /agent:a -->\n",
        expect![[r#"
        the comment on line 3 runs into the next one and hides markers; end it with `-->`
    "#]],
    );
}

#[test]
fn half_a_marker_at_the_end_is_reported_and_in_a_sentence_is_text() {
    check(
        "a\n\n<!-- agent:x",
        expect![[r#"
        the marker on line 3 is not finished; end it with `-->` on the same line
    "#]],
    );
    check("we write <!-- agent:x to begin", expect![""]);
}

#[test]
fn a_name_that_is_missing_or_doubled_is_said() {
    let text = "<!-- agent:status -->\n<!-- /agent:status -->\n<!-- agent:log -->\n<!-- /agent:log -->\n<!-- agent:log -->\n<!-- /agent:log -->\n";
    assert_eq!(
        find_component(text, "Staus"),
        Err(ComponentError::NotFound { name: "Staus".into(), nearest: Some("status".into()) })
    );
    assert_eq!(
        find_component(text, "findings"),
        Err(ComponentError::NotFound { name: "findings".into(), nearest: None })
    );
    assert_eq!(
        find_component(text, "log"),
        Err(ComponentError::Multiple { name: "log".into(), lines: [3, 5] })
    );
}

#[test]
fn shared_regions_grow_unless_the_marker_says_otherwise() {
    let mode = |marker: &str| {
        let name = marker.split(' ').next().unwrap();
        let text = format!("<!-- agent:{marker} -->\n<!-- /agent:{name} -->\n");
        components(&text).unwrap()[0].mode()
    };
    assert_eq!(mode("exchange"), Mode::Append);
    assert_eq!(mode("log"), Mode::Append);
    assert_eq!(mode("findings"), Mode::Append);
    assert_eq!(mode("status"), Mode::Replace);
    assert_eq!(mode("exchange patch=replace"), Mode::Replace);
    assert_eq!(mode("status mode=\"prepend\""), Mode::Prepend);
    assert_eq!(mode("status patch=sideways"), Mode::Replace);
}

fn edited(mode: Mode, content: &str, addition: &str) -> String {
    let text = format!("before\n<!-- agent:x -->{content}<!-- /agent:x -->\nafter\n");
    let result = apply(&text, "x", mode, addition).unwrap();
    let inner = result.strip_prefix("before\n<!-- agent:x -->").unwrap();
    inner.strip_suffix("<!-- /agent:x -->\nafter\n").unwrap().to_owned()
}

#[test]
fn an_edit_stands_on_its_own_lines() {
    assert_eq!(edited(Mode::Replace, "\nold\n", "new"), "\nnew\n");
    assert_eq!(edited(Mode::Replace, "\n", "new\n\n\n"), "\nnew\n");
    assert_eq!(edited(Mode::Replace, "", "new"), "\nnew\n");
    assert_eq!(edited(Mode::Replace, " old ", "new"), "\nnew\n");
    assert_eq!(edited(Mode::Replace, "\nold\n", ""), "\n");
    assert_eq!(edited(Mode::Append, "\nold\n", "new"), "\nold\n\nnew\n");
    assert_eq!(edited(Mode::Append, "\nold\n\n", "new"), "\nold\n\nnew\n");
    assert_eq!(edited(Mode::Append, " old ", "new"), " old \n\nnew\n");
    assert_eq!(edited(Mode::Append, "\nold\n", " \n"), "\nold\n");
    assert_eq!(edited(Mode::Prepend, "\nold\n", "new"), "\nnew\n\nold\n");
    assert_eq!(edited(Mode::Prepend, "\n", "new"), "\nnew\n");
}

#[test]
fn rows_of_a_list_or_a_table_stay_together() {
    assert_eq!(edited(Mode::Append, "\n- one\n", "- two"), "\n- one\n- two\n");
    assert_eq!(edited(Mode::Append, "\n| one |\n", "| two |"), "\n| one |\n| two |\n");
    assert_eq!(edited(Mode::Prepend, "\n2. two\n", "1. one"), "\n1. one\n2. two\n");
}

#[test]
fn what_could_turn_the_line_above_into_a_heading_does_not() {
    assert_eq!(edited(Mode::Append, "\nmy words\n", "---\nline"), "\nmy words\n\n---\nline\n");
}

#[test]
fn the_text_takes_the_line_ending_of_the_file() {
    let text = "a\r\n<!-- agent:x -->\r\n<!-- /agent:x -->\r\n";
    assert_eq!(
        append(text, "x", "one\ntwo\r\nthree").unwrap(),
        "a\r\n<!-- agent:x -->\r\none\r\ntwo\r\nthree\r\n<!-- /agent:x -->\r\n"
    );
}

#[test]
fn the_text_is_quoted_and_indented_like_its_component() {
    assert_eq!(
        append("> <!-- agent:x -->\n> old\n> <!-- /agent:x -->\n", "x", "one\n\ntwo").unwrap(),
        "> <!-- agent:x -->\n> old\n\n> one\n>\n> two\n> <!-- /agent:x -->\n"
    );
    assert_eq!(
        replace("- a\n  <!-- agent:x -->\n  <!-- /agent:x -->\n", "x", "one\n\ntwo").unwrap(),
        "- a\n  <!-- agent:x -->\n  one\n\n  two\n  <!-- /agent:x -->\n"
    );
}

#[test]
fn markers_in_a_text_lose_their_force_outside_code_only() {
    assert_eq!(
        edited(Mode::Replace, "\n", "<!-- /agent:x -->\n<!-- agent:y -->\n```\n<!-- agent:z -->\n```"),
        "\n&lt;!-- /agent:x -->\n&lt;!-- agent:y -->\n```\n<!-- agent:z -->\n```\n"
    );
    assert_eq!(inert("<!-- note -->"), "<!-- note -->");
}

#[test]
fn what_a_text_leaves_open_is_closed() {
    assert_eq!(edited(Mode::Append, "\n", "````\n```\ncode"), "\n````\n```\ncode\n````\n");
    assert_eq!(edited(Mode::Append, "\n", "<!-- hidden"), "\n<!-- hidden\n-->\n");
    assert_eq!(edited(Mode::Append, "\n", "<script>\nx"), "\n<script>\nx\n</script>\n");
    assert_eq!(edited(Mode::Append, "\n", "<!-- agent:y"), "\n&lt;!-- agent:y\n");
}

#[test]
fn a_component_that_holds_another_grows_but_is_not_replaced() {
    let text = "<!-- agent:a -->\n<!-- agent:b -->\n<!-- /agent:b -->\n<!-- /agent:a -->\n";
    assert_eq!(
        replace(text, "a", "x"),
        Err(ComponentError::HoldsOthers { name: "a".into(), inner: "b".into() })
    );
    assert_eq!(
        prepend(text, "a", "x").unwrap(),
        "<!-- agent:a -->\nx\n\n<!-- agent:b -->\n<!-- /agent:b -->\n<!-- /agent:a -->\n"
    );
}

#[test]
fn any_soup_of_fragments_parses_or_says_why() {
    let mut random = Random::new(1);
    let mut parsed = 0;
    for _ in 0..10_000 {
        let text = random.soup(24);
        if let Ok(found) = components(&text) {
            assert_rebuilds(&text, &found);
            parsed += usize::from(!found.is_empty());
        }
    }
    assert!(parsed > 100, "only {parsed} soups had components");
}

#[test]
fn any_edit_changes_one_component_and_no_other_byte() {
    let mut random = Random::new(2);
    let (mut edits, mut refusals) = (0, 0);
    for _ in 0..10_000 {
        let text = random.document();
        let addition = random.soup(12);
        let Ok(before) = components(&text) else { continue };
        if before.is_empty() {
            continue;
        }
        let index = random.below(before.len());
        let target = &before[index];
        let mode = [Mode::Replace, Mode::Append, Mode::Prepend][random.below(3)];
        match apply(&text, &target.name, mode, &addition) {
            Ok(after) => {
                edits += 1;
                assert_only_changed(&text, target, &after, &before);
            }
            Err(ComponentError::HoldsOthers { .. } | ComponentError::Multiple { .. }) => {}
            Err(error) => {
                refusals += 1;
                println!("{error}: {text:?} + {addition:?}");
                assert!(!stands_alone(&text, target), "{error}: {text:?} + {addition:?}");
            }
        }
    }
    assert!(edits > 5_000, "only {edits} edits");
    assert!(refusals < edits / 200, "{refusals} of {edits} were refused");
}

/// Whether both markers have their lines for themselves. Only then can text always be put between them: the rest of a
/// line gets a line of its own, where it may mean something else.
fn stands_alone(text: &str, component: &Component) -> bool {
    let starts_line = |at: usize| at == 0 || text[..at].ends_with(['\n', '\u{feff}']);
    let ends_line = text[component.close.end..].starts_with(['\r', '\n']);
    starts_line(component.open.start)
        && text[component.open.clone()].ends_with('\n')
        && starts_line(component.close.start)
        && text[component.close.clone()].starts_with('<')
        && ends_line
}

fn assert_only_changed(text: &str, target: &Component, after: &str, before: &[Component]) {
    let head = &text[..target.content.start];
    let tail = &text[target.content.end..];
    assert!(after.starts_with(head), "{text:?} became {after:?}");
    assert!(after.ends_with(tail), "{text:?} became {after:?}");
    let found = components(after).unwrap();
    assert_rebuilds(after, &found);
    let names = |list: &[Component]| -> Vec<(String, Option<usize>)> {
        list.iter().map(|component| (component.name.clone(), component.parent)).collect()
    };
    assert_eq!(names(&found), names(before), "{text:?} became {after:?}");
}

/// Large inputs take time in proportion to their size. The limit is generous: a quadratic pass takes minutes.
#[test]
fn large_documents_take_linear_time() {
    let megabyte = |unit: &str| unit.repeat(1_000_000 / unit.len());
    let nested: String = (0..10_000).map(|n| format!("<!-- agent:n{n} -->\n")).collect::<String>()
        + &(0..10_000).rev().map(|n| format!("<!-- /agent:n{n} -->\n")).collect::<String>();
    let flat: String =
        (0..10_000).map(|n| format!("<!-- agent:n{n} -->\ntext\n<!-- /agent:n{n} -->\n")).collect();
    let inputs = [
        ("nested", nested),
        ("flat", flat),
        ("opened", megabyte("<!-- agent:x -->\n")),
        ("opened on one line", megabyte("a <!-- agent:x --> ")),
        ("half", megabyte("<!-- agent:x ")),
        ("comments", megabyte("a <!-- b ")),
        ("backticks", megabyte("`<!-- ``")),
        ("html", megabyte("<div>\n<!-- x -->")),
    ];
    for (name, text) in inputs {
        let start = Instant::now();
        let count = components(&text).map(|found| found.len());
        let taken = start.elapsed();
        println!("{name}: {} bytes, {count:?}, {taken:?}", text.len());
        assert!(taken < Duration::from_secs(3), "{name} took {taken:?}");
    }
}
