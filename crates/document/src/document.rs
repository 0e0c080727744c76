//! One living document: its text, who wrote it, where agents go on writing, and the versions that people's editors may have
//! loaded. Never touches a file; the caller reads and writes, and tells the document what it read and wrote.

mod absorb;
mod anchor;
mod replay;
mod session;
mod state;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub use absorb::Absorbed;
pub use anchor::Anchor;
use anchor::Anchors;

use crate::diff::{Hunk, diff, is_word, slice};
use crate::history::History;
pub use crate::history::Revision;
use crate::replica::Replica;
pub use crate::replica::{Author, Edit, MalformedUpdate, StateError, UpdateError};
use crate::text::{LineEnding, with_line_ending};
use crate::versions::Versions;

/// The line ending of a document is read off this many bytes.
const SAMPLE_BYTES: usize = 16 * 1024;

/// A document that people and agents write in at the same time.
///
/// ```
/// use document::{Author, Document};
///
/// let (anna, agent) = (Author::new("anna"), Author::new("agent"));
/// let mut document = Document::open("# Plan\n\n", &anna);
/// let anchor = document.anchor_at(8)?;
///
/// document.insert_at(anchor, "First ", &agent)?;
/// document.publish(); // "First " is in the file now, and Anna's editor loads it.
/// document.insert_at(anchor, "answer.\n", &agent)?;
/// document.absorb("# The plan\n\nFirst ", &anna); // Anna saved meanwhile.
///
/// assert_eq!(document.text(), "# The plan\n\nFirst answer.\n");
/// # Ok::<(), document::EditError>(())
/// ```
pub struct Document {
    replica: Replica,
    history: History,
    versions: Versions,
    anchors: Anchors,
    revision: Revision,
    epoch: u64,
}

/// A span of text and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authored {
    /// The bytes of the span.
    pub range: Range<usize>,
    /// Who wrote it.
    pub author: Author,
}

/// One kept version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub revision: Revision,
    /// Who made it.
    pub author: Author,
}

/// Why an edit was not made. The document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The place does not lie in the text, or cuts a character in two.
    #[error("bytes {start} to {end} are no range of characters in a text of {length} bytes")]
    OutOfText {
        /// Where the range begins.
        start: usize,
        /// Where it ends.
        end: usize,
        /// How long the text is.
        length: usize,
    },
    /// The anchor was released, or belongs to another document.
    #[error("the anchor is not of this document any more")]
    NoAnchor,
}

impl Document {
    /// Opens a document with the text that its file holds; `author` is who wrote that, as far as is known. A text that is given
    /// away is not copied.
    pub fn open(text: impl Into<String>, author: &Author) -> Document {
        Document::open_shared(Arc::new(text.into()), author)
    }

    /// The same for a text that others hold, too. It is copied when the document changes while they do.
    pub fn open_shared(text: Arc<String>, author: &Author) -> Document {
        Document {
            replica: Replica::new(text, author),
            history: History::new(0),
            versions: Versions::default(),
            anchors: Anchors::default(),
            revision: 0,
            epoch: 0,
        }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        self.replica.text()
    }

    /// The text as it is now, for others to hold. It is copied when the document changes while they do.
    pub fn shared_text(&self) -> &Arc<String> {
        self.replica.shared()
    }

    /// The number of the text as it is now. It grows by one with every change.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Says that the file now holds this text, so that editors may load it and save edits of it.
    pub fn publish(&mut self) {
        let length = self.text().len();
        self.versions.publish(length);
        self.history.close_step(length);
    }

    /// The number of the text as it is now, which can be had again by it for a while, whoever goes on writing.
    pub fn mark(&mut self) -> Revision {
        let length = self.text().len();
        self.history.close_step(length);
        self.revision
    }

    /// Puts an anchor at a byte of the text. It stays at its place whatever is edited around it; text that
    /// others insert right there comes to stand behind it.
    pub fn anchor_at(&mut self, at: usize) -> Result<Anchor, EditError> {
        self.check(at..at)?;
        Ok(self.anchors.put(at))
    }

    /// Where an anchor is now.
    pub fn position(&self, anchor: Anchor) -> Option<usize> {
        self.anchors.position(anchor)
    }

    /// Forgets an anchor.
    pub fn release(&mut self, anchor: Anchor) {
        self.anchors.release(anchor);
    }

    /// Inserts text at an anchor, in the document's line ending, and moves the anchor behind it.
    ///
    /// An author goes on where it stopped. If what it wrote there was replaced meanwhile, so that its next word would
    /// touch another's, or if the line that it had begun was deleted, it begins a new line.
    pub fn insert_at(&mut self, anchor: Anchor, text: &str, author: &Author) -> Result<Edit, EditError> {
        let at = self.anchors.position(anchor).ok_or(EditError::NoAnchor)?;
        let is_line_lost =
            self.anchors.is_cut(anchor) && self.is_in_line(at) && !text.starts_with(['\r', '\n']);
        let edit = if is_line_lost || self.would_touch(at, text, author) {
            self.edit(at..at, &["\n", text].concat(), author)?
        } else {
            self.edit(at..at, text, author)?
        };
        self.anchors.move_to(anchor, at + edit.text.len());
        Ok(edit)
    }

    /// Replaces a range of the text, in the document's line ending.
    pub fn edit(&mut self, range: Range<usize>, text: &str, author: &Author) -> Result<Edit, EditError> {
        self.check(range.clone())?;
        let text = with_line_ending(text, self.line_ending()).into_owned();
        let edit = Edit { range, text };
        let removed = slice(self.text(), edit.range.clone()).to_owned();
        if removed != edit.text {
            self.revision += 1;
            self.make(&edit, author);
            self.note(&edit, &removed, author);
        }
        Ok(edit)
    }

    /// Turns the text into another one by its smallest edits, and gives them in the order in which they were made: from the end of the
    /// text to its beginning. The new text itself becomes the document's where its line endings are.
    pub fn become_text(&mut self, new: &Arc<String>, author: &Author) -> Vec<Edit> {
        let ending = self.line_ending();
        let as_edit = |hunk: Hunk| Edit { range: hunk.old, text: slice(new, hunk.new).to_owned() };
        let edits: Vec<Edit> = diff(self.text(), new).into_iter().rev().map(as_edit).collect();
        let is_fitting = |edit: &Edit| matches!(with_line_ending(&edit.text, ending), Cow::Borrowed(_));
        if self.replica.has_session() || !edits.iter().all(is_fitting) {
            // The ranges are of this very text, so an edit is never out of it.
            return edits
                .into_iter()
                .filter_map(|edit| self.edit(edit.range, &edit.text, author).ok())
                .collect();
        }
        for edit in &edits {
            let removed = slice(self.text(), edit.range.clone()).to_owned();
            self.revision += 1;
            self.make_ahead(edit, &removed, author);
            self.note(edit, &removed, author);
        }
        self.replica.become_text(Arc::clone(new));
        edits
    }

    /// Makes many insertions, each at a place of the text as it is now that is not behind the one before; the text is moved once for
    /// all of them. Gives the edits as if they were made one after another. Nothing, and nothing is done, if one does not fit.
    pub fn insert_each(&mut self, insertions: &[(usize, &str, &Author)]) -> Option<Vec<Edit>> {
        let ending = self.line_ending();
        let edits: Vec<Edit> = insertions
            .iter()
            .map(|(at, text, _)| Edit { range: *at..*at, text: with_line_ending(text, ending).into_owned() })
            .collect();
        let placed: Vec<_> = edits
            .iter()
            .zip(insertions)
            .map(|(edit, (at, _, author))| (*at, edit.text.as_str(), self.replica.client(author)))
            .collect();
        if !self.replica.insert_each(&placed) {
            return None;
        }
        for (edit, (_, _, author)) in edits.iter().zip(insertions).filter(|(edit, _)| !edit.text.is_empty()) {
            self.revision += 1;
            // Nothing is removed, so nobody's line is lost.
            self.anchors.shift(edit, "", &|_| false);
            self.note(edit, "", author);
        }
        Some(edits)
    }

    /// Who wrote which span, in order.
    pub fn provenance(&self) -> Vec<Authored> {
        let spans = self.replica.provenance().into_iter();
        spans.map(|(range, author)| Authored { range, author }).collect()
    }

    /// Who writes under which client number: the numbers that a peer sees in the updates of a session.
    pub fn clients(&self) -> Vec<(u64, Author)> {
        self.replica.clients()
    }

    /// The versions that are kept, newest first.
    pub fn history(&self) -> Vec<Version> {
        let versions = self.history.versions();
        versions.map(|(revision, author)| Version { revision, author: author.clone() }).collect()
    }

    /// The text as it was at a revision, if that is still kept.
    pub fn text_at(&self, revision: Revision) -> Option<String> {
        if revision > self.revision {
            return None;
        }
        Some(self.history.back_to(revision)?.apply(self.text()))
    }

    fn check(&self, range: Range<usize>) -> Result<(), EditError> {
        let length = self.text().len();
        match self.text().get(range.clone()) {
            Some(_) => Ok(()),
            None => Err(EditError::OutOfText { start: range.start, end: range.end, length }),
        }
    }

    /// Whether a word of `author` put at `at` would run into one that somebody else wrote before it.
    fn would_touch(&self, at: usize, text: &str, author: &Author) -> bool {
        let before = slice(self.text(), 0..at).chars().next_back();
        let in_word = |c: Option<char>| c.is_some_and(is_word);
        in_word(before) && in_word(text.chars().next()) && self.replica.author_before(at) != Some(author)
    }

    fn is_in_line(&self, at: usize) -> bool {
        !matches!(slice(self.text(), 0..at).chars().next_back(), None | Some('\n'))
    }

    fn line_ending(&self) -> LineEnding {
        let text = self.text();
        LineEnding::of(text.get(..text.floor_char_boundary(SAMPLE_BYTES)).unwrap_or(text))
    }

    /// Keeps account of an edit that was made.
    fn note(&mut self, edit: &Edit, removed: &str, author: &Author) {
        self.history.record(self.revision, author, edit.range.clone(), removed, edit.text.len());
        self.versions.record(edit.range.clone(), removed, edit.text.len());
    }

    /// Makes an edit in everything but the text, which is to follow. Only from the end of the text to its beginning, and not for peers.
    fn make_ahead(&mut self, edit: &Edit, removed: &str, author: &Author) {
        let client = self.replica.client(author);
        let replica = &self.replica;
        self.anchors.shift(edit, removed, &|at| replica.author_before(at) == Some(author));
        self.replica.edit_ahead(edit.range.clone(), &edit.text, client);
    }

    /// Makes an edit in text and anchors. Keeping account of it is the caller's.
    fn make(&mut self, edit: &Edit, author: &Author) {
        let client = self.replica.client(author);
        let removed = slice(self.replica.text(), edit.range.clone());
        let replica = &self.replica;
        self.anchors.shift(edit, removed, &|at| replica.author_before(at) == Some(author));
        self.replica.edit(edit.range.clone(), &edit.text, client);
    }
}
