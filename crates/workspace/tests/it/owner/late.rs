//! Those who ask while a turn is under way.

use std::sync::mpsc;

use tokio::task::JoinHandle;

use super::*;
use crate::memory_keeper::{Fault, Gate};

/// A turn that has read the file and goes no further until it is let go.
struct Begun {
    desk: Desk,
    first: JoinHandle<Reply>,
    go: mpsc::Sender<()>,
}

impl Begun {
    async fn new() -> Self {
        let desk = open(RUN);
        let (reached, has_reached) = mpsc::channel();
        let (go, is_let_go) = mpsc::channel();
        desk.keeper.with(|disk| disk.gate = Some(Gate { reached, is_let_go }));
        let first = asked(&desk, append("Researcher", "first").by(worker("Researcher"))).await;
        tokio::task::spawn_blocking(move || has_reached.recv()).await.unwrap().unwrap();
        Self { desk, first, go }
    }

    async fn ask(&self, request: Request) -> JoinHandle<Reply> {
        asked(&self.desk, request).await
    }
}

/// Has the request in the owner's mailbox when this returns.
async fn asked(desk: &Desk, request: Request) -> JoinHandle<Reply> {
    let handle = desk.handle.clone();
    let task = tokio::spawn(async move { handle.execute(request).await });
    // The runtime has one thread: the task runs until it waits for its answer.
    tokio::task::yield_now().await;
    task
}

#[tokio::test]
async fn appends_that_come_in_the_middle_of_a_turn_share_its_write_in_their_order() {
    let turn = Begun::new().await;
    let second = turn.ask(append("Researcher", "second").by(worker("Researcher"))).await;
    let third = turn.ask(append("Terminal", "third").by(worker("Terminal"))).await;
    let fourth = turn.ask(append("Researcher", "fourth").by(worker("Researcher"))).await;
    assert!(!second.is_finished() && turn.desk.keeper.writes() == 0);
    turn.go.send(()).unwrap();
    for (task, revision) in [(turn.first, 1), (second, 3), (third, 2), (fourth, 4)] {
        let reply = task.await.unwrap();
        assert!(bytes(&reply) > 0);
        assert_eq!(reply.revision, revision);
    }
    let text = turn.desk.keeper.file();
    let expected = RUN
        .replace("found one\n", "found one\n\nfirst\n\nsecond\n\nfourth\n")
        .replace("## Terminal\n<!-- proposal -->\n", "## Terminal\n<!-- proposal -->\nthird\n");
    assert_eq!(text, expected);
    assert_eq!(turn.desk.keeper.with(|disk| (disk.writes, disk.notes, disk.entries.len())), (1, 1, 4));
}

#[tokio::test]
async fn a_disk_that_fails_refuses_also_those_who_came_in_the_middle() {
    let turn = Begun::new().await;
    turn.desk.keeper.with(|disk| disk.faults.push_back(Fault::Fail));
    let second = turn.ask(append("Terminal", "second").by(worker("Terminal"))).await;
    turn.go.send(()).unwrap();
    for task in [turn.first, second] {
        let (_, message) = refusal(task.await.unwrap());
        assert!(message.contains("not in the file yet"), "{message}");
    }
    turn.desk.handle.settled().await;
    let text = turn.desk.keeper.file();
    assert!(text.contains("first\n") && text.contains("second\n"), "{text}");
}

#[tokio::test]
async fn whoever_asks_after_a_save_is_answered_from_that_save() {
    let turn = Begun::new().await;
    turn.desk.keeper.save(&format!("{RUN}\n## Editor\n<!-- proposal -->\n"));
    let in_saved = turn.ask(append("Editor", "one").by(worker("Editor"))).await;
    let seen = turn.ask(read_section("Editor").by(worker("Editor"))).await;
    let behind = turn.ask(append("Editor", "two").by(worker("Editor"))).await;
    turn.go.send(()).unwrap();
    assert!(bytes(&turn.first.await.unwrap()) > 0);
    assert!(bytes(&in_saved.await.unwrap()) > 0);
    let FileResult::SectionContent { content, .. } = seen.await.unwrap().result else { panic!("no section") };
    assert_eq!(content, "<!-- proposal -->\none\n");
    assert!(bytes(&behind.await.unwrap()) > 0);
    assert!(turn.desk.keeper.file().ends_with("## Editor\n<!-- proposal -->\none\n\ntwo\n"));
}

#[tokio::test]
async fn an_owner_that_is_stopped_in_the_middle_has_written_what_it_took() {
    let mut turn = Begun::new().await;
    let second = turn.ask(append("Terminal", "second").by(worker("Terminal"))).await;
    let seen = turn.ask(read().by(worker("Terminal"))).await;
    turn.desk.handle.stop().await;
    turn.go.send(()).unwrap();
    assert!(bytes(&turn.first.await.unwrap()) > 0);
    assert!(bytes(&second.await.unwrap()) > 0);
    assert!(matches!(seen.await.unwrap().result, FileResult::Content { .. }));
    turn.desk.tasks.join_next().await.unwrap().unwrap();
    let text = turn.desk.keeper.file();
    assert!(text.contains("first\n") && text.contains("second\n"), "{text}");
}
