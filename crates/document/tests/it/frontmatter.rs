use document::frontmatter::{Diagnostic, Format, Frontmatter, Mode, Session, Settings, Stream, Write};
use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::generate::Random;

/// Reads a block of these lines.
fn settings(lines: &str) -> Settings {
    let read = Frontmatter::parse(&format!("---\n{lines}---\n# Body\n"));
    assert_eq!(read.diagnostics, [], "{lines:?}");
    read.settings
}

/// What is wrong with a whole text, one diagnostic per line.
fn check(text: &str, expected: &Expect) {
    let listed = |one: &Diagnostic| format!("{}: {}", one.line, one.message);
    let all: Vec<String> = Frontmatter::parse(text).diagnostics.iter().map(listed).collect();
    expected.assert_eq(&all.join("\n"));
}

#[test]
fn a_document_without_frontmatter_has_the_defaults() {
    for text in [
        "",
        "# T\n",
        "---\n",
        "---\n\ntext\n",
        "text\n---\na: b\n---\n",
        "---\n---\n",
        "---\n# only a comment\n---\n",
    ] {
        assert_eq!(Frontmatter::parse(text), Frontmatter::default(), "{text:?}");
    }
    let settings = Settings::default();
    assert_eq!(
        (settings.format(), settings.write(), settings.is_stream()),
        (Format::Template, Write::Crdt, false)
    );
    let stream = Stream { interval: 200, target: "exchange".into(), thinking: false, thinking_target: None };
    assert_eq!(settings.stream, stream);
}

#[test]
fn all_keys_are_read() {
    let read = settings(
        "# comment\nsession: abc\nresume: 'r 1'\nagent: \"claude\"\nmodel: opus\nbranch: b\nunknown: {a: [1, 2]}\n\
         agent_doc_mode: stream\nagent_doc_format: append\nagent_doc_write: merge\n\
         agent_doc_stream:\n  interval: 50\n  target: reply\n  thinking: true\n  thinking_target: thoughts\n",
    );
    let text = |value: &str| Some(value.to_owned());
    let expected = Settings {
        session: Session::Id("abc".into()),
        resume: text("r 1"),
        agent: text("claude"),
        model: text("opus"),
        branch: text("b"),
        mode: Some(Mode::Stream),
        explicit_format: Some(Format::Append),
        explicit_write: Some(Write::Merge),
        stream: Stream {
            interval: 50,
            target: "reply".into(),
            thinking: true,
            thinking_target: text("thoughts"),
        },
    };
    assert_eq!(read, expected);
}

#[test]
fn an_empty_session_is_not_an_absent_one() {
    assert_eq!(settings("model: x\n").session, Session::Absent);
    for empty in ["session:\n", "session: \"\"\n", "agent_doc_session: ~\n", "session: null # soon\n"] {
        assert_eq!(settings(empty).session, Session::Empty, "{empty:?}");
    }
    assert_eq!(settings("agent_doc_session:\nsession: old\n").session, Session::Id("old".into()));
    assert_eq!(settings("session: 42\n").session, Session::Id("42".into()));
}

#[test]
fn what_is_explicit_outranks_the_mode_and_the_mode_the_defaults() {
    for (lines, expected) in [
        ("a: b\n", (Format::Template, Write::Crdt, false)),
        ("mode: append\n", (Format::Append, Write::Merge, false)),
        ("response_mode: template\n", (Format::Template, Write::Merge, false)),
        ("agent_doc_mode: stream\n", (Format::Template, Write::Crdt, true)),
        ("agent_doc_mode: append\nagent_doc_write: crdt\n", (Format::Append, Write::Crdt, false)),
        ("agent_doc_mode: stream\nagent_doc_format: append\n", (Format::Append, Write::Crdt, true)),
        ("agent_doc_mode: append\nmode: stream\n", (Format::Append, Write::Merge, false)),
    ] {
        let read = settings(lines);
        assert_eq!((read.format(), read.write(), read.is_stream()), expected, "{lines:?}");
    }
}

#[test]
fn stream_keys_without_their_indent_are_read() {
    let read = settings("agent_doc_mode: stream\nagent_doc_stream:\ninterval: 100\ntarget: reply\n");
    assert_eq!(read.stream, Stream { interval: 100, target: "reply".into(), ..Stream::default() });
    assert_eq!(settings("interval: 100\n").stream, Stream::default());
}

#[test]
fn windows_line_endings_a_byte_order_mark_and_a_dotted_end_are_read() {
    let read = Frontmatter::parse("\u{feff}---\r\nagent: é\r\nmodel: m\r\n...\r\n# T\r\n");
    assert_eq!(read.diagnostics, []);
    assert_eq!((read.settings.agent.as_deref(), read.settings.model.as_deref()), (Some("é"), Some("m")));
    assert_eq!(Frontmatter::parse("---\ragent: a\r---\r").settings.agent.as_deref(), Some("a"));
}

#[test]
fn a_wrong_value_is_a_diagnostic_and_counts_as_absent() {
    check(
        "---\nmodel: [a]\nagent: {a: b}\nagent_doc_mode: fast\nagent_doc_stream:\n  interval: soon\n  thinking: maybe\n---\n",
        &expect![[r#"
            2: `model` must be plain text, but is a list; it is ignored
            3: `agent` must be plain text, but is a map; it is ignored
            4: `agent_doc_mode` must be one of append, template, stream, not "fast"; it is ignored
            6: `interval` must be a whole number, not "soon"; it is ignored
            7: `thinking` must be one of true, false, not "maybe"; it is ignored"#]],
    );
    check("---\nagent_doc_stream: 3\n---\n", &expect!["2: `agent_doc_stream` must be a map; it is ignored"]);
    check("---\njust text\n---\n", &expect!["2: the frontmatter has no `key: value` lines and is ignored"]);
}

#[test]
fn a_key_that_is_set_twice_is_reported_and_the_first_counts() {
    let text = "---\nmodel: a\nother: x\nother: y\nmodel: b\n---\n";
    check(text, &expect!["5: `model` is already set on line 2; that one is used"]);
    assert_eq!(Frontmatter::parse(text).settings.model.as_deref(), Some("a"));
}

#[test]
fn aliases_cost_nothing_and_are_not_followed() {
    let mut text = "---\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (next, last) in ('b'..='z').zip('a'..) {
        text += &format!("{next}: &{next} [*{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}]\n");
    }
    text += "model: *z\n---\n";
    check(
        &text,
        &expect!["28: `model` must be plain text, but is an alias, which is not followed; it is ignored"],
    );
}

#[test]
fn broken_yaml_is_one_diagnostic_and_what_stands_before_it_counts() {
    let text = "---\nmodel: a\nagent: \"open\nbranch: b\n---\n# T\n";
    let read = Frontmatter::parse(text);
    assert_eq!(read.settings.model.as_deref(), Some("a"));
    check(
        text,
        &expect!["3: the frontmatter is not valid YAML from here on: invalid indentation in quoted scalar"],
    );
    check(
        "---\nmodel: a\n\tagent: b\n---\n",
        &expect![
            "3: the frontmatter is not valid YAML from here on: while scanning a plain scalar, found a tab"
        ],
    );
    check(
        "---\nmodel: a\n  b: [\n---\n",
        &expect![
            "3: the frontmatter is not valid YAML from here on: mapping values are not allowed in this context"
        ],
    );
}

#[test]
fn a_block_that_is_never_closed_is_body_with_a_hint() {
    check(
        "---\nmodel: a\n# T\n",
        &expect!["1: the frontmatter is never closed by a line `---`, so it is read as text"],
    );
    check("---\nA rule above.\n", &expect![""]);
    check("\n---\nmodel: a\n", &expect![""]);
    check(
        "---\nNote: a rule above, no key\n",
        &expect!["1: the frontmatter is never closed by a line `---`, so it is read as text"],
    );
}

#[test]
fn a_huge_block_is_not_read() {
    let text = format!("---\nmodel: a\nx: {}\n---\n", "y".repeat(100_000));
    check(&text, &expect!["1: the frontmatter is larger than 65536 bytes and is not read"]);
}

const YAML: &[&str] = &[
    "a",
    "model",
    ":",
    ": ",
    "\n",
    "\r\n",
    "\r",
    "  ",
    "\t",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "|\n",
    ">-\n",
    "&x ",
    "*x",
    "!t ",
    "!!str ",
    "# c\n",
    "---",
    "...",
    "%YAML 1.2\n",
    "? ",
    "\\u12",
    "\\",
    "é",
    "😀",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\0",
    "~",
    "null",
    "1",
    "=",
    "@",
    "`",
    "%",
    "<<: ",
];

#[test]
fn no_block_whatsoever_makes_the_reader_fail() {
    for seed in 0..20_000 {
        let inner = Random::new(seed).joined(YAML, 20);
        let read = Frontmatter::parse(&format!("---\n{inner}\n---\n"));
        assert!(read.diagnostics.iter().all(|one| one.line >= 1), "{inner:?}");
    }
    for deep in ["[", "{", "- ", "? ", "a: {", "[{"] {
        let read = Frontmatter::parse(&format!("---\n{}\n---\n", deep.repeat(5_000)));
        assert_eq!(read.settings, Settings::default(), "{deep:?}");
    }
}

proptest! {
    #[test]
    fn any_text_has_settings(text in "---\n\\PC{0,80}\n---\n") {
        prop_assert!(!Frontmatter::parse(&text).settings.is_stream());
    }
}
