use document::text::{
    InvalidText, LineEnding, Position, ceil_char_boundary, check, decode, floor_char_boundary, has_bom,
    has_final_newline, lines, position, utf8_to_utf16, utf16_to_utf8, with_line_ending, without_bom,
};
use proptest::prelude::*;

#[test]
fn the_line_ending_of_a_text_is_that_of_most_lines() {
    for (text, ending) in [
        ("", LineEnding::Lf),
        ("one", LineEnding::Lf),
        ("a\nb\r\n", LineEnding::Lf),
        ("a\r\nb\r\nc\n", LineEnding::CrLf),
        ("a\rb\rc", LineEnding::Cr),
        ("10%\r50%\r100%\n", LineEnding::Lf),
        ("\r\r\n", LineEnding::CrLf),
    ] {
        assert_eq!(LineEnding::of(text), ending, "{text:?}");
    }
}

#[test]
fn text_takes_a_line_ending_and_keeps_lone_carriage_returns() {
    for (text, ending, expected) in [
        ("a\nb\r\nc", LineEnding::CrLf, "a\r\nb\r\nc"),
        ("a\r\nb\n", LineEnding::Lf, "a\nb\n"),
        ("a\r\nb\n\rc", LineEnding::Cr, "a\rb\r\rc"),
        ("10%\r20%\n", LineEnding::CrLf, "10%\r20%\r\n"),
    ] {
        assert_eq!(with_line_ending(text, ending), expected, "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    assert_eq!(decode(b"\xef\xbb\xbfok"), Ok("\u{feff}ok"));
    assert_eq!(decode(b"a\r\nb\xc3"), Err(InvalidText::InvalidUtf8 { offset: 4, line: 2 }));
    assert_eq!(decode(b"a\n\0"), Err(InvalidText::Nul { offset: 2, line: 2 }));
    assert_eq!(decode(b"\xff\xfea\0"), Err(InvalidText::Utf16));
    assert_eq!(check("fine"), Ok(()));
    assert_eq!(
        InvalidText::InvalidUtf8 { offset: 4, line: 2 }.to_string(),
        "byte 4 (line 2) is not UTF-8; save the file as UTF-8 or remove that byte"
    );
}

#[test]
fn a_byte_order_mark_and_a_final_newline_are_seen() {
    assert!(has_bom("\u{feff}x") && !has_bom("x"));
    assert_eq!(without_bom("\u{feff}x"), "x");
    assert!(
        has_final_newline("a\n")
            && has_final_newline("a\r")
            && has_final_newline("")
            && !has_final_newline("a")
    );
}

#[test]
fn positions_count_every_kind_of_line_break_once() {
    let text = "a\r\né\rc\n";
    let places: Vec<Position> = [0, 3, 5, 6, 8, 99].into_iter().map(|at| position(text, at)).collect();
    let expected = [(1, 1), (2, 1), (2, 2), (3, 1), (4, 1), (4, 1)];
    assert_eq!(places, expected.map(|(line, column)| Position { line, column }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_place_in_any_text_is_on_a_character_boundary(text in ".{0,40}", at in 0_usize..200) {
        let (floor, ceil) = (floor_char_boundary(&text, at), ceil_char_boundary(&text, at));
        prop_assert!(text.is_char_boundary(floor) && text.is_char_boundary(ceil) && floor <= ceil);
        let mapped = utf16_to_utf8(&text, at);
        prop_assert!(text.is_char_boundary(mapped));
        prop_assert_eq!(utf16_to_utf8(&text, utf8_to_utf16(&text, mapped)), mapped);
        prop_assert!(position(&text, at).line >= 1);
    }

    #[test]
    fn lines_joined_are_the_text_and_an_ending_is_applied_once(text in "[a\r\né]{0,30}") {
        prop_assert_eq!(lines(&text).collect::<String>(), text.as_str());
        for ending in [LineEnding::Lf, LineEnding::CrLf, LineEnding::Cr] {
            let once = with_line_ending(&text, ending).into_owned();
            prop_assert_eq!(with_line_ending(&once, ending), once.as_str());
        }
    }
}
