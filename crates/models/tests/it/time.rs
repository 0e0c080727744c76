//! Waits and their limits, on a clock that the test winds.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, stream};
use models::answer::Answer;
use models::stream::decode;
use models::{Protocol, Timeouts};
use tokio::time::Instant;

use crate::samples::hello;
use crate::told::{decoded, error_line, line, told};

type Pieces = Pin<Box<dyn Stream<Item = Result<Vec<u8>, String>> + Send>>;

/// Each piece after a wait; after the last one, for ever nothing.
fn slowly(pieces: Vec<Vec<u8>>, wait: Duration) -> Pieces {
    let sent = stream::iter(pieces).then(move |piece| async move {
        tokio::time::sleep(wait).await;
        Ok(piece)
    });
    Box::pin(sent.chain(stream::pending()))
}

async fn read(protocol: Protocol, body: Pieces) -> String {
    let mut events = decode(body, Answer::new(protocol, 1), Timeouts::default());
    let mut lines = Vec::new();
    while let Some(item) = events.next().await {
        lines.push(item.as_ref().map_or_else(error_line, line));
    }
    lines.join("\n") + "\n"
}

#[tokio::test(start_paused = true)]
async fn one_byte_a_second_is_an_answer_like_any_other() {
    for protocol in Protocol::ALL {
        let text = hello(protocol);
        let pieces = text.bytes().map(|byte| vec![byte]).collect();
        let begun = Instant::now();
        let read = read(protocol, slowly(pieces, Duration::from_secs(1))).await;
        assert_eq!(read, told(&decoded(protocol, [text.as_bytes()])));
        // It ended with its last event, or two seconds after it was whole, and no time limit struck.
        assert!(begun.elapsed().as_secs() <= text.len() as u64 + 2, "{protocol}");
    }
}

// R5
#[tokio::test(start_paused = true)]
async fn silence_before_and_within_an_answer_has_limits_of_its_own() {
    let begun = Instant::now();
    let silent = read(Protocol::Anthropic, slowly(Vec::new(), Duration::ZERO)).await;
    assert_eq!(silent, "error Retry { after: None, reason: Cut(\"nothing came for 60 s\") }\n");
    assert_eq!(begun.elapsed().as_secs(), 60);

    let begun = Instant::now();
    let head = b"event: ping\ndata: {\"type\":\"ping\"}\n\n".to_vec();
    let stalled = read(Protocol::Anthropic, slowly(vec![head.clone(), head], Duration::from_secs(50))).await;
    // The pings count as life: fifty seconds each, then the limit.
    assert_eq!(begun.elapsed().as_secs(), 220);
    assert!(stalled.ends_with("Cut(\"nothing came for 120 s\") }\n"), "{stalled}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_hang_up_after_a_whole_answer_is_not_waited_for() {
    let text = hello(Protocol::Chat).replace("data: [DONE]\n\n", "");
    let begun = Instant::now();
    let read = read(Protocol::Chat, slowly(vec![text.into_bytes()], Duration::ZERO)).await;
    assert!(read.ends_with("stopped end_turn\n"), "{read}");
    assert_eq!(begun.elapsed().as_secs(), 2);
}
