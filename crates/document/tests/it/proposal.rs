use document::section::{
    SectionError, append, find_section, find_sections, is_proposal, locate, mark_proposal, replace,
    set_proposal,
};

fn check(text: &str, expected: bool) {
    assert_eq!(is_proposal(&find_section(text, "A").unwrap()), expected, "{text:?}");
}

#[test]
fn the_first_line_that_is_not_blank_makes_a_proposal() {
    check("## A\n<!-- proposal -->\nbody\n", true);
    check("## A\n\n\n<!-- proposal -->\n", true);
    check("## A\r\n<!-- proposal -->\r\nbody\r\n", true);
    check("A\n---\n   <!-- proposal -->", true);
}

#[test]
fn a_marker_anywhere_else_is_text() {
    check("## A\nbody\n<!-- proposal -->\n", false);
    check("## A\ntext <!-- proposal --> more\n", false);
    check("## A\n```\n<!-- proposal -->\n```\n", false);
    check("## A\n\n    <!-- proposal -->\n", false);
    check("## A\n> <!-- proposal -->\n", false);
    check("## A <!-- proposal -->\nbody\n", false);
    check("## A\n<!-- proposals -->\n", false);
}

#[test]
fn spelling_is_free_on_reading_and_left_as_it_is() {
    for marker in ["<!--proposal-->", "<!-- PROPOSAL -->", "<!--   proposal   -->"] {
        let text = format!("## A\n{marker}\nbody\n");
        check(&text, true);
        assert_eq!(set_proposal(&text, "A", true), text);
        assert_eq!(set_proposal(&text, "A", false), "## A\nbody\n");
    }
}

#[test]
fn text_behind_the_marker_belongs_to_the_section() {
    let text = "## A\n<!-- proposal --> text\nbody\n";
    check(text, true);
    assert_eq!(set_proposal(text, "A", false), "## A\ntext\nbody\n");
}

#[test]
fn text_behind_the_marker_opens_no_section_when_the_marker_goes() {
    assert_eq!(set_proposal("## A\n<!-- proposal --> ## B\n", "A", false), "## A\n<!-- --> ## B\n");
    assert_eq!(set_proposal("## A\n<!-- proposal --> B\n---\n", "A", false), "## A\n<!-- --> B\n---\n");
}

#[test]
fn an_unclosed_marker_is_an_error_with_its_line() {
    for text in
        ["# T\n## A\n<!-- proposal\nbody\n## B\n", "# T\n## A\n<!-- proposal\n## B\n<!-- proposal -->\n"]
    {
        assert_eq!(locate(text, "A"), Err(SectionError::UnclosedMarker { line: 3 }));
        assert_eq!(locate(text, "B"), Err(SectionError::UnclosedMarker { line: 3 }));
        assert_eq!(set_proposal(text, "A", true), text);
        assert_eq!(replace(text, "A", "x"), Err(SectionError::UnclosedMarker { line: 3 }));
    }
    assert!(locate("## A\n## B\n<!-- proposal\n", "A").is_ok());
}

#[test]
fn a_write_that_would_leave_a_marker_unclosed_is_refused() {
    let error = SectionError::UnclosedMarker { line: 2 };
    assert_eq!(replace("## A\n\n## B\n", "A", "<!-- proposal\nbody"), Err(error.clone()));
    assert_eq!(append("## A\n\n## B\n", "A", "<!-- proposal"), Err(error));
}

#[test]
fn a_marker_that_a_person_deleted_can_be_put_back_above_their_text() {
    let text = "## A\n\ntheir text\n";
    assert_eq!(set_proposal(text, "A", true), "## A\n<!-- proposal -->\n\ntheir text\n");
}

#[test]
fn setting_twice_is_setting_once() {
    let plain = "## A\nbody\n\n## B\n";
    let marked = "## A\n<!-- proposal -->\nbody\n\n## B\n";
    assert_eq!(mark_proposal(plain, "A", true).unwrap(), marked);
    assert_eq!(mark_proposal(marked, "A", true).unwrap(), marked);
    assert_eq!(mark_proposal(marked, "A", false).unwrap(), plain);
    assert_eq!(mark_proposal(plain, "A", false).unwrap(), plain);
}

#[test]
fn an_empty_section_at_the_end_without_newline_can_be_marked() {
    for (text, expected) in [
        ("## A", "## A\n<!-- proposal -->\n"),
        ("## A\n", "## A\n<!-- proposal -->\n"),
        ("## A\r\n", "## A\r\n<!-- proposal -->\r\n"),
    ] {
        assert_eq!(set_proposal(text, "A", true), expected);
        assert!(is_proposal(&find_sections(expected)[0]));
    }
}
