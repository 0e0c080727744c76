//! A document as its last owner knew it, made from the journal: whose words are whose, and which texts stood in the file, so that an
//! editor that loaded one of them before a restart is understood after it. Never reads the file; the caller compares.

use std::collections::BTreeSet;
use std::sync::Arc;

use document::{Document, Edit, Revision};

use super::history::{Checkpoint, History, apply_all};
use crate::blame::Span;
use crate::keeper::Entry;

/// How many texts that stood in the file are brought back; a document remembers no more.
const VERSIONS_MAX: usize = 64;

impl History {
    /// The document with its latest versions. Operations before the time `since` bring none back, unless they may be missing in the
    /// file: an editor that holds one for longer is less likely than a file that was changed on purpose.
    /// It holds the latest text together with this history. None if an operation does not fit, and then the history is of no use any more:
    /// its text is gone.
    pub(super) fn document(&mut self, since: u64) -> Option<Document> {
        let known = |entry: &Entry| [entry.file.written, entry.file.perhaps];
        let written: BTreeSet<Revision> = self.entries().iter().flat_map(known).flatten().collect();
        let stood = |entry: &Entry| written.contains(&entry.revision) || entry.file.save.is_some();
        let certain = self.written();
        let (mut start, mut versions) = (self.entries().len(), 0);
        for (index, entry) in self.entries().iter().enumerate().rev() {
            versions += usize::from(stood(entry));
            if versions > VERSIONS_MAX || (entry.time < since && entry.revision <= certain) {
                break;
            }
            start = index;
        }
        let length = self.latest_text().len();
        let spans = self.folded_without_text(start).spans;
        let mut document = opened(self.take_text_after(start), &spans);
        for entry in self.entries().iter().skip(start) {
            if !repeat(&mut document, entry) {
                return None;
            }
            if written.contains(&entry.revision) {
                document.publish();
            }
        }
        // Perhaps the last text came into the file and nobody lived to note it.
        document.publish();
        self.give_text(Arc::clone(document.shared_text()));
        (document.text().len() == length).then_some(document)
    }

    /// The document with its authors and without earlier versions.
    pub(super) fn plain_document(&self) -> Document {
        let Checkpoint { text, spans, .. } = self.folded(self.entries().len());
        opened(text.into(), &spans)
    }

    /// The latest revision whose text was in the file for certain. Later ones may have come there, too.
    pub fn written(&self) -> Revision {
        if self.is_settled() {
            return self.latest_revision();
        }
        let Some((last, earlier)) = self.entries().split_last() else { return self.latest_revision() };
        let before = earlier.last().map_or(self.first_revision(), |entry| entry.revision);
        last.file.written.unwrap_or(before)
    }

    /// Whether the file holds what a writer leaves that died, or could not write: the latest text, or what stood there before it.
    pub fn explains(&self, file: &str) -> bool {
        let written = self.written();
        let since = self.entries().iter().filter(|entry| entry.revision > written);
        let perhaps: BTreeSet<Revision> = since.filter_map(|entry| entry.file.perhaps).collect();
        let may_stand = |revision| revision == written || (revision > written && perhaps.contains(&revision));
        file == self.latest_text()
            || (may_stand(self.first_revision()) && self.began_with(file))
            || self.any(file.len(), |entry, text| {
                (may_stand(entry.revision) && file == text)
                    || (entry.revision > written && is_save(entry, text, file, false))
            })
    }

    /// Whether the document had this text before its latest one.
    pub fn had(&self, text: &str) -> bool {
        text != self.latest_text() && (self.began_with(text) || self.any(text.len(), |_, then| then == text))
    }

    /// Whether this text, which came out of the file, needs no taking in: it was a text of ours, or a save that was taken in.
    pub fn has_taken_in(&self, displaced: &str) -> bool {
        self.had(displaced)
            || displaced == self.latest_text()
            || self.any(displaced.len(), |entry, text| is_save(entry, text, displaced, true))
    }

    /// Whether it is so for any operation and the text after it, which is to be compared with a text of this length.
    fn any(&self, length: usize, mut is_so: impl FnMut(&Entry, &str) -> bool) -> bool {
        // The texts of a long document take time to make, and most often their lengths tell them all from the other one.
        let mut then = self.first_length();
        let has_length = |entry: &Entry| {
            then = length_after(then, &entry.edits);
            then == length
                || entry.file.save.as_ref().is_some_and(|save| length_after(then, &save.edits) == length)
        };
        if !self.entries().iter().any(has_length) {
            return false;
        }
        let mut text = self.text_after(0);
        self.entries().iter().any(|entry| apply_all(&mut text, &entry.edits) && is_so(entry, &text))
    }

    /// Whether the history begins with this text.
    fn began_with(&self, text: &str) -> bool {
        text.len() == self.first_length() && text == self.text_after(0)
    }
}

/// A document whose parts are by several authors. A text of one author need not be copied.
fn opened(text: Arc<String>, spans: &[Span]) -> Document {
    if let [span] = spans {
        return Document::open_shared(text, &span.author);
    }
    let mut at = 0;
    Document::open_parts(spans.iter().map(|span| {
        let part = text.get(at..at + span.length).unwrap_or_default();
        at += span.length;
        (part, &span.author)
    }))
}

/// How long a text of this length is after some edits.
fn length_after(length: usize, edits: &[Edit]) -> usize {
    let edited = |length: usize, edit: &Edit| (length + edit.text.len()).saturating_sub(edit.range.len());
    edits.iter().fold(length, edited)
}

/// Whether the operation that led to `text` took in just this save.
fn is_save(entry: &Entry, text: &str, saved: &str, is_displaced: bool) -> bool {
    entry.file.save.as_ref().filter(|save| save.is_displaced == is_displaced).is_some_and(|save| {
        let mut text = text.to_owned();
        apply_all(&mut text, &save.edits) && text == saved
    })
}

/// Does an operation again; false if it does not fit.
fn repeat(document: &mut Document, entry: &Entry) -> bool {
    let Some(save) = &entry.file.save else {
        return document.repeat(&entry.edits, &entry.author);
    };
    let mut saved = document.text().to_owned();
    apply_all(&mut saved, &entry.edits)
        && apply_all(&mut saved, &save.edits)
        && document.repeat_save(&entry.edits, &saved, &entry.author, save.is_displaced)
}
