use std::io::Read as _;
use std::path::Path;

use workspace::lock::{Held, LockError, TurnLock};

use crate::child;

#[test]
fn the_second_is_told_who_was_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let first = TurnLock::take(&path, "claude", 42).unwrap();
    let Err(LockError::Held(held)) = TurnLock::take(&path, "codex", 43) else {
        panic!("two turns at once");
    };
    assert_eq!(held, Held { by: "claude".to_owned(), pid: std::process::id(), since: 42 });
    drop(first);
    drop(TurnLock::take(&path, "codex", 44).unwrap());
}

#[test]
fn a_turn_of_another_process_holds_until_it_dies() {
    if child::is_child() {
        let _turn = TurnLock::take(Path::new(&child::told()), "child", 7).unwrap();
        println!("ready");
        std::io::stdin().read_to_string(&mut String::new()).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    for _ in 0..3 {
        let mut other =
            child::start("lock::a_turn_of_another_process_holds_until_it_dies", path.to_str().unwrap());
        let Err(LockError::Held(held)) = TurnLock::take(&path, "parent", 8) else {
            panic!("two turns at once");
        };
        assert_eq!(held, Held { by: "child".to_owned(), pid: other.id(), since: 7 });
        other.kill().unwrap();
        other.wait().unwrap();
        drop(TurnLock::take(&path, "parent", 9).unwrap());
    }
}

#[test]
fn a_turn_that_a_dead_process_left_to_one_it_was_starting_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let held = |pid: u32| {
        let note = serde_json::json!({ "by": "the daemon", "pid": pid, "since": 1 });
        std::fs::write(&path, note.to_string()).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        file.try_lock().unwrap();
        file
    };
    let left = held(dead.id());
    let (sender, taken) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(TurnLock::take(&path, "next", 2).map(drop)).unwrap());
        let early = taken.recv_timeout(std::time::Duration::from_millis(50));
        assert!(early.is_err(), "it waits: {early:?}");
        drop(left);
        taken.recv().unwrap().unwrap();
    });
    let _living = held(std::process::id());
    assert!(matches!(TurnLock::take(&path, "next", 3), Err(LockError::Held(_))), "one that lives is told of");
}

#[test]
fn of_many_at_once_one_has_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let count = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    if let Ok(turn) = TurnLock::take(&path, "thread", 0) {
                        use std::sync::atomic::Ordering::SeqCst;
                        assert_eq!(count.fetch_add(1, SeqCst), 0);
                        count.fetch_sub(1, SeqCst);
                        drop(turn);
                    }
                }
            });
        }
    });
}
