//! Doing again what a journal noted, so that a restarted program knows whose words are whose and which versions people's editors may
//! have loaded. Never decides anything: what was decided then is done as it was.

use super::absorb::{Place, Save};
use super::{Author, Document, Edit};
use crate::diff::line_hunks;
use crate::reversal::Reversal;

impl Document {
    /// Opens a document whose parts are by several authors.
    ///
    /// ```
    /// use document::{Author, Document};
    ///
    /// let (anna, agent) = (Author::new("anna"), Author::new("agent"));
    /// let document = Document::open_parts([("Why?\n", &anna), ("Because.\n", &agent)]);
    ///
    /// assert_eq!(document.text(), "Why?\nBecause.\n");
    /// assert_eq!(document.provenance()[1].author, agent);
    /// ```
    pub fn open_parts<'a>(parts: impl IntoIterator<Item = (&'a str, &'a Author)>) -> Document {
        let mut parts = parts.into_iter();
        let Some((first, author)) = parts.next() else {
            return Document::open("", &Author::new(""));
        };
        let mut document = Document::open(first, author);
        for (text, author) in parts {
            let at = document.text().len();
            document.make(&Edit { range: at..at, text: text.to_owned() }, author);
        }
        document
    }

    /// Does edits again that `author` made, one after another; false if one of them does not fit, and then the rest is not done.
    pub fn repeat(&mut self, edits: &[Edit], author: &Author) -> bool {
        edits.iter().all(|edit| {
            let Some(removed) = self.text().get(edit.range.clone()).map(str::to_owned) else { return false };
            self.revision += 1;
            self.make(edit, author);
            self.note(edit, &removed, author);
            true
        })
    }

    /// Does again what [`absorb`](Self::absorb) did with the save `saved`, or [`absorb_displaced`](Self::absorb_displaced) if the save
    /// was displaced: the edits that were made then. False if they do not fit; the document is unchanged then.
    pub fn repeat_save(&mut self, edits: &[Edit], saved: &str, author: &Author, is_displaced: bool) -> bool {
        if !fits(self.text().to_owned(), edits) {
            return false;
        }
        let to_text = Reversal::between(self.text(), &line_hunks(self.text(), saved));
        let place = if is_displaced { Place::Displaced } else { Place::InFile };
        self.take_edits(edits, Save { text: saved, author, place, to_text, is_all: false, shared: None });
        true
    }
}

fn fits(mut text: String, edits: &[Edit]) -> bool {
    edits.iter().all(|edit| {
        let is_inside = text.get(edit.range.clone()).is_some();
        if is_inside {
            text.replace_range(edit.range.clone(), &edit.text);
        }
        is_inside
    })
}
