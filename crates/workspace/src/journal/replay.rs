//! A document as its last owner knew it, made from the journal: whose words are whose, and which texts stood in the file, so that an
//! editor that loaded one of them before a restart is understood after it. Never reads the file; the caller compares.

use std::collections::BTreeSet;

use document::{Document, Revision};

use super::history::{History, apply_all};
use crate::keeper::{Done, Entry};

/// How many texts that stood in the file are brought back; a document remembers no more.
const VERSIONS_MAX: usize = 64;

impl History {
    /// The document with its latest versions. Operations before the time `since` bring none back: an editor that holds one for longer
    /// is less likely than a file that was changed on purpose.
    pub fn document(&self, since: u64) -> Document {
        let written: BTreeSet<Revision> = self.entries().iter().filter_map(|entry| entry.file.written).collect();
        let stood = |entry: &Entry| written.contains(&entry.revision) || entry.file.save.is_some();
        let (mut start, mut versions) = (self.entries().len(), 0);
        for (index, entry) in self.entries().iter().enumerate().rev() {
            versions += usize::from(stood(entry));
            if versions > VERSIONS_MAX || entry.time < since {
                break;
            }
            start = index;
        }
        let mut document = self.document_before(start);
        for entry in self.entries().iter().skip(start) {
            if !repeat(&mut document, entry) {
                return self.document_before(self.entries().len());
            }
            if written.contains(&entry.revision) {
                document.publish();
            }
        }
        // Perhaps the last text came into the file and nobody lived to note it.
        document.publish();
        document
    }

    /// Whether the file holds what a writer leaves that died, or could not write: the latest text, or what stood there before it.
    pub fn explains(&self, file: &str) -> bool {
        if file == self.latest_text() {
            return true;
        }
        let Some((last, earlier)) = self.entries().split_last() else { return false };
        let before = earlier.last().map_or(self.checkpoint().revision, |entry| entry.revision);
        let written = last.file.written.unwrap_or(before);
        let unwritten = self.entries().iter().filter(|entry| entry.revision > written);
        self.text_at(written).is_some_and(|text| text == file)
            || unwritten.filter_map(|entry| self.save_at(entry)).any(|saved| saved == file)
    }

    /// Whether the document had this text before its latest one.
    pub fn had(&self, text: &str) -> bool {
        let mut now = self.checkpoint().text.clone();
        let mut had = now == text;
        for entry in self.entries() {
            had |= apply_all(&mut now, &entry.edits) && now == text;
        }
        had && text != self.latest_text()
    }

    /// The latest requests that had a name, oldest first.
    pub fn done(&self) -> Vec<Done> {
        let done = |entry: &Entry| {
            Some(Done {
                author: entry.author.clone(),
                request: entry.request.clone()?,
                revision: entry.revision,
                bytes: entry.edits.iter().map(|edit| edit.text.len()).sum(),
            })
        };
        self.entries().iter().filter_map(done).collect()
    }

    /// The document before the operation of this index, with its authors and without earlier versions.
    fn document_before(&self, index: usize) -> Document {
        let checkpoint = self.folded(index);
        let mut at = 0;
        Document::open_parts(checkpoint.spans.iter().map(|span| {
            let part = checkpoint.text.get(at..at + span.length).unwrap_or_default();
            at += span.length;
            (part, &span.author)
        }))
    }

    /// What was saved, if the operation took in a save that stayed in the file.
    fn save_at(&self, entry: &Entry) -> Option<String> {
        let save = entry.file.save.as_ref().filter(|save| !save.is_displaced)?;
        let mut text = self.text_at(entry.revision)?;
        apply_all(&mut text, &save.edits).then_some(text)
    }
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
