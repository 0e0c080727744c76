//! Outputs in, views out. Never runs a program.

use super::{Capture, View};
use crate::limits::SHOWN_MAX;

fn view_of(pieces: &[&[u8]]) -> (View, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut capture = Capture::new(folder.path().join("output.txt"));
    for piece in pieces {
        capture.take(piece);
    }
    (capture.view(), folder)
}

fn check(pieces: &[&[u8]], expected: &str) {
    let (view, _folder) = view_of(pieces);
    assert_eq!((view.text.as_str(), view.artifact), (expected, None));
}

#[test]
fn a_short_output_is_shown_as_it_is_and_makes_no_file() {
    check(&[b"one\ntw", b"o\n"], "one\ntwo\n");
    check(&[b"no line break"], "no line break");
    check(&[], "");
}

#[test]
fn a_progress_line_is_shown_as_it_was_at_last() {
    check(&[b"fetch 1%\rfetch 2%\r", b"fetch 100%\ndone\n"], "fetch 100%\ndone\n");
    check(&[b"dos\r\nlines\r", b"\n"], "dos\nlines\n");
    check(&[b"still at 7%\r"], "still at 7%");
}

#[test]
fn escape_sequences_and_invisible_characters_do_not_get_through() {
    check(&[b"\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]52;c;aGk=\x07tab\tend\n"], "red tab\tend\n");
    check(&["a\u{202e}b\u{e0041}c\n".as_bytes()], "a<U+202E>b<U+E0041>c\n");
    // The one-letter form of an escape is taken away, and with it all that it could do.
    check(&["\u{9b}31mred\n".as_bytes()], "31mred\n");
}

#[test]
fn bytes_that_are_no_text_are_said() {
    check(&[b"caf\xe9 au lait\n"], "caf\u{fffd} au lait\n\n[bytes that are no UTF-8 are shown as \u{fffd}]");
    let (view, _folder) = view_of(&[&[0; 100]]);
    assert!(view.text.starts_with("[binary output of 100 bytes is not shown; the whole output is in "));
    assert_eq!(std::fs::read(view.artifact.unwrap()).unwrap(), [0; 100]);
    check(&["é".as_bytes().split_at(1).0, "é".as_bytes().split_at(1).1], "é");
}

#[test]
fn a_long_output_is_shown_from_both_ends_and_kept_whole() {
    let line = "zeile ü 0123456789\n".as_bytes();
    let whole = line.repeat(20_000);
    let pieces: Vec<&[u8]> = whole.chunks(4097).collect();
    let (view, _folder) = view_of(&pieces);
    assert!(view.text.len() <= SHOWN_MAX + 300, "{}", view.text.len());
    assert!(!view.text.contains('\u{fffd}'), "a letter was cut");
    assert!(view.text.starts_with("zeile ü") && view.text.ends_with("6789\n"));
    let omitted = whole.len() - SHOWN_MAX;
    assert!(view.text.contains(&format!("… {omitted} bytes are left out here; the whole output is in ")));
    assert_eq!(std::fs::read(view.artifact.unwrap()).unwrap(), whole);
}

#[test]
fn only_what_is_new_is_shown_after_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let mut capture = Capture::new(folder.path().join("output.txt"));
    capture.take(b"first\n");
    let mark = capture.mark();
    capture.take(b"second\n");
    assert_eq!(capture.view_since(mark).text, "second\n");
    assert_eq!(capture.view().text, "first\nsecond\n");
    let mark = capture.mark();
    capture.take(&b"x".repeat(2 * SHOWN_MAX));
    let view = capture.view_since(mark);
    assert!(view.text.contains("bytes are left out here"));
}

#[test]
fn an_output_whose_file_cannot_be_made_is_shown_all_the_same() {
    let mut capture = Capture::new("/nowhere/at/all/output.txt".into());
    capture.take(&b"y\n".repeat(SHOWN_MAX));
    let view = capture.view();
    assert!(view.text.contains("could not be kept"), "{}", &view.text[14_000..16_000]);
    assert_eq!(view.artifact, None);
}
