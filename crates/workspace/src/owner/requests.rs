//! The latest requests that had a name, so that one sent twice is done once. Never remembers a failure: that may be tried again.

use std::collections::{HashMap, VecDeque};

use document::Author;

use crate::command::{Actor, FileResult, Reply};
use crate::keeper::Done;

/// How many requests are remembered.
const REQUESTS_MAX: usize = 1000;

type Key = (Author, String);

/// What was answered to whom.
#[derive(Debug, Default)]
pub(super) struct Requests {
    order: VecDeque<Key>,
    replies: HashMap<Key, Reply>,
}

impl Requests {
    /// Begins with what an earlier owner of the document did.
    pub(super) fn of(done: &[Done]) -> Self {
        let mut requests = Self::default();
        for done in done {
            let result = FileResult::Written { bytes: done.bytes };
            let reply = Reply { revision: done.revision, duplicate: false, result };
            requests.keep((done.author.clone(), done.request.clone()), &reply);
        }
        requests
    }

    /// The answer of then, if this was asked before.
    pub(super) fn find(&self, actor: &Actor, id: Option<&str>) -> Option<Reply> {
        let reply = self.replies.get(&(actor.author(), id?.to_owned()))?;
        Some(Reply { duplicate: true, ..reply.clone() })
    }

    pub(super) fn remember(&mut self, actor: &Actor, id: Option<&str>, reply: &Reply) {
        if let Some(id) = id {
            self.keep((actor.author(), id.to_owned()), reply);
        }
    }

    fn keep(&mut self, key: Key, reply: &Reply) {
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
