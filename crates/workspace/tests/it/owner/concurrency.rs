//! Many who write at once.

use std::time::Duration;

use workspace::command::{Actor, FileErrorKind, FileResult};
use workspace::event::Event;

use super::*;
use crate::memory_keeper::Fault;

/// One line per word, so that counting lines counts words.
fn count(text: &str, line: &str) -> usize {
    text.lines().filter(|found| *found == line).count()
}

// C01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_writers_append_ten_times_each_and_every_line_is_there_once_and_in_order() {
    let desk = open(RUN);
    let begun = std::time::Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let handle = desk.handle.clone();
        let name = if number % 2 == 0 { "Researcher" } else { "Terminal" };
        tasks.spawn(async move {
            for line in 0..10 {
                let request = append(name, &format!("w{number} l{line}")).by(worker(name));
                assert!(bytes(&handle.execute(request).await) > 0);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    println!("1000 appends: {} writes, {:?}", desk.keeper.writes(), begun.elapsed());
    let text = desk.keeper.file();
    for number in 0..100 {
        let places: Vec<usize> =
            (0..10).map(|line| text.find(&format!("\nw{number} l{line}\n")).unwrap()).collect();
        assert!(places.is_sorted());
        assert!((0..10).all(|line| count(&text, &format!("w{number} l{line}")) == 1));
    }
    assert_eq!(desk.handle.read().revision, 1000);
    assert_eq!(desk.keeper.with(|disk| disk.entries.len()), 1000);
    assert!(desk.keeper.writes() < 300);
    // One wait for the journal goes with each write, however many operations there are.
    let (notes, writes) = desk.keeper.with(|disk| (disk.notes, disk.writes));
    assert_eq!(notes, writes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_with_twenty_lines_each_are_all_there() {
    let desk = open("## User\n");
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let handle = desk.handle.clone();
        tasks.spawn(async move {
            let lines: Vec<String> = (0..20).map(|line| format!("writer {number} line {line}")).collect();
            for pair in lines.chunks(2) {
                handle.execute(append("User", &pair.join("\n")).by(Actor::User(format!("u{number}")))).await;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let text = desk.keeper.file();
    for number in 0..64 {
        assert!((0..20).all(|line| count(&text, &format!("writer {number} line {line}")) == 1));
    }
}

#[tokio::test]
async fn of_two_appends_of_one_turn_that_share_a_name_one_is_done() {
    for (one, other) in [("User", "User"), ("User", "Terminal")] {
        let desk = open(RUN);
        let ask = |section| desk.ask(append(section, "the same\n").by(anna()).named("r1"));
        let (first, second, third) =
            tokio::join!(ask(one), ask(other), desk.ask(append(other, "another\n").by(anna())));
        assert_eq!([first.duplicate, second.duplicate, third.duplicate], [false, true, false]);
        assert_eq!([bytes(&first), bytes(&second), bytes(&third)], [9, 9, 8]);
        let text = desk.keeper.file();
        assert_eq!((count(&text, "the same"), count(&text, "another")), (1, 1), "{text}");
    }
}

// C13
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_ten_thousand_appends_does_not_hold_up_a_person() {
    let desk = open(RUN);
    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let handle = desk.handle.clone();
        tasks.spawn(async move {
            let mut calls = JoinSet::new();
            for line in 0..100 {
                let handle = handle.clone();
                calls.spawn(async move {
                    let text = format!("flood {number} {line}");
                    handle.execute(append("Terminal", &text).by(worker("Terminal"))).await
                });
            }
            while calls.join_next().await.is_some() {}
        });
    }
    while desk.handle.read().revision == 0 {
        tokio::task::yield_now().await;
    }
    let before = desk.handle.read().revision;
    let begun = std::time::Instant::now();
    let reply = desk.ask(append("User", "please stop").by(anna())).await;
    let waited = begun.elapsed();
    assert!(bytes(&reply) > 0);
    let behind = reply.revision - before;
    println!("the person waited {waited:?}, behind {behind} appends");
    assert!(behind < 5000, "{behind}");
    while tasks.join_next().await.is_some() {}
    let text = desk.keeper.file();
    assert_eq!(text.lines().filter(|line| line.starts_with("flood ")).count(), 10_000);
    assert_eq!(desk.handle.read().revision, 10_001);
    println!("10000 appends: {} writes in {:?}", desk.keeper.writes(), begun.elapsed());
}

// C14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_read_during_writes_is_a_whole_revision() {
    let desk = open(RUN);
    let writer = desk.handle.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        for number in 0..300 {
            let text = format!("begin {number}\nmiddle {number}\nend {number}");
            writer.execute(append("Terminal", &text).by(worker("Terminal"))).await;
        }
    });
    let mut last = 0;
    while !tasks.is_empty() {
        let snapshot = desk.handle.read();
        assert!(snapshot.revision >= last);
        last = snapshot.revision;
        let reply = desk.ask(read().by(anna())).await;
        let FileResult::Content { content } = reply.result else { panic!("no text") };
        for text in [&*snapshot.text, &*content] {
            let begins = text.matches("begin ").count();
            assert_eq!((begins, begins), (text.matches("middle ").count(), text.matches("end ").count()));
            assert_eq!(document::section::find_sections(text).len(), 5);
        }
        assert_eq!(content.matches("begin ").count() as u64, reply.revision);
        if tasks.try_join_next().is_some() {
            break;
        }
    }
}

// C03, C04
#[tokio::test]
async fn a_person_types_inside_a_section_while_its_worker_appends() {
    let desk = open(RUN);
    for number in 0..20 {
        let typed = desk.keeper.file().replace("found one", &format!("found one ({number})"));
        let typed = typed.replace(&format!(" ({number}) ({})", number - 1), &format!(" ({number})"));
        desk.keeper.save(&typed);
        desk.ask(append("Researcher", &format!("found more {number}")).by(worker("Researcher"))).await;
    }
    let text = desk.keeper.file();
    assert!(text.contains("found one (19)"), "{text}");
    assert!((0..20).all(|number| count(&text, &format!("found more {number}")) == 1));
}

// C06, C07
#[tokio::test]
async fn a_section_that_a_person_removes_or_doubles_is_refused_until_it_is_mended() {
    let desk = open(RUN);
    let request = || append("Terminal", "ran").by(worker("Terminal"));
    desk.keeper.save(&RUN.replace("## Terminal\n<!-- proposal -->\n\n", ""));
    assert_eq!(refusal(desk.ask(request()).await).0, FileErrorKind::SectionNotFound);
    desk.keeper.save(&[RUN, "\n## Terminal\n"].concat());
    let (kind, message) = refusal(desk.ask(request()).await);
    assert_eq!(kind, FileErrorKind::MultipleMatches { count: 2 });
    assert!(message.contains("rename all but one"), "{message}");
    desk.keeper.save(RUN);
    assert!(bytes(&desk.ask(request()).await) > 0);
}

// C12
#[tokio::test]
async fn the_conductor_replaces_canon_on_an_old_base_if_only_others_changed_since() {
    let desk = open(RUN);
    for _ in 0..7 {
        desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await;
    }
    let reply = desk.ask(rewrite("Conductor", "canon").by(Actor::Conductor).on(0)).await;
    assert_eq!(reply.revision, 8);
    desk.keeper.save(&desk.keeper.file().replace("canon", "my canon"));
    let (kind, _) = refusal(desk.ask(rewrite("Conductor", "other").by(Actor::Conductor).on(8)).await);
    let current = "my canon\n\n".to_owned();
    assert_eq!(kind, FileErrorKind::Conflict { current_revision: 9, current });
}

// C11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_disk_of_one_document_does_not_hold_up_another() {
    let (stuck, other) = (open(RUN), open(RUN));
    stuck.keeper.with(|disk| disk.faults.push_back(Fault::Stall(Duration::from_millis(400))));
    let handle = stuck.handle.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { handle.execute(append("User", "slow").by(anna())).await });
    for number in 1..=20 {
        assert_eq!(other.ask(append("User", "quick").by(anna())).await.revision, number);
    }
    assert_eq!(stuck.handle.read().revision, 0, "the other one was quicker");
    assert_eq!(tasks.join_next().await.unwrap().unwrap().revision, 1);
}

#[tokio::test]
async fn a_failed_write_goes_in_with_the_next_one() {
    let desk = open(RUN);
    desk.keeper.with(|disk| disk.faults.push_back(Fault::Fail));
    assert_eq!(refusal(desk.ask(append("User", "one").by(anna())).await).0, FileErrorKind::IoError);
    assert_eq!(desk.ask(append("User", "two").by(anna())).await.revision, 2);
    assert!(desk.keeper.file().ends_with("one\n\ntwo\n"));
}

// C15
#[tokio::test]
async fn callers_that_call_each_other_in_the_middle_of_commands_do_not_lock_up() {
    let desk = open(RUN);
    let mut events = desk.handle.subscribe();
    let (worker_side, conductor_side) = (desk.handle.clone(), desk.handle.clone());
    let work = async {
        for _ in 0..50 {
            worker_side.execute(append("Researcher", "found").by(worker("Researcher"))).await;
            let base = worker_side.read().revision;
            worker_side
                .execute(rewrite("Conductor", &format!("saw {base}")).by(Actor::Conductor).on(base))
                .await;
        }
    };
    let conduct = async {
        let mut heard = 0;
        while heard < 50 {
            if let Some(Event::Changed(changed)) = events.next().await {
                heard += 1;
                conductor_side.execute(read_section("Researcher").by(Actor::Conductor)).await;
                assert!(changed.revision <= conductor_side.read().revision);
            }
        }
    };
    let both = async { tokio::join!(work, conduct) };
    tokio::time::timeout(Duration::from_secs(20), both).await.expect("nobody waits for ever");
}

#[tokio::test]
async fn a_listener_that_is_too_slow_is_told_to_read_anew() {
    let desk = open(RUN);
    let mut events = desk.handle.subscribe();
    let mut calls = JoinSet::new();
    for _ in 0..1500 {
        let handle = desk.handle.clone();
        calls.spawn(async move { handle.execute(append("User", "x").by(anna())).await });
    }
    while calls.join_next().await.is_some() {}
    assert_eq!(events.next().await, Some(Event::Resync));
    assert!(matches!(events.next().await, Some(Event::Changed(_))));
}
