//! However the bytes of an answer are cut or glued, its events are the same.

use models::Protocol;

use crate::samples::{START, TEXT, anthropic, hello, text_delta};
use crate::told::{Outcome, decoded};

fn whole(protocol: Protocol, bytes: &[u8]) -> Outcome {
    decoded(protocol, [bytes])
}

/// A small generator, so that a failure can be seen again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// The bytes in pieces of one to `longest` bytes.
fn pieces<'a>(bytes: &'a [u8], dice: &mut Dice, longest: usize) -> Vec<&'a [u8]> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at((1 + dice.below(longest)).min(rest.len()));
        found.push(piece);
        rest = tail;
    }
    found
}

// S3, S4
#[test]
fn any_cut_and_any_glue_gives_the_same_events() {
    for protocol in Protocol::ALL {
        let text = hello(protocol);
        for text in
            [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}")]
        {
            let bytes = text.as_bytes();
            let expected = whole(protocol, bytes);
            assert_eq!(expected.1, None, "{protocol}");
            for place in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(place);
                assert_eq!(decoded(protocol, [head, tail]), expected, "{protocol} cut at {place}");
            }
            assert_eq!(decoded(protocol, bytes.chunks(1)), expected, "{protocol} in single bytes");
            let mut dice = Dice(7);
            for round in 0..200 {
                let glued = pieces(bytes, &mut dice, 1 + round);
                assert_eq!(decoded(protocol, glued), expected, "{protocol} round {round}");
            }
        }
    }
}

// S8: an answer is whole or it says that it is not; what came before the end is kept.
#[test]
fn a_stream_that_ends_at_any_byte_is_never_taken_for_whole() {
    for protocol in Protocol::ALL {
        let text = hello(protocol);
        let expected = whole(protocol, text.as_bytes());
        for place in 0..text.len() {
            let (head, _) = text.as_bytes().split_at(place);
            let (events, error) = whole(protocol, head);
            let stopped =
                events.iter().any(|event| matches!(event, agent::model::ModelEvent::Stopped { .. }));
            assert_eq!(stopped, error.is_none(), "{protocol} ends at {place}");
            if let Some(error) = error {
                assert!(expected.0.starts_with(&events), "{protocol} ends at {place}");
                assert!(error.contains("Cut("), "{protocol} ends at {place}");
            }
        }
    }
}

// S7
#[test]
fn a_hundred_pings_say_nothing() {
    let ping = r#"{"type":"ping"}"#;
    let mut objects = vec![START, TEXT];
    objects.extend([ping; 100]);
    let (events, _) = whole(Protocol::Anthropic, anthropic(&objects).as_bytes());
    let pings =
        events.iter().filter(|event| matches!(event, agent::model::ModelEvent::Unknown { .. })).count();
    assert_eq!((pings, events.len()), (100, 102));
}

// S17
#[test]
fn an_event_of_ten_megabytes_ends_the_answer_and_keeps_the_text_before_it() {
    let mut text = anthropic(&[START, TEXT, &text_delta("kept")]);
    text.push_str("data: ");
    text.push_str(&"x".repeat(10_000_000));
    for size in [16 * 1024, text.len()] {
        let (events, error) = decoded(Protocol::Anthropic, text.as_bytes().chunks(size));
        assert_eq!(error.unwrap(), "error Broken(TooLarge { limit: 8388608 })");
        assert_eq!(
            events.last(),
            Some(&agent::model::ModelEvent::TextDelta { index: 0, text: "kept".to_owned() })
        );
    }
}
