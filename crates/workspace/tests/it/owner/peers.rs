//! Pages that join a document and write in it, with updates made by hand.

use document::Author;
use workspace::owner::{Joined, PeerEvent, PeerEvents, Target};

use super::*;

/// Types `text` at the very beginning, as the next words of `client`.
fn typing(client: u8, clock: u8, text: &str) -> Vec<u8> {
    let mut update = vec![1, 1, client, clock, 4, 1, 4];
    update.extend_from_slice(b"text");
    update.push(u8::try_from(text.len()).unwrap());
    update.extend_from_slice(text.as_bytes());
    update.push(0);
    update
}

async fn join(desk: &Desk, client: u64, name: &str) -> Joined {
    desk.handle.join(client, Author::new(name), None).await.unwrap()
}

/// What comes next that is not about names.
async fn next(events: &mut PeerEvents) -> PeerEvent {
    loop {
        match events.next().await.unwrap() {
            PeerEvent::Visitors(_) => {}
            event => return event,
        }
    }
}

async fn saved(events: &mut PeerEvents, number: u64) -> u64 {
    loop {
        if let PeerEvent::Saved { peer, count, .. } = events.next().await.unwrap()
            && peer == number
        {
            return count;
        }
    }
}

#[tokio::test]
async fn the_others_see_words_at_once_and_the_writer_hears_when_the_file_has_them() {
    let desk = open("Text.\n");
    let (mut anna, mut ben) = (join(&desk, 5, "anna").await, join(&desk, 6, "ben").await);
    assert!(anna.peer.update(typing(5, 0, "One. ")).await);
    assert!(matches!(next(&mut ben.events).await, PeerEvent::Update { from: Some(0), .. }));
    assert_eq!(saved(&mut anna.events, 0).await, 1);
    assert_eq!(desk.keeper.file(), "One. Text.\n");
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_between_two_writes_is_one_operation() {
    let desk = open_with("Text.\n", Options::default());
    let mut anna = join(&desk, 5, "anna").await;
    let before = desk.keeper.with(|disk| disk.entries.len());
    for (clock, letter) in ["a", "b", "c"].into_iter().enumerate() {
        anna.peer.update(typing(5, u8::try_from(clock).unwrap(), letter)).await;
    }
    while saved(&mut anna.events, 0).await < 3 {}
    let entries = desk.keeper.with(|disk| disk.entries.split_off(before));
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0].author, Author::new("anna"));
    assert_eq!(desk.keeper.file(), "cbaText.\n");
}

#[tokio::test]
async fn a_command_on_what_was_read_before_somebody_typed_is_a_conflict() {
    let desk = open(RUN);
    let base = desk.handle.read().revision;
    let mut anna = join(&desk, 5, "anna").await;
    anna.peer.update(typing(5, 0, "## Notes\nx\n\n")).await;
    saved(&mut anna.events, 0).await;
    let (kind, _) = refusal(desk.ask(write("new").by(super::anna()).on(base)).await);
    assert!(matches!(kind, FileErrorKind::Conflict { .. }), "{kind:?}");
}

#[tokio::test]
async fn a_peer_that_writes_as_another_is_sent_away_and_nothing_changes() {
    let desk = open("Text.\n");
    let (mut anna, mut ben) = (join(&desk, 5, "anna").await, join(&desk, 6, "ben").await);
    anna.peer.update(typing(6, 0, "Forged. ")).await;
    assert!(matches!(next(&mut anna.events).await, PeerEvent::Expelled { peer: 0, .. }));
    ben.peer.update(typing(6, 0, "Fine. ")).await;
    saved(&mut ben.events, 1).await;
    assert_eq!(desk.keeper.file(), "Fine. Text.\n");
    assert!(desk.handle.join(6, Author::new("mallory"), None).await.is_err());
}

#[tokio::test]
async fn words_are_not_called_saved_while_the_disk_fails() {
    let desk = open("Text.\n");
    let mut anna = join(&desk, 5, "anna").await;
    desk.keeper.with(|disk| disk.is_broken = true);
    anna.peer.update(typing(5, 0, "Kept. ")).await;
    assert!(matches!(next(&mut anna.events).await, PeerEvent::Update { .. }));
    assert!(matches!(next(&mut anna.events).await, PeerEvent::Unsaved { .. }));
    desk.keeper.with(|disk| disk.is_broken = false);
    assert_eq!(saved(&mut anna.events, 0).await, 1);
    assert_eq!(desk.keeper.file(), "Kept. Text.\n");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_shown_to_pages_before_it_is_written() {
    let desk = open_with(RUN, Options { interval: Duration::from_secs(60), ..Options::default() });
    let mut anna = join(&desk, 5, "anna").await;
    let stream =
        desk.handle.stream(Target::Section("Researcher".into()), worker("Researcher")).await.unwrap();
    stream.say("Shown at once, ").await.unwrap();
    assert!(matches!(next(&mut anna.events).await, PeerEvent::Update { from: None, .. }));
    assert!(!desk.keeper.file().contains("Shown at once"));
    stream.finish().await.unwrap();
    assert!(desk.keeper.file().contains("Shown at once"));
}

#[tokio::test]
async fn a_zero_byte_of_a_page_never_reaches_the_file() {
    let desk = open("Text.\n");
    let mut anna = join(&desk, 5, "anna").await;
    anna.peer.update(typing(5, 0, "a\0b ")).await;
    saved(&mut anna.events, 0).await;
    assert_eq!(desk.keeper.file(), "ab Text.\n");
}

#[tokio::test]
async fn a_page_of_before_a_restart_gets_another_session_and_its_words_in_once() {
    let first = open("Text.\n");
    let old = join(&first, 5, "anna").await.epoch;
    first.handle.stop().await;
    first.keeper.with(crate::memory_keeper::Disk::forget);
    let desk = open_kept(first.keeper.clone(), Options { interval: Duration::ZERO, ..Options::default() });
    let joined = desk.handle.join(5, Author::new("anna"), Some((old.to_string(), vec![0]))).await.unwrap();
    assert_ne!(joined.epoch, old);
    for _ in 0..2 {
        let reply = desk
            .handle
            .rebase(Author::new("anna"), "Text.\n".to_owned(), "Text. And more.\n".to_owned())
            .await;
        assert!(matches!(reply.result, FileResult::Written { .. }), "{reply:?}");
    }
    assert_eq!(desk.keeper.file(), "Text. And more.\n");
}
