//! Framing: any split, any line ending, nothing lost and nothing quadratic.

use super::{EVENT_BYTES_MAX, Frame, Frames, TooLarge};

fn frame(event: &str, data: &str) -> Frame {
    Frame { event: event.to_owned(), data: data.to_owned() }
}

/// Feeds `bytes` in pieces of `size` and gives all events, with the one that the stream ended in.
fn read(bytes: &[u8], size: usize) -> Vec<Frame> {
    let (mut frames, mut found) = (Frames::default(), Vec::new());
    for piece in bytes.chunks(size) {
        frames.feed(piece, &mut found).unwrap();
    }
    found.extend(frames.finish());
    found
}

fn check(text: &str, expected: &[Frame]) {
    for size in [1, 2, 3, 7, text.len().max(1)] {
        assert_eq!(read(text.as_bytes(), size), expected, "in pieces of {size}: {text:?}");
    }
}

// S4
#[test]
fn all_line_endings_comments_and_spellings_read_the_same() {
    let expected = [frame("a", "1\n2"), frame("", "3")];
    check("event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n", &expected);
    check("event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n", &expected);
    check("event: a\rdata: 1\rdata: 2\r\rdata: 3\r\r", &expected);
    check("event:a\ndata:1\ndata:2\n\ndata:3\n\n", &expected);
    check(": keep-alive\nevent: a\n:\ndata: 1\nid: 7\ndata: 2\nretry: 1\n\n: x\n\ndata: 3\n\n", &expected);
    check("\u{feff}event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n", &expected);
    check("data: 1\nevent: a\ndata: 2\n\n\n\ndata: 3\n\n", &expected);
}

#[test]
fn an_event_without_data_is_no_event_and_its_name_is_forgotten() {
    check("event: a\n\ndata: 1\n\n", &[frame("", "1")]);
    check("event: a\n\n", &[]);
    check("", &[]);
    check("\n\n\n", &[]);
}

#[test]
fn fields_are_read_as_the_standard_says() {
    check("data\n\n", &[frame("", "")]);
    check("data\ndata\n\n", &[frame("", "\n")]);
    check("data:  two\n\n", &[frame("", " two")]);
    check("data: a:b\n\n", &[frame("", "a:b")]);
    check("Data: no\n data: no\ndata : no\n\n", &[]);
    check("data: \u{feff}\n\n", &[frame("", "\u{feff}")]);
}

// S3
#[test]
fn a_character_that_was_cut_anywhere_is_whole() {
    check("data: известни 🦀 \u{65e5}\u{672c}\n\n", &[frame("", "известни 🦀 \u{65e5}\u{672c}")]);
}

// S5
#[test]
fn line_breaks_that_are_no_line_breaks_here_do_not_cut() {
    check(
        "data: {\"a\":\"\u{2028}\u{2029}\u{85}\\n\\n\"}\n\n",
        &[frame("", "{\"a\":\"\u{2028}\u{2029}\u{85}\\n\\n\"}")],
    );
}

#[test]
fn bytes_that_are_no_text_become_marks_and_lose_nothing_else() {
    for size in [1, 2, 64] {
        assert_eq!(
            read(b"data: a\xff\xf0\x9fb\n\ndata: c\n\n", size),
            [frame("", "a\u{fffd}\u{fffd}b"), frame("", "c")]
        );
    }
}

#[test]
fn the_event_that_a_stream_ends_in_is_handed_out() {
    check("data: 1\n\ndata: {}", &[frame("", "1"), frame("", "{}")]);
    check("data: 1\n\nevent: b\ndata: {}\n", &[frame("", "1"), frame("b", "{}")]);
    check("data: 1\n\nevent: b", &[frame("", "1")]);
}

// S17
#[test]
fn an_event_that_is_too_large_is_refused_and_those_before_it_are_kept() {
    let mut bytes = b"data: first\n\ndata: ".to_vec();
    bytes.resize(bytes.len() + EVENT_BYTES_MAX + 1, b'x');
    for size in [1024, 64 * 1024, bytes.len()] {
        let (mut frames, mut found) = (Frames::default(), Vec::new());
        let refused = bytes.chunks(size).find_map(|piece| frames.feed(piece, &mut found).err());
        assert_eq!(refused, Some(TooLarge { limit: EVENT_BYTES_MAX }));
        assert_eq!(found, [frame("", "first")]);
        assert!(frames.line.capacity() <= 2 * EVENT_BYTES_MAX);
    }
    assert_eq!(
        TooLarge { limit: EVENT_BYTES_MAX }.to_string(),
        "an event of the stream is larger than 8 MiB, which is the limit"
    );
}

#[test]
fn many_lines_of_one_event_count_together() {
    let (mut frames, mut found) = (Frames::default(), Vec::new());
    let line = format!("data: {}\n", "x".repeat(1 << 20));
    let fed = (0..10).try_for_each(|_| frames.feed(line.as_bytes(), &mut found));
    assert!(fed.is_err());
}

#[test]
fn a_large_event_in_single_bytes_is_read_once() {
    // A reader that searches again from the start would compare a hundred million million bytes here.
    let mut bytes = b"data: ".to_vec();
    bytes.resize(4 << 20, b'x');
    bytes.extend_from_slice(b"\n\n");
    let found = read(&bytes, 1);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].data.len(), (4 << 20) - 6);
}
