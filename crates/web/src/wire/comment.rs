//! The JSON of comments. Positions are counted in UTF-16, as pages count. Never carries the text that is commented on, but for the
//! passage as it read.

use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};
use workspace::comments::Comment;

/// A passage, and what was said about it.
#[derive(Debug, Clone, Serialize, TS)]
pub struct WireComment {
    /// Its name.
    pub id: String,
    /// Where the passage begins.
    #[ts(type = "number")]
    pub start: usize,
    /// Where it ends.
    #[ts(type = "number")]
    pub end: usize,
    /// How it read when it was commented on.
    pub quote: String,
    /// Its words are gone.
    pub gone: bool,
    /// Nothing more is to be done about it.
    pub resolved: bool,
    /// What was said, in order.
    pub remarks: Vec<WireRemark>,
}

/// Something that somebody said.
#[derive(Debug, Clone, Serialize, TS)]
pub struct WireRemark {
    /// Who.
    pub author: String,
    /// Milliseconds since 1970.
    #[ts(type = "number")]
    pub time: u64,
    /// What.
    pub text: String,
}

/// Say something about a passage. `Idempotency-Key` names the request.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CommentCall {
    /// The document.
    pub path: String,
    /// Who says it.
    pub name: String,
    /// What to do.
    pub change: CommentChange,
}

/// What to do with a comment.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum CommentChange {
    /// Begin one.
    Add {
        /// Where the passage begins in the page.
        #[ts(type = "number")]
        start: usize,
        /// The passage.
        quote: String,
        /// What is said about it.
        text: String,
    },
    /// Say one more thing.
    Reply {
        /// The comment.
        id: String,
        /// What is said.
        text: String,
    },
    /// Say that nothing more is to be done, or that something is.
    Resolve {
        /// The comment.
        id: String,
        /// Whether nothing is.
        resolved: bool,
    },
    /// Take it away, with all that was said.
    Remove {
        /// The comment.
        id: String,
    },
}

impl WireComment {
    pub(crate) fn new(comment: &Comment, start: usize, end: usize, gone: bool) -> WireComment {
        let remarks = comment.remarks.iter().map(|remark| WireRemark {
            author: remark.author.clone(),
            time: remark.time,
            text: remark.text.clone(),
        });
        WireComment {
            id: comment.id.clone(),
            start,
            end,
            quote: comment.anchor.quote.clone(),
            gone,
            resolved: comment.is_resolved,
            remarks: remarks.collect(),
        }
    }
}

pub(super) fn declarations(config: &Config) -> [String; 4] {
    [
        WireComment::decl(config),
        WireRemark::decl(config),
        CommentCall::decl(config),
        CommentChange::decl(config),
    ]
}
