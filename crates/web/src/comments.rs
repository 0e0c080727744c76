//! What people say about passages: read, written and told to pages. Never touches the text, and never takes one request twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as Latch, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::StatusCode;
use tokio::sync::{Mutex, watch};
use uuid::Uuid;
use workspace::Revision;
use workspace::comments::{
    Anchor, COMMENTS_MAX, Comment, Comments, Place, REMARKS_MAX, Remark, utf8_to_utf16, utf16_to_utf8,
};
use workspace::hub::Hub;

use crate::refused::{Answer, Refused};
use crate::wire::{CommentChange, WireComment};

/// The longest remark, and the longest passage that is commented on, in bytes.
const REMARK_MAX: usize = 16 << 10;
const QUOTE_MAX: usize = 64 << 10;
/// How many documents' comments are at hand.
const DOCUMENTS_MAX: usize = 256;

/// The comments of one document, where they are at a revision.
#[derive(Debug)]
pub(crate) struct Commented {
    pub(crate) revision: Revision,
    pub(crate) comments: Vec<WireComment>,
}

/// The comments of all documents of a server.
pub(crate) struct Book {
    hub: Hub,
    /// Held while a file is read and written again.
    writing: Mutex<()>,
    /// The latest of each document that somebody changed.
    latest: Latch<HashMap<String, Arc<Commented>>>,
    changes: watch::Sender<u64>,
}

/// Who says something, and under which name.
pub(crate) struct Speaker {
    pub(crate) author: String,
    pub(crate) request: Option<String>,
}

impl Book {
    pub(crate) fn new(hub: Hub) -> Book {
        Book { hub, writing: Mutex::default(), latest: Latch::default(), changes: watch::Sender::new(0) }
    }

    /// Changes when a comment of any document does.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// What was last told about a document.
    pub(crate) fn latest(&self, path: &str) -> Option<Arc<Commented>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// All comments of a document, where they are now.
    pub(crate) async fn of(&self, path: &str) -> Answer<Commented> {
        let kept = read(self.hub.comments(path).await?).await?;
        Ok(self.placed(path, kept).await?.1)
    }

    /// Does what somebody wants with a comment.
    pub(crate) async fn change(
        &self,
        path: &str,
        change: CommentChange,
        by: Speaker,
    ) -> Answer<Arc<Commented>> {
        let _alone = self.writing.lock().await;
        let file = self.hub.comments(path).await?;
        let kept = read(file.clone()).await?;
        let (mut kept, _) = self.placed(path, kept).await?;
        if !is_done(&kept, by.request.as_deref()) {
            self.apply(path, &mut kept, change, by).await?;
            let keeping = kept.clone();
            let written = tokio::task::spawn_blocking(move || file.set(keeping)).await;
            written.map_err(|_| failed("the program ends"))?.map_err(|error| failed(&error))?;
        }
        let told = Arc::new(self.placed(path, kept).await?.1);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.len() >= DOCUMENTS_MAX {
            // Whoever comes later reads the file.
            latest.clear();
        }
        latest.insert(path.to_owned(), Arc::clone(&told));
        drop(latest);
        self.changes.send_modify(|count| *count += 1);
        Ok(told)
    }

    async fn apply(
        &self,
        path: &str,
        kept: &mut Vec<Comment>,
        change: CommentChange,
        by: Speaker,
    ) -> Answer<()> {
        match change {
            CommentChange::Add { start, quote, text } => {
                if kept.len() >= COMMENTS_MAX {
                    return Err(wrong(&format!(
                        "a document has at most {COMMENTS_MAX} comments; resolve some"
                    )));
                }
                let snapshot = self.hub.document(path).await?.read();
                let wanted = utf16_to_utf8(&snapshot.text, start);
                let is_fit = !quote.trim().is_empty() && quote.len() <= QUOTE_MAX;
                let anchor = Some(&quote).filter(|_| is_fit);
                let anchor =
                    anchor.and_then(|quote| Anchor::found(&snapshot.text, snapshot.revision, wanted, quote));
                let anchor = anchor
                    .ok_or_else(|| wrong("the passage does not stand there any more; select it again"))?;
                let remarks = vec![remark(text, by)?];
                kept.push(Comment { id: Uuid::now_v7().to_string(), anchor, remarks, is_resolved: false });
            }
            CommentChange::Reply { id, text } => {
                let comment = named(kept, &id)?;
                if comment.remarks.len() >= REMARKS_MAX {
                    return Err(wrong("enough was said about this passage; begin another comment"));
                }
                comment.remarks.push(remark(text, by)?);
                comment.is_resolved = false;
            }
            CommentChange::Resolve { id, resolved } => named(kept, &id)?.is_resolved = resolved,
            CommentChange::Remove { id } => {
                named(kept, &id)?;
                kept.retain(|comment| comment.id != id);
            }
        }
        Ok(())
    }

    /// Where comments are now; and the same to be kept, so that less has to be carried the next time.
    async fn placed(&self, path: &str, kept: Vec<Comment>) -> Answer<(Vec<Comment>, Commented)> {
        let snapshot = self.hub.document(path).await?.read();
        if kept.is_empty() {
            return Ok((kept, Commented { revision: snapshot.revision, comments: Vec::new() }));
        }
        let history = self.hub.history(path).await?;
        let (text, revision) = (&snapshot.text, snapshot.revision);
        let mut comments = Vec::with_capacity(kept.len());
        let mut carried = Vec::with_capacity(kept.len());
        for mut comment in kept {
            let (range, is_gone) = match comment.anchor.place(text, revision, history.entries()) {
                Place::At(range) => (range, false),
                Place::Gone(at) => (at..at, true),
            };
            let (start, end) = (utf8_to_utf16(text, range.start), utf8_to_utf16(text, range.end));
            comments.push(WireComment::new(&comment, start, end, is_gone));
            if !is_gone {
                (comment.anchor.revision, comment.anchor.range) = (revision, range);
            }
            carried.push(comment);
        }
        Ok((carried, Commented { revision, comments }))
    }
}

async fn read(file: Comments) -> Answer<Vec<Comment>> {
    let read = tokio::task::spawn_blocking(move || file.get()).await;
    read.map_err(|_| failed("the program ends"))?.map_err(|error| failed(&error))
}

/// Whether a request of this name was done.
fn is_done(kept: &[Comment], request: Option<&str>) -> bool {
    let mut remarks = kept.iter().flat_map(|comment| &comment.remarks);
    request.is_some() && remarks.any(|remark| remark.request.as_deref() == request)
}

fn named<'c>(kept: &'c mut [Comment], id: &str) -> Answer<&'c mut Comment> {
    let found = kept.iter_mut().find(|comment| comment.id == id);
    found.ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, "there is no such comment any more"))
}

fn remark(text: String, by: Speaker) -> Answer<Remark> {
    if text.trim().is_empty() || text.len() > REMARK_MAX {
        return Err(wrong(&format!("a remark has between one letter and {REMARK_MAX} bytes")));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = u64::try_from(since.as_millis()).unwrap_or_default();
    Ok(Remark { author: by.author, time, text, request: by.request })
}

fn wrong(message: &str) -> Refused {
    Refused::new(StatusCode::UNPROCESSABLE_ENTITY, message)
}

fn failed(why: impl std::fmt::Display) -> Refused {
    Refused::new(StatusCode::SERVICE_UNAVAILABLE, format!("the comments cannot be kept: {why}"))
}
