use document::frontmatter::{Frontmatter, FrontmatterError, remove_key, set_key};
use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::generate::Random;

fn check(text: &str, key: &str, value: &str, expected: &str) {
    assert_eq!(set_key(text, key, value).unwrap(), expected, "{text:?}");
}

fn check_refused(text: &str, key: &str, expected: &Expect) {
    expected.assert_eq(&set_key(text, key, "x").unwrap_err().to_string());
}

#[test]
fn one_value_changes_and_all_other_bytes_stay() {
    let text = "---\n# top\nb: 'x'   # first\n\nmodel:   old   # fast\nunknown: {a: [1,2]}\n---\n# T\n";
    check(text, "model", "new", &text.replace("old", "new"));
    check(text, "b", "y z", &text.replace("'x'", "y z"));
    check(text, "model", "old", text);
    check(text, "b", "x", text);
    let windows = "\u{feff}---\r\nmodel: \"old\"\r\n---\r\n# T\r\n";
    check(windows, "model", "new", "\u{feff}---\r\nmodel: new\r\n---\r\n# T\r\n");
}

#[test]
fn an_empty_value_is_filled_and_its_comment_stays() {
    check("---\nsession:\na: b\n---\n", "session", "id", "---\nsession: id\na: b\n---\n");
    check("---\nsession: # soon\na: b\n---\n", "session", "id", "---\nsession: id # soon\na: b\n---\n");
    check("---\nsession: ~ # soon\n---\n", "session", "id", "---\nsession: id # soon\n---\n");
    check("---\nsession:\n---\n", "session", "id", "---\nsession: id\n---\n");
    check("---\nsession: \"\"\n---\n", "session", "id", "---\nsession: id\n---\n");
}

#[test]
fn a_new_key_is_the_last_line_of_the_block() {
    check("---\na: b\n---\n# T\n", "model", "x", "---\na: b\nmodel: x\n---\n# T\n");
    check("---\n---\n", "model", "x", "---\nmodel: x\n---\n");
    check("---\r\na: b # c\r\n...\r\n", "model", "x", "---\r\na: b # c\r\nmodel: x\r\n...\r\n");
    check("---\na: |\n  text\n---\n", "model", "x", "---\na: |\n  text\nmodel: x\n---\n");
}

#[test]
fn a_text_without_a_block_gets_one() {
    check("", "model", "x", "---\nmodel: x\n---\n");
    check("# T\r\n", "model", "x", "---\r\nmodel: x\r\n---\r\n# T\r\n");
    check("\u{feff}# T\n", "model", "x", "\u{feff}---\nmodel: x\n---\n# T\n");
    check("---\n\nrule above\n", "model", "x", "---\nmodel: x\n---\n---\n\nrule above\n");
}

#[test]
fn a_value_of_many_lines_is_replaced_whole() {
    for old in [
        "|\n  one\n\n  two",
        ">-\n  one\n  two",
        "\n  a: b\n  c: d",
        "\n- a\n- b",
        "'one\n  two'",
        "{a: b,\n  c: d}",
        "[1,\n  2]",
    ] {
        let text = format!("---\nx: y\nmodel: {old}\n\n# about z\nz: 1\n---\n");
        check(&text, "model", "new", "---\nx: y\nmodel: new\n\n# about z\nz: 1\n---\n");
        assert_eq!(remove_key(&text, "model").unwrap(), "---\nx: y\n\n# about z\nz: 1\n---\n");
    }
    check("---\nmodel:\n  own line\n---\n", "model", "x", "---\nmodel:\n  x\n---\n");
    check("---\nmodel: # why\n  a: b\n---\n", "model", "x", "---\nmodel: x # why\n---\n");
}

#[test]
fn quotes_are_written_only_if_they_are_needed() {
    for (value, written) in [
        ("plain text", "plain text"),
        ("a/b:c", "a/b:c"),
        ("claude-opus-4.5", "claude-opus-4.5"),
        ("0199c0de-7d1f-7000-8000-000000000000", "0199c0de-7d1f-7000-8000-000000000000"),
        ("", "''"),
        ("null", "'null'"),
        ("true", "'true'"),
        ("200", "'200'"),
        ("1e5", "'1e5'"),
        ("2026-01-02", "'2026-01-02'"),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("it's", "it's"),
        ("'quoted'", "'''quoted'''"),
        ("- a", "'- a'"),
        ("*a", "'*a'"),
        ("two\nlines", "\"two\\nlines\""),
        ("---", "'---'"),
    ] {
        check("---\nmodel: old\n---\n", "model", value, &format!("---\nmodel: {written}\n---\n"));
    }
    check("---\ninterval: 200\n---\n", "interval", "300", "---\ninterval: 300\n---\n");
    check("---\nflag: true\n---\n", "flag", "false", "---\nflag: false\n---\n");
}

#[test]
fn removing_a_key_takes_its_lines_only() {
    assert_eq!(remove_key("---\na: b # c\nd: e\n---\n", "a").unwrap(), "---\nd: e\n---\n");
    assert_eq!(remove_key("---\na: b\n---\n# T\n", "a").unwrap(), "---\n---\n# T\n");
    assert_eq!(remove_key("---\na: b\n---\n", "x").unwrap(), "---\na: b\n---\n");
    assert_eq!(remove_key("# T\n", "x").unwrap(), "# T\n");
}

#[test]
fn what_cannot_be_read_is_not_changed() {
    check_refused(
        "---\na: b\nmodel: [\n---\n",
        "model",
        &expect![
            "line 3: the frontmatter is not valid YAML from here on: while parsing a node, did not find expected node content; correct that and try again"
        ],
    );
    check_refused(
        "---\nmodel: a\nmodel: b\n---\n",
        "model",
        &expect!["`model` is set again on line 3; remove one of them"],
    );
    check_refused(
        "---\n{model: a}\n---\n",
        "model",
        &expect![
            "the frontmatter has no lines of the form `key: value` that could be changed; write `model` by hand"
        ],
    );
    check_refused(
        "---\nmodel: a\n",
        "model",
        &expect![
            "line 1: the frontmatter is never closed by a line `---`, so it is read as text; correct that and try again"
        ],
    );
    check_refused(
        "",
        "a b",
        &expect![[r#""a b" is not a name for a key; use letters, digits, `_` and `-`"#]],
    );
    check_refused(
        "---\nmodel: &m a\nother: *m\n---\n",
        "model",
        &expect![
            "the frontmatter has no lines of the form `key: value` that could be changed; write `model` by hand"
        ],
    );
    let error = FrontmatterError::Unsupported { key: "model".into() };
    assert_eq!(remove_key("---\nmodel: &m [a]\nother: *m\n---\n", "model"), Err(error));
}

const LINES: &[&str] = &[
    "model: x\n",
    "model:\n",
    "model: 'q' # c\n",
    "model: |\n  a\n  b\n",
    "model:\n  a: b\n",
    "model: [1, 2]\n",
    "# comment\n",
    "\n",
    "a: b\n",
    "b: \"x\"   # c\n",
    "c:\n  d: e\n",
    "c2:\n- f\n",
    "d: {x: y}\n",
    "e: >\n  folded\n\n  text\n",
    "\"quoted key\": v\n",
    "f: &x 1\n",
    "g: *x\n",
    "h: !!str 2\n",
    "é: ü\n",
    "r: a\r\n",
    "? complex\n: v\n",
    "model : y\n",
    "\"model\": z\n",
];

#[test]
fn a_set_value_is_read_back_and_every_other_line_stays() {
    let values = [
        "v",
        "",
        "a: b # c",
        "null",
        "12",
        "x\ny",
        "'",
        "\"",
        "\\",
        "é 😀",
        "\u{85}\u{2028}\u{feff}",
        "- x",
        " lead",
        "trail ",
        "\t",
        "#",
        "@a",
        "%",
        "!t",
        "&a",
        "*a",
        "?",
        ":",
        "{}",
        "[",
        "a,b",
    ];
    let mut done = 0;
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let text = format!("---\n{}---\n# T\n---\n", random.joined(LINES, 6));
        let value = random.pick(&values);
        let Ok(edited) = set_key(&text, "model", value) else {
            continue;
        };
        done += 1;
        assert_eq!(Frontmatter::parse(&edited).settings.model.as_deref(), Some(value), "{text:?}");
        assert_eq!(set_key(&edited, "model", value).as_ref(), Ok(&edited), "{text:?}");
        let others =
            |text: &str| text.lines().filter(|line| is_other(line)).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(others(&edited), others(&text), "{text:?} with {value:?} gave {edited:?}");
        let removed = remove_key(&edited, "model").unwrap();
        assert_eq!(Frontmatter::parse(&removed).settings.model, None);
    }
    assert!(done > 10_000, "{done}");
}

/// A line of [`LINES`] that belongs to no spelling of `model`.
fn is_other(line: &str) -> bool {
    !line.contains("model") && !["  a", "  b", "  a: b", ""].contains(&line)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn any_value_is_read_back(value in "[\\PC\\n\\r\\t\u{0}-\u{1f}\u{7f}-\u{9f}'\":#]{0,20}", old in "[a-z0-9]{0,5}") {
        let text = format!("---\na: b\nmodel: {old} # c\nz: y\n---\nbody\n");
        let edited = set_key(&text, "model", &value).unwrap();
        prop_assert_eq!(Frontmatter::parse(&edited).settings.model, Some(value));
        prop_assert!(edited.starts_with("---\na: b\nmodel:") && edited.ends_with(" # c\nz: y\n---\nbody\n"));
    }
}
