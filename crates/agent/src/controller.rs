//! Stopping what runs, from a session down to a single tool. Never starts a thread and never waits: who listens is woken.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

/// A switch that can be turned once. Those made from it by [`child`](Self::child) turn with it: a session stops its turns, a turn
/// its stream and its tools; never the other way.
///
/// ```
/// let turn = agent::StreamController::new();
/// let tool = turn.child();
/// tool.abort();
/// assert!(!turn.is_aborted());
/// turn.abort();
/// assert!(turn.child().is_aborted());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamController {
    node: Arc<Node>,
}

#[derive(Debug, Default)]
struct Node {
    aborted: AtomicBool,
    listeners: Mutex<Listeners>,
}

#[derive(Debug, Default)]
struct Listeners {
    children: Vec<Weak<Node>>,
    wakers: Vec<(u64, Waker)>,
    next: u64,
}

impl StreamController {
    /// A switch of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// A switch that turns with this one.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Self::new();
        let mut listeners = self.node.lock();
        // Under the lock, so that an abort either sees the child or is seen by it.
        if self.is_aborted() {
            drop(listeners);
            child.abort();
            return child;
        }
        listeners.children.retain(|known| known.strong_count() > 0);
        listeners.children.push(Arc::downgrade(&child.node));
        drop(listeners);
        child
    }

    /// Stops all below. Doing it again does nothing.
    pub fn abort(&self) {
        // A list and no recursion: a tree may be deeper than the stack.
        let mut open = vec![Arc::clone(&self.node)];
        while let Some(node) = open.pop() {
            let mut listeners = node.lock();
            node.aborted.store(true, Ordering::SeqCst);
            let children = std::mem::take(&mut listeners.children);
            let wakers = std::mem::take(&mut listeners.wakers);
            drop(listeners);
            open.extend(children.iter().filter_map(Weak::upgrade));
            wakers.into_iter().for_each(|(_, waker)| waker.wake());
        }
    }

    /// Whether it was stopped.
    pub fn is_aborted(&self) -> bool {
        self.node.aborted.load(Ordering::SeqCst)
    }

    /// A future that is ready as soon as this is stopped, also if it already was.
    pub fn subscribe(&self) -> Aborted {
        Aborted { node: Arc::clone(&self.node), key: None }
    }
}

impl Node {
    /// A panic of another thread leaves the lists whole, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ready when its [`StreamController`] is stopped.
#[derive(Debug)]
pub struct Aborted {
    node: Arc<Node>,
    key: Option<u64>,
}

impl Future for Aborted {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let mut listeners = this.node.lock();
        if this.node.aborted.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        let key = *this.key.get_or_insert_with(|| {
            listeners.next += 1;
            listeners.next
        });
        // The old waker is dropped after the lock: dropping it may drop a task, and with it another listener of this node.
        let new = context.waker().clone();
        let old = match listeners.wakers.iter_mut().find(|(known, _)| *known == key) {
            Some((_, waker)) => Some(std::mem::replace(waker, new)),
            None => {
                listeners.wakers.push((key, new));
                None
            }
        };
        drop(listeners);
        drop(old);
        Poll::Pending
    }
}

impl Drop for Aborted {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let mut listeners = self.node.lock();
        let place = listeners.wakers.iter().position(|(known, _)| *known == key);
        let waker = place.map(|place| listeners.wakers.swap_remove(place));
        drop(listeners);
        drop(waker);
    }
}
