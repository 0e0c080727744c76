//! What many threads find, put together. Never makes one wait for another while it looks.

use std::sync::Mutex;

use crate::process::locked;

pub(super) struct Gathered<T> {
    all: Mutex<Vec<T>>,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Self { all: Mutex::new(Vec::new()) }
    }
}

impl<T: Ord> Gathered<T> {
    /// What one thread finds. It is put to the rest when the thread is done.
    pub(super) fn sheaf(&self) -> Sheaf<'_, T> {
        Sheaf { gathered: self, items: Vec::new() }
    }

    pub(super) fn sorted(self) -> Vec<T> {
        let mut all = self.all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.sort_unstable();
        all
    }
}

pub(super) struct Sheaf<'a, T> {
    gathered: &'a Gathered<T>,
    items: Vec<T>,
}

impl<T> Sheaf<'_, T> {
    pub(super) fn items(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<T> Drop for Sheaf<'_, T> {
    fn drop(&mut self) {
        locked(&self.gathered.all).append(&mut self.items);
    }
}
