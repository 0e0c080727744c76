use document::section::{
    Section, SectionError, append, append_to_section, find_section, find_sections, locate, outline, replace,
    replace_section,
};
use expect_test::{Expect, expect};

/// Level and title of every section, in document order.
fn titles(text: &str) -> Vec<(u8, String)> {
    find_sections(text).into_iter().map(|section| (section.level, section.title)).collect()
}

fn check(text: &str, expected: &[(u8, &str)]) {
    let expected: Vec<(u8, String)> =
        expected.iter().map(|&(level, title)| (level, title.to_owned())).collect();
    assert_eq!(titles(text), expected, "{text:?}");
}

fn check_replace(text: &str, title: &str, content: &str, expected: &str) {
    assert_eq!(replace(text, title, content).unwrap(), expected, "{text:?}");
}

fn check_append(text: &str, title: &str, content: &str, expected: &str) {
    assert_eq!(append(text, title, content).unwrap(), expected, "{text:?}");
}

fn check_error(text: &str, title: &str, expected: &Expect) {
    expected.assert_eq(&locate(text, title).unwrap_err().to_string());
}

#[test]
fn a_heading_in_a_fence_is_no_section() {
    let text = "## A\n```\n## not\n```\n## B\n";
    check(text, &[(2, "A"), (2, "B")]);
    assert_eq!(find_section(text, "A").unwrap().end, 20);
}

#[test]
fn a_fence_that_never_closes_hides_what_follows() {
    let text = "## A\n~~~\n## not\n## User\n";
    check(text, &[(2, "A")]);
    check_error(text, "User", &expect![[r#"no section is titled "User"; nearest: "A""#]]);
}

#[test]
fn four_spaces_make_code_or_continue_a_paragraph() {
    check("\n    ## x\n", &[]);
    check("text\n    ## x\n", &[]);
}

#[test]
fn a_section_begins_at_the_start_of_its_line() {
    let section = find_section("   ## A\nbody\n", "A").unwrap();
    let expected = Section {
        title: "A".into(),
        level: 2,
        start: 0,
        end: 13,
        content: "body\n".into(),
        content_start: 8,
        line: 1,
    };
    assert_eq!(section, expected);
}

#[test]
fn an_underlined_title_is_a_section() {
    check("Terminal\n--------\n", &[(2, "Terminal")]);
    check("Terminal\n===\n", &[(1, "Terminal")]);
    assert_eq!(find_section("Terminal\n--------\nx", "Terminal").unwrap().content_start, 18);
    check("two\nlines\n---", &[(2, "two lines")]);
    check("## Terminal\nResult: ok\n---\nmore", &[(2, "Terminal"), (2, "Result: ok")]);
    let phantom = find_section("## Terminal\nResult: ok\n---\nmore", "Result: ok").unwrap();
    assert_eq!((phantom.start, phantom.content_start), (12, 27));
    check("- x\n---", &[]);
}

#[test]
fn headings_in_containers_and_html_are_no_sections() {
    check("> ## Q\n", &[]);
    check("- ## L\n", &[]);
    check("[^1]: note\n\n    ## F\n\n[^1]\n", &[]);
    check("<div>\n## x\n</div>\n", &[]);
    check("<pre>\n\n## x\n\n</pre>\n", &[]);
    check("<!-- a\n## x\n\n## y\n-->\n", &[]);
    check("<details>\n\n## inside\n\n</details>\n", &[(2, "inside")]);
}

#[test]
fn titles_are_what_a_reader_sees() {
    check("## Title ##\n", &[(2, "Title")]);
    check("## Title \\##\n", &[(2, "Title ##")]);
    check("##\tTitle\n", &[(2, "Title")]);
    check("##Title\n####### x\n\\## x\n##\u{a0}Title\n", &[]);
    check("## **Bold** `code` [link](u) ~~s~~\n", &[(2, "Bold code link s")]);
    check("## R&amp;D\n", &[(2, "R&D")]);
    check("## A <!-- proposal -->\n", &[(2, "A")]);
    assert!(find_section("## **Bold** `code` [link](u) ~~s~~\n", "bold code link s").is_some());
}

#[test]
fn an_empty_title_is_a_section_that_nothing_finds() {
    check("##\n## ##\n", &[(2, ""), (2, "")]);
    assert_eq!(find_section("##\n", ""), None);
    assert_eq!(find_section("##\n", "x"), None);
}

#[test]
fn lookup_trims_and_ignores_case_in_every_script() {
    for (text, title) in [
        ("## Researcher\n", "reSEARCHer"),
        ("## Researcher\n", "  Researcher  "),
        ("## ÉTUDE\n", "étude"),
        ("## STRAẞE\n", "straße"),
    ] {
        assert!(find_section(text, title).is_some(), "{text:?} {title:?}");
    }
    assert_eq!(find_section("## STRASSE\n", "straße"), None, "ß and ss stay apart");
    assert_eq!(find_section("## İ\n", "i"), None, "the dotted capital is another letter");
}

#[test]
fn two_equal_titles_are_ambiguous() {
    let text = "## Researcher\none\n\n## researcher\ntwo\n";
    let error = SectionError::Multiple { title: "Researcher".into(), count: 2, lines: vec![1, 4] };
    assert_eq!(locate(text, "Researcher"), Err(error));
    check_error(
        text,
        "Researcher",
        &expect![[r#"2 sections are titled "Researcher", on lines 1, 4; rename all but one"#]],
    );
    assert_eq!(replace_section(text, "Researcher", "x"), text);
    assert_eq!(append_to_section(text, "Researcher", "x"), None);
}

#[test]
fn a_nested_title_is_reached_by_its_path_only() {
    let text = "# Run\n## Researcher\none\n## Terminal\n### Researcher\ntwo\n#### Deep\n### A/B\nthree\n";
    let content = |title: &str| find_section(text, title).map(|section| section.content);
    assert_eq!(content("Researcher").as_deref(), Some("one\n"));
    assert_eq!(content("Terminal/Researcher").as_deref(), Some("two\n#### Deep\n"));
    assert_eq!(content("terminal / researcher / deep").as_deref(), Some(""));
    assert_eq!(content("Run/Terminal/A/B").as_deref(), Some("three\n"));
    assert_eq!(content("Deep"), None);
    assert_eq!(content("Terminal/Deep"), None);
}

#[test]
fn a_slash_in_a_title_is_taken_literally_first() {
    let text = "## TCP/IP\none\n## TCP\n### IP\ntwo\n";
    assert_eq!(find_section(text, "tcp/ip").unwrap().content, "one\n");
}

#[test]
fn an_outermost_heading_of_another_level_is_found_if_no_run_section_has_its_title() {
    assert_eq!(find_section("# Plan\nx\n", "plan").unwrap().level, 1);
    assert_eq!(find_section("# Plan\n## Plan\n", "plan").unwrap().level, 2);
}

#[test]
fn sections_nest_by_rank_and_come_in_document_order() {
    let text = "## A\n### A1\n#### A2\n## B\n# T\n";
    check(text, &[(2, "A"), (3, "A1"), (4, "A2"), (2, "B"), (1, "T")]);
    let ranges: Vec<(usize, usize)> = find_sections(text).iter().map(|one| (one.start, one.end)).collect();
    assert_eq!(ranges, [(0, 20), (5, 20), (12, 20), (20, 25), (25, 29)]);
}

#[test]
fn windows_line_endings_stay() {
    let text = "## A\r\nold\r\n\r\n## B\r\n";
    assert_eq!(find_section(text, "A").unwrap().content_start, 6);
    check_replace(text, "A", "new\nlines", "## A\r\nnew\r\nlines\r\n\r\n## B\r\n");
    check_append(text, "B", "x\ny", "## A\r\nold\r\n\r\n## B\r\nx\r\ny\r\n");
    check_append("## A\r\none\n\r\n## B\r\n", "B", "x", "## A\r\none\n\r\n## B\r\nx\r\n");
}

#[test]
fn lone_carriage_returns_end_lines_too() {
    let text = "## A\rold\r\r## B\r";
    check(text, &[(2, "A"), (2, "B")]);
    check_replace(text, "A", "new", "## A\rnew\r\r## B\r");
    check_append(text, "A", "x", "## A\rold\rx\r\r## B\r");
    check("---\rtitle: x\r---\r# T\r", &[(1, "T")]);
}

#[test]
fn a_byte_order_mark_and_frontmatter_are_no_part_of_the_markdown() {
    check("\u{feff}# T\n", &[(1, "T")]);
    check("---\ntitle: x\n---\n# T\n", &[(1, "T")]);
    check_replace("\u{feff}# T\n", "T", "x\n", "\u{feff}# T\nx\n");
    assert_eq!(find_section("\u{feff}---\na: b\n---\n# T\n", "T").unwrap().line, 4);
}

#[test]
fn a_section_at_the_end_without_newline_can_be_read_and_written() {
    assert_eq!(find_section("## A\nbody", "A").unwrap().content, "body");
    assert_eq!(find_section("## A", "A").unwrap().content, "");
    check_append("## A\nbody", "A", "x", "## A\nbody\nx\n");
    check_append("## A", "A", "x", "## A\nx\n");
    check_replace("## A", "A", "x", "## A\nx");
    check_replace("## A\nbody", "A", "x", "## A\nx");
    check_replace("## A\nbody\n", "A", "x", "## A\nx\n");
}

#[test]
fn replace_leaves_exactly_one_blank_line_before_the_next_heading() {
    for text in ["## A\n## B\n", "## A\n\n## B\n", "## A\n\n\n\n## B\n"] {
        assert!(find_section(text, "A").unwrap().content.trim().is_empty());
        check_replace(text, "A", "x", "## A\nx\n\n## B\n");
        check_replace(text, "A", "x\n\n\n", "## A\nx\n\n## B\n");
    }
}

#[test]
fn append_goes_before_the_trailing_blank_lines() {
    check_append("## A\n\n\n## B\n", "A", "x", "## A\nx\n\n\n## B\n");
    check_append("## A\none  \n\n## B\n", "A", "two\n", "## A\none  \ntwo\n\n## B\n");
    check_append("## A\none\nB\n---\n", "A", "two", "## A\ntwo\n\none\nB\n---\n");
    check_append("## A\n\nB\n---\n", "A", "two", "## A\ntwo\n\nB\n---\n");
}

#[test]
fn an_invisible_character_makes_another_title_and_the_error_shows_the_nearest() {
    let text = "## Re\u{200b}searcher\n## Terminal\n## User\n## Conductor\n";
    let error = locate(text, "Researcher").unwrap_err();
    let nearest = vec!["Re\u{200b}searcher".to_owned(), "User".to_owned(), "Conductor".to_owned()];
    assert_eq!(error, SectionError::NotFound { title: "Researcher".into(), nearest });
}

#[test]
fn characters_of_many_bytes_around_boundaries_do_no_harm() {
    let text = "😀\n\n## 漢字😀\ne\u{301}\n## B\u{301}\n漢";
    check(text, &[(2, "漢字😀"), (2, "B\u{301}")]);
    check_replace(text, "漢字😀", "é", "😀\n\n## 漢字😀\né\n\n## B\u{301}\n漢");
}

#[test]
fn an_outline_has_a_preamble_and_every_heading_with_its_size() {
    let text = "---\na: b\n---\n\nHello you.\n\n# Plan\none\n## A\ntwo three\n";
    let rows: Vec<String> = outline(text)
        .into_iter()
        .map(|row| {
            format!(
                "{} {} line {} {}..{} {} words {} tokens",
                row.level, row.title, row.line, row.start, row.end, row.words, row.tokens
            )
        })
        .collect();
    expect![[r#"
        0 (preamble) line 5 14..26 2 words 3 tokens
        1 Plan line 7 26..52 7 words 7 tokens
        2 A line 9 37..52 4 words 4 tokens"#]]
    .assert_eq(&rows.join("\n"));
    assert_eq!(outline("").len(), 0);
}
