//! What the owner does when the disk, or somebody else on it, does the unexpected.

use std::time::Duration;

use workspace::command::FileErrorKind;
use workspace::event::{ChangeKind, Event};

use super::*;
use crate::memory_keeper::Fault;

// C08
#[tokio::test]
async fn a_save_with_another_program_is_taken_in_as_the_persons_edit() {
    let desk = open(RUN);
    let mut events = desk.handle.subscribe();
    desk.keeper.save(&RUN.replace("found one", "found one!"));
    desk.handle.file_changed();
    let Some(Event::Changed(changed)) = events.next().await else { panic!("no event") };
    assert_eq!((changed.revision, changed.base, changed.kind), (1, 0, ChangeKind::Saved));
    assert_eq!(changed.author.name(), "user");
    assert!(desk.handle.read().text.contains("found one!"));
    assert_eq!(desk.keeper.writes(), 0);
}

#[tokio::test]
async fn a_save_that_nobody_announced_is_kept_by_the_next_command() {
    let desk = open(RUN);
    desk.keeper.save(&RUN.replace("found one", "found one, said Anna"));
    let reply = desk.ask(append("Researcher", "found two").by(worker("Researcher"))).await;
    assert_eq!(reply.revision, 2);
    assert!(desk.keeper.file().contains("found one, said Anna\n\nfound two\n"));
    let (kind, _) = refusal(desk.ask(edit("Researcher", "found two", "x").by(anna()).on(0)).await);
    assert!(matches!(kind, FileErrorKind::Conflict { current_revision: 2, .. }));
}

// C09
#[tokio::test]
async fn the_same_bytes_again_are_no_event() {
    let desk = open(RUN);
    let mut events = desk.handle.subscribe();
    desk.keeper.save(RUN);
    desk.handle.file_changed();
    desk.handle.settled().await;
    desk.ask(append("User", "x").by(anna())).await;
    let Some(Event::Changed(first)) = events.next().await else { panic!("no event") };
    assert_eq!((first.revision, first.kind), (1, ChangeKind::Appended));
}

#[tokio::test]
async fn a_save_that_races_a_write_is_merged_with_it() {
    let desk = open(RUN);
    let save = |note: &str| RUN.replace("# Compare\n", &format!("# Compare\n\n{note}\n"));
    desk.keeper.with(|disk| {
        disk.faults.extend([Fault::Race(save("first")), Fault::Race(save("second"))]);
    });
    let reply = desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await;
    assert!(bytes(&reply) > 0);
    let file = desk.keeper.file();
    assert!(file.contains("second\n") && file.contains("ran\n"), "{file}");
    assert_eq!(file, *desk.handle.read().text);
    assert_eq!(desk.keeper.writes(), 3);
}

#[tokio::test]
async fn a_file_that_is_raced_without_end_is_given_up_for_now_and_no_word_is_lost() {
    let desk = open(RUN);
    let faults = (0..40).map(|n| Fault::Race(RUN.replace("found one", &format!("found {n}"))));
    desk.keeper.with(|disk| disk.faults.extend(faults));
    let (kind, _) = refusal(desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await);
    assert_eq!(kind, FileErrorKind::IoError);
    desk.keeper.with(|disk| disk.faults.clear());
    desk.ask(append("User", "x").by(anna())).await;
    assert!(desk.keeper.file().contains("ran\n"));
}

// FT-1, FT-2
#[tokio::test(start_paused = true)]
async fn a_full_disk_keeps_the_text_tells_the_caller_and_tries_again_once_a_second() {
    let desk = open(RUN);
    let mut events = desk.handle.subscribe();
    desk.keeper.with(|disk| disk.is_broken = true);
    let request = append("Terminal", "ran").by(worker("Terminal")).named("r1");
    let (kind, message) = refusal(desk.ask(request.clone()).await);
    assert_eq!(kind, FileErrorKind::IoError);
    assert!(message.contains("do not send it again") && message.contains("draft.md"), "{message}");
    assert!(desk.handle.read().text.contains("ran\n"));
    assert_eq!(desk.keeper.file(), RUN);
    assert_eq!(refusal(desk.ask(request.clone()).await).0, FileErrorKind::IoError);
    desk.keeper.with(|disk| disk.is_broken = false);
    let begun = tokio::time::Instant::now();
    let Some(Event::Changed(changed)) = events.next().await else { panic!("no event") };
    assert!(begun.elapsed() <= Duration::from_secs(2));
    assert_eq!(changed.revision, 1);
    assert_eq!(desk.keeper.file().matches("ran").count(), 1);
    let again = desk.ask(request).await;
    assert_eq!((again.revision, again.duplicate, bytes(&again)), (1, true, 3));
}

#[tokio::test]
async fn an_unreadable_file_refuses_changes_and_says_that_nothing_was_changed() {
    let desk = open(RUN);
    desk.keeper.with(|disk| disk.is_unreadable = true);
    let (kind, message) = refusal(desk.ask(append("User", "x").by(anna())).await);
    assert_eq!(kind, FileErrorKind::IoError);
    assert!(message.contains("nothing was changed"), "{message}");
    desk.keeper.with(|disk| disk.is_unreadable = false);
    assert_eq!(desk.ask(append("User", "x").by(anna())).await.revision, 1);
}

#[tokio::test]
async fn a_deleted_file_is_not_made_again_and_its_text_is_still_there() {
    let desk = open(RUN);
    desk.keeper.with(|disk| disk.file = None);
    for request in [append("User", "x").by(anna()), read().by(anna())] {
        let (kind, message) = refusal(desk.ask(request).await);
        assert_eq!(kind, FileErrorKind::NotFound);
        assert!(message.contains("restore the file"), "{message}");
    }
    assert_eq!(desk.keeper.with(|disk| disk.file.clone()), None);
    assert_eq!(&*desk.handle.read().text, RUN);
    desk.keeper.save(RUN);
    assert_eq!(desk.ask(append("User", "x").by(anna())).await.revision, 1);
}

// F21
#[tokio::test]
async fn a_caller_that_went_away_does_not_matter() {
    let desk = open(RUN);
    {
        let call = desk.ask(append("User", "still written").by(anna()));
        tokio::pin!(call);
        assert!(futures_now(call.as_mut()).await.is_none());
    }
    desk.handle.settled().await;
    assert!(desk.keeper.file().contains("still written"));
    assert_eq!(desk.ask(append("User", "x").by(anna())).await.revision, 2);
}

/// Polls once.
async fn futures_now<T>(mut call: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    std::future::poll_fn(|context| match call.as_mut().poll(context) {
        std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

// F22, FT-18
#[tokio::test]
async fn a_panic_ends_the_owner_and_callers_hear_of_it() {
    let desk = open(RUN);
    desk.ask(append("User", "kept").by(anna())).await;
    desk.keeper.with(|disk| disk.faults.push_back(Fault::Panic));
    let (kind, message) = refusal(desk.ask(append("User", "x").by(anna())).await);
    assert_eq!(kind, FileErrorKind::IoError);
    assert!(message.contains("open it again"), "{message}");
    assert!(desk.handle.is_closed());
    assert!(desk.handle.read().text.contains("kept"));
}

#[tokio::test]
async fn stopping_writes_what_waits_and_ends() {
    let mut desk = open(RUN);
    let call = desk.handle.clone();
    let asked = tokio::spawn(async move { call.execute(append("User", "last words").by(anna())).await });
    tokio::task::yield_now().await;
    desk.handle.stop().await;
    while desk.tasks.join_next().await.is_some() {}
    assert!(bytes(&asked.await.unwrap()) > 0);
    assert!(desk.keeper.file().contains("last words"));
    let (_, message) = refusal(desk.ask(read().by(anna())).await);
    assert!(message.contains("closed"), "{message}");
}
