//! Switches that stop what runs.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use agent::StreamController;

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

// seed: test_abort_controller
#[test]
fn a_switch_is_turned_once_and_for_all() {
    let controller = StreamController::new();
    assert!(!controller.is_aborted());
    let same = controller.clone();
    controller.abort();
    controller.abort();
    assert!(controller.is_aborted() && same.is_aborted());
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(pin!(controller.subscribe()).poll(&mut context), Poll::Ready(()));
}

#[test]
fn it_turns_all_below_and_nothing_above() {
    let session = StreamController::new();
    let (turn, other) = (session.child(), session.child());
    let tool = turn.child();
    turn.abort();
    let all = [&session, &turn, &other, &tool].map(StreamController::is_aborted);
    assert_eq!(all, [false, true, false, true]);
    assert!(turn.child().is_aborted(), "a child of a stopped turn is stopped");
    assert!(!session.child().is_aborted(), "the next turn is not");
    session.abort();
    assert!(other.is_aborted());
}

#[test]
fn who_listens_is_woken_once_and_who_left_is_not() {
    let controller = StreamController::new();
    let tool = controller.child();
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut context = Context::from_waker(&waker);
    let mut stays = pin!(tool.subscribe());
    let mut leaves = Box::pin(tool.subscribe());
    for _ in 0..3 {
        assert_eq!(stays.as_mut().poll(&mut context), Poll::Pending);
        assert_eq!(leaves.as_mut().poll(&mut context), Poll::Pending);
    }
    drop(leaves);
    assert_eq!(Arc::strong_count(&count), 3, "one waker for each that listens");
    controller.abort();
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
    assert_eq!(stays.as_mut().poll(&mut context), Poll::Ready(()));
}

#[test]
fn a_very_deep_tree_is_turned_too() {
    let root = StreamController::new();
    let mut line = vec![root.child()];
    for depth in 0..100_000 {
        let next = line[depth].child();
        line.push(next);
    }
    root.abort();
    assert!(line.iter().all(StreamController::is_aborted));
}
