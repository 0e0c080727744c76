//! The latest requests that had a name, so that one sent twice is done once. Never remembers a failure: that may be tried again.

use std::collections::{HashMap, VecDeque};

use crate::command::{Actor, Reply};

/// How many requests are remembered.
const REQUESTS_MAX: usize = 1000;

type Key = (Actor, String);

/// What was answered to whom.
#[derive(Debug, Default)]
pub(super) struct Requests {
    order: VecDeque<Key>,
    replies: HashMap<Key, Reply>,
}

impl Requests {
    /// The answer of then, if this was asked before.
    pub(super) fn find(&self, actor: &Actor, id: Option<&str>) -> Option<Reply> {
        let reply = self.replies.get(&(actor.clone(), id?.to_owned()))?;
        Some(Reply { duplicate: true, ..reply.clone() })
    }

    pub(super) fn remember(&mut self, actor: &Actor, id: Option<&str>, reply: &Reply) {
        let Some(id) = id else { return };
        let key = (actor.clone(), id.to_owned());
        if self.replies.insert(key.clone(), reply.clone()).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > REQUESTS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.replies.remove(&oldest);
            }
        }
    }
}
