//! Taking in what a person saved, on top of all that agents wrote since that person's editor loaded the file.
//! Never takes the absence of text that the editor had not seen for a deletion.

use std::sync::Arc;

use super::{Author, Document, Edit, Revision};
use crate::diff::{Hunk, common_prefix, common_suffix, diff, line_end, line_hunks, line_start, slice};
use crate::merge::{self, Holder, Notice, Side, Style, Take, holder, weave};
use crate::reversal::Reversal;

/// What absorbing a save did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absorbed {
    /// The revision after it.
    pub revision: Revision,
    /// The edits that were made, in the order in which they were made: from the end of the text to its beginning.
    pub edits: Vec<Edit>,
    /// Places where the person and an agent changed the same words.
    pub notices: Vec<Notice>,
    /// The file holds just this text already; nothing needs to be written.
    pub is_in_file: bool,
}

/// A save on its way into the text.
pub(super) struct Save<'a> {
    pub(super) text: &'a str,
    pub(super) author: &'a Author,
    pub(super) place: Place,
    /// Leads from the save back to the text as it is before.
    pub(super) to_text: Reversal,
    /// The edits are known to make the text the save, so that the two need not be compared.
    pub(super) is_all: bool,
    /// The save in a copy that the document may keep, if there is one.
    pub(super) shared: Option<&'a Arc<String>>,
}

/// Where a save is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    InFile,
    Displaced,
}

impl Document {
    /// Takes in the text that a person saved. The version that their editor had loaded is found among those that stood
    /// in the file; what agents wrote since then stays, and what the person changed is changed.
    ///
    /// An author has one editor: what that author saved before is known to it. Where two editors of one person
    /// can be told apart, give them names of their own.
    ///
    /// An empty text is taken at its word. An editor empties a file for a moment while it saves; the caller, who
    /// can read again, waits for that to pass.
    pub fn absorb(&mut self, saved: &str, author: &Author) -> Absorbed {
        self.take_in((saved, None), author, Place::InFile)
    }

    /// The same for a save that others hold, too: where nothing else comes to it, it becomes the document's text without a copy.
    pub fn absorb_shared(&mut self, saved: &Arc<String>, author: &Author) -> Absorbed {
        self.take_in((saved, Some(saved)), author, Place::InFile)
    }

    /// Takes in a save that was in the file before the text that was published last took its place, unread. The person's editor
    /// may have loaded that text since, so the next save need not hold what this one holds.
    pub fn absorb_displaced(&mut self, saved: &str, author: &Author) -> Absorbed {
        self.take_in((saved, None), author, Place::Displaced)
    }

    fn take_in(
        &mut self,
        (saved, shared): (&str, Option<&Arc<String>>),
        author: &Author,
        place: Place,
    ) -> Absorbed {
        if saved == self.text() {
            self.publish();
            return Absorbed {
                revision: self.revision,
                edits: Vec::new(),
                notices: Vec::new(),
                is_in_file: true,
            };
        }
        let origin = self.versions.origin(self.text(), saved, author, || self.replica.authored_by(author));
        let to_text = Reversal::between(self.text(), &origin.hunks);
        let is_all = origin.back.is_empty();
        let (mut edits, notices) = if is_all {
            (as_edits(saved, diff_from(self.text(), saved, &origin.hunks)), Vec::new())
        } else {
            rebased(self.text(), &origin.back, saved)
        };
        if edits.is_empty() {
            // The file holds a version that is known already; nobody saved anything.
            return Absorbed { revision: self.revision, edits, notices, is_in_file: false };
        }
        edits.reverse();
        let is_in_file =
            self.take_edits(&edits, Save { text: saved, author, place, to_text, is_all, shared });
        Absorbed { revision: self.revision, edits, notices, is_in_file }
    }

    /// Makes the edits that a save came to, and keeps the save as a version. Whether the text is just that save now.
    pub(super) fn take_edits(&mut self, edits: &[Edit], save: Save<'_>) -> bool {
        self.history.close_step(self.text().len());
        self.revision += 1;
        let whole = save.shared.filter(|_| save.is_all && !self.replica.has_session());
        for edit in edits {
            let removed = slice(self.text(), edit.range.clone()).to_owned();
            match whole {
                Some(_) => self.make_ahead(edit, &removed, save.author),
                None => self.make(edit, save.author),
            }
            self.history.record(self.revision, save.author, edit.range.clone(), &removed, edit.text.len());
        }
        if let Some(whole) = whole {
            self.replica.become_text(Arc::clone(whole));
        }
        self.history.close_step(self.text().len());
        debug_assert!(!save.is_all || save.text == self.text(), "the changes of a save do not make it");
        let is_in_file = save.is_all || save.text == self.text();
        let from_text = if is_in_file {
            Reversal::default()
        } else {
            Reversal::between(save.text, &line_hunks(save.text, self.text()))
        };
        match save.place {
            Place::InFile => self.versions.saved(save.author, save.to_text, from_text, save.text.len()),
            Place::Displaced => self.versions.displaced(save.to_text, from_text, save.text.len()),
        }
        is_in_file
    }
}

/// The changed words of lines that are known to have changed.
fn diff_from(old: &str, new: &str, hunks: &[Hunk]) -> Vec<Hunk> {
    let mut words = Vec::new();
    for hunk in hunks {
        crate::diff::refine(old, new, hunk, &mut words);
    }
    words
}

fn as_edits(new: &str, hunks: Vec<Hunk>) -> Vec<Edit> {
    let edit = |hunk: Hunk| Edit { text: slice(new, hunk.new).to_owned(), range: hunk.old };
    hunks.into_iter().map(edit).collect()
}

/// The edits of `newest` that bring in what `saved` changed in the version that `back` leads to.
fn rebased(newest: &str, back: &Reversal, saved: &str) -> (Vec<Edit>, Vec<Notice>) {
    let base = back.apply(newest);
    let is_ended = |text: &str| text.is_empty() || text.ends_with('\n');
    if !(is_ended(&base) && is_ended(newest) && is_ended(saved)) {
        // A missing final line break is settled by the whole merge.
        let merged = merge::merge(&base, newest, saved);
        return (as_edits(&merged.text, diff(newest, &merged.text)), merged.notices);
    }
    let ours = Side::new(&base, newest, hunks_of(newest, back));
    let theirs = Side::new(&base, saved, diff(&base, saved));
    match holder(&ours, &theirs) {
        Some(Holder::Ours) => return (Vec::new(), Vec::new()),
        Some(Holder::Theirs) => return (as_edits(saved, diff(newest, saved)), Vec::new()),
        None => {}
    }
    let woven = weave(&base, &ours, &theirs, Style::KeepBoth);
    let mut edits = Vec::new();
    for change in woven.changes {
        let text = match change.take {
            Take::Ours => continue,
            Take::Theirs => slice(saved, change.theirs).to_owned(),
            Take::Text(text) => text,
        };
        edits.extend(smallest(newest, &Edit { range: change.ours, text }));
    }
    (edits, woven.notices)
}

/// The edit without what it leaves as it is; nothing if it changes nothing.
fn smallest(text: &str, edit: &Edit) -> Option<Edit> {
    let old = slice(text, edit.range.clone());
    let new = edit.text.as_str();
    let prefix = old.floor_char_boundary(common_prefix(old.as_bytes(), new.as_bytes()));
    let (old, new) = (slice(old, prefix..old.len()), slice(new, prefix..new.len()));
    let suffix = common_suffix(old.as_bytes(), new.as_bytes());
    let old_end = old.ceil_char_boundary(old.len() - suffix);
    let new_end = new.len() - (old.len() - old_end);
    let start = edit.range.start + prefix;
    let smallest = Edit { range: start..start + old_end, text: slice(new, 0..new_end).to_owned() };
    (!smallest.range.is_empty() || !smallest.text.is_empty()).then_some(smallest)
}

/// What changed from the older text to `newest`, in whole lines and words, without comparing what did not change.
fn hunks_of(newest: &str, back: &Reversal) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut spans = back.spans();
    // By how much places of the older text lie behind or before those of the newest one.
    let (mut newest_at, mut older_at) = (0, 0);
    while let Some(first) = spans.first() {
        let start = line_start(newest, first.new.start);
        let mut end = line_end(newest, first.new.end);
        let mut count = 1;
        while let Some(next) = spans.get(count).filter(|next| next.new.start <= end) {
            end = end.max(line_end(newest, next.new.end));
            count += 1;
        }
        let (region, later) = spans.split_at_checked(count).unwrap_or((spans, &[]));
        let mut older = String::new();
        let mut at = start;
        for span in region {
            older.push_str(slice(newest, at..span.new.start));
            older.push_str(&span.old);
            at = span.new.end;
        }
        older.push_str(slice(newest, at..end));
        let older_start = older_at + (start - newest_at);
        hunks.extend(diff(&older, slice(newest, start..end)).into_iter().map(|hunk| Hunk {
            old: hunk.old.start + older_start..hunk.old.end + older_start,
            new: hunk.new.start + start..hunk.new.end + start,
        }));
        (newest_at, older_at) = (end, older_start + older.len());
        spans = later;
    }
    hunks
}
