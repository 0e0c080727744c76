//! A conversation as it was committed, record by record. Never changes what was said: it only adds, takes back a prompt that nobody
//! answered, or puts a summary in place of all before.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Block, Message, Role, ToolResult};

/// What the model gets for a call that was open when the session ended.
pub const SESSION_ENDED: &str =
    "Session ended before this tool finished. It may have done a part of its work.";

/// One line of a transcript. The lines in order make the conversation again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// Something was said.
    Message(Arc<Message>),
    /// The last message was taken back: a prompt that was stopped before the model said a word.
    Withdrawn,
    /// This message stands for all before it.
    Compacted(Arc<Message>),
}

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    messages: Vec<Arc<Message>>,
    calls: HashSet<String>,
}

impl History {
    /// An empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// The conversation of a transcript.
    pub fn replay(records: impl IntoIterator<Item = Record>) -> Self {
        let mut history = Self::new();
        records.into_iter().for_each(|record| history.apply(&record));
        history
    }

    /// What was said and still counts.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Adds a record.
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Message(message) => self.push(message),
            Record::Withdrawn => drop(self.messages.pop()),
            Record::Compacted(message) => {
                self.messages.clear();
                self.calls.clear();
                self.push(message);
            }
        }
    }

    fn push(&mut self, message: &Arc<Message>) {
        self.calls.extend(message.calls().map(|call| call.id.clone()));
        self.messages.push(Arc::clone(message));
    }

    /// Whether a call of this id was made.
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    /// Whether the model has something to answer.
    pub(crate) fn ends_with_person(&self) -> bool {
        self.messages.last().is_some_and(|last| last.role == Role::User)
    }

    /// The calls of the last message, if nobody answered them: the process ended while its tools ran.
    pub(crate) fn open_results(&self) -> Vec<Block> {
        let last = self.messages.last().filter(|last| last.role == Role::Assistant);
        let calls = last.into_iter().flat_map(|last| last.calls());
        calls.map(|call| Block::ToolResult(ToolResult::error(call.id.clone(), SESSION_ENDED))).collect()
    }
}
